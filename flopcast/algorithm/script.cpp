#include "flopcast/algorithm/script.hpp"

#include <string>
#include <utility>

#include "flopcast/core/error.hpp"
#include "flopcast/kernel/catalogue.hpp"

namespace flopcast::algorithm {
namespace {

const Routine& routine_of(Precision precision, std::string_view family) {
  const std::string name = static_cast<char>(precision) + std::string(family);
  const Routine* routine = kernel::find(name);
  if (routine == nullptr) {
    throw internal_error("an algorithm calls '{}', which the catalogue lacks", name);
  }
  return *routine;
}

/// Fills in a call's arguments one after the other.
class CallBuilder {
 public:
  explicit CallBuilder(const Routine& routine) { call_.routine = &routine; }

  void operator()(char flag) { put(flag); }
  void operator()(std::int64_t integer) { put(integer); }
  void operator()(double scalar) {
    call_.scalars.at(static_cast<std::size_t>(scalars_)) = scalar;
    put(scalars_++);
  }
  void operator()(const Matrix& matrix) {
    put(static_cast<std::int64_t>(matrix.address));
    if (at_ < arguments().size() && arguments()[at_].kind == Kind::leading_dimension) {
      put(matrix.ld);
    }
  }

  [[nodiscard]] const Call& finish() {
    if (at_ < arguments().size() && arguments()[at_].kind == Kind::info) {
      ++at_;
    }
    if (at_ != arguments().size()) {
      throw internal_error("an algorithm gives {} {} arguments instead of {}", call_.routine->name, at_, arguments().size());
    }
    return call_;
  }

 private:
  [[nodiscard]] const std::vector<Argument>& arguments() const { return call_.routine->arguments; }
  void put(std::int64_t value) { call_.arguments.at(at_++) = value; }

  Call call_;
  std::size_t at_ = 0;
  std::int64_t scalars_ = 0;
};

}  // namespace

Sink executor(FunctionLookup lookup) {
  return [lookup = std::move(lookup)](const Call& call) {
    const kernel::Function function = lookup(call.routine->name);
    if (function == nullptr) {
      throw environment_error("the library has no {}", call.routine->name);
    }
    kernel::Invocation invocation(function, call);
    invocation.run();
    return invocation.outcome().info;
  };
}

Script::Script(Precision precision, Sink sink) : precision_(precision), sink_(std::move(sink)) {}

std::int32_t Script::operator()(std::string_view family, std::initializer_list<Item> items) const {
  CallBuilder builder(routine_of(precision_, family));
  for (const Item& item : items) {
    std::visit(builder, item);
  }
  return sink_(builder.finish());
}

Matrix matrix(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const std::int64_t ld = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : 0;
  return {call.address(i), ld, argument_element_bytes(*call.routine, i)};
}

std::int64_t value(const Call& call, std::string_view name) { return call.arguments[index(call, name)]; }

std::size_t index(const Call& call, std::string_view name) {
  const int found = call.routine->index(name);
  if (found < 0) {
    throw internal_error("routine {} has no argument '{}'", call.routine->name, name);
  }
  return static_cast<std::size_t>(found);
}

}  // namespace flopcast::algorithm
