#include "flopcast/algorithm/script.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

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

/// Sets the arguments of a call one after the other.
class CallBuilder {
 public:
  explicit CallBuilder(const Routine& routine) { call_.routine = &routine; }

  void operator()(char flag) { put(flag); }
  void operator()(std::int64_t integer) { put(integer); }
  void operator()(double scalar) { (*this)(std::complex<double>(scalar)); }
  void operator()(std::complex<double> scalar) {
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

template <class T>
T* pointer_to(const Matrix& matrix) {
  return reinterpret_cast<T*>(matrix.address);
}

/// Calls `visit` with a pointer to the real part and the number of parts, 1 or 2.
template <class Visitor>
void visit_element(Precision precision, const Matrix& matrix, Visitor visit) {
  const bool has_imaginary_part = matrix.element_bytes == 2 * real_bytes(precision);
  real_bytes(precision) == 4 ? visit(pointer_to<float>(matrix), has_imaginary_part) : visit(pointer_to<double>(matrix), has_imaginary_part);
}

}  // namespace

kernel::Function Runtime::function(const Routine& routine) {
  for (const auto& [known, address] : functions_) {
    if (known == &routine) {
      return address;
    }
  }
  const kernel::Function found = lookup_(routine.name);
  if (found == nullptr) {
    throw environment_error("the library has no {}", routine.name);
  }
  functions_.emplace_back(&routine, found);
  return found;
}

std::uintptr_t Runtime::allocate(std::int64_t bytes) {
  const std::size_t elements = static_cast<std::size_t>(bytes) / sizeof(double) + 1;
  if (used_ == memory_.size()) {
    memory_.emplace_back();
  }
  std::vector<double>& memory = memory_[used_++];
  if (memory.size() < elements) {
    memory.resize(elements);
  }
  return reinterpret_cast<std::uintptr_t>(memory.data());
}

Script::Script(Precision precision, bool executes, Sink sink, Allocate allocate)
    : precision_(precision),
      executes_(executes),
      routines_(std::make_shared<std::vector<std::pair<std::string, const Routine*>>>()),
      sink_(std::move(sink)),
      allocate_(std::move(allocate)) {}

Script Script::executing(Precision precision, FunctionLookup lookup) {
  return executing(precision, std::make_shared<Runtime>(std::move(lookup)));
}

Script Script::executing(Precision precision, const std::shared_ptr<Runtime>& runtime) {
  runtime->restart();
  const auto make = [runtime](const Call& call) {
    kernel::Invocation invocation(runtime->function(*call.routine), call);
    invocation.run();
    return invocation.outcome().info;
  };
  const auto allocate = [runtime](std::int64_t bytes) { return runtime->allocate(bytes); };
  return {precision, true, make, allocate};
}

Script Script::recording(Precision precision, Trace& trace) {
  const auto append = [&trace](const Call& call) {
    trace.calls.push_back(call);
    return 0;
  };
  const auto allocate = [&trace, locals = std::make_shared<int>(0)](std::int64_t bytes) {
    const std::uintptr_t address = virtual_base(trace.allocations.size());
    trace.allocations.push_back({fmt::format("local{}", (*locals)++), address, bytes});
    return address;
  };
  return {precision, false, append, allocate};
}

std::int32_t Script::operator()(std::string_view family, std::initializer_list<Item> items) const { return sink_(call(family, items)); }

Call Script::call(std::string_view family, std::initializer_list<Item> items) const {
  CallBuilder builder(routine(family));
  for (const Item& item : items) {
    std::visit(builder, item);
  }
  return builder.finish();
}

const Routine& Script::routine(std::string_view family) const {
  for (const auto& [name, routine] : *routines_) {
    if (name == family) {
      return *routine;
    }
  }
  const Routine& found = routine_of(precision_, family);
  routines_->emplace_back(family, &found);
  return found;
}

Matrix Script::local(std::int64_t rows, std::int64_t columns) const {
  const std::int64_t ld = std::max<std::int64_t>(1, rows);
  const std::int64_t bytes = element_bytes(precision_);
  return {allocate_(ld * columns * bytes), ld, bytes};
}

std::complex<double> Script::read(const Matrix& matrix, std::complex<double> otherwise) const {
  if (executes_) {
    visit_element(precision_, matrix, [&](const auto* parts, bool complex) { otherwise = {parts[0], complex ? parts[1] : 0}; });
  }
  return otherwise;
}

void Script::write(const Matrix& matrix, std::complex<double> value) const {
  if (executes_) {
    visit_element(precision_, matrix, [&](auto* parts, bool complex) {
      using Real = std::remove_reference_t<decltype(*parts)>;
      parts[0] = static_cast<Real>(value.real());
      if (complex) {
        parts[1] = static_cast<Real>(value.imag());
      }
    });
  }
}

std::int64_t Script::read_pivot(const Matrix& ipiv, std::int64_t otherwise) const {
  return !executes_ ? otherwise : ipiv.element_bytes == 8 ? *pointer_to<std::int64_t>(ipiv) : *pointer_to<std::int32_t>(ipiv);
}

void Script::write_pivot(const Matrix& ipiv, std::int64_t row) const {
  if (executes_ && ipiv.element_bytes == 8) {
    *pointer_to<std::int64_t>(ipiv) = row;
  } else if (executes_) {
    *pointer_to<std::int32_t>(ipiv) = static_cast<std::int32_t>(row);
  }
}

Matrix matrix(const Call& call, std::size_t i) {
  const Argument& argument = call.routine->arguments[i];
  const std::int64_t ld = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : 0;
  return {call.address(i), ld, argument_element_bytes(call, i)};
}

Matrix matrix(const Call& call, std::string_view name) { return matrix(call, index(call, name)); }

char flag(const Call& call, std::string_view name) { return call.flag(index(call, name)); }

std::int64_t value(const Call& call, std::string_view name) { return call.arguments[index(call, name)]; }

std::size_t index(const Call& call, std::string_view name) {
  const int found = call.routine->index(name);
  if (found < 0) {
    throw internal_error("routine {} has no argument '{}'", call.routine->name, name);
  }
  return static_cast<std::size_t>(found);
}

}  // namespace flopcast::algorithm
