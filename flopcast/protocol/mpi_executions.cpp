#include "flopcast/protocol/mpi_executions.hpp"

#include <algorithm>

#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast {
namespace {

constexpr const char* executions_schema = "flopcast-mpi-executions-2";

struct ExecutionList {
  std::vector<protocol::MpiExecution> executions;
};

}  // namespace

template <>
Fields FieldTable<protocol::MpiExecution>::fields() {
  return {field<&T::parameters>(), field<&T::policy>(), field<&T::times_are_used>()};
}
template <>
Fields FieldTable<ExecutionList>::fields() {
  return {field<&T::executions>()};
}

namespace protocol {

const std::string* MpiExecutions::value(const std::string& name) {
  read_.insert(name);
  const auto& parameters = current().parameters;
  const auto found = parameters.find(name);
  return found != parameters.end() ? &found->second : nullptr;
}

bool MpiExecutions::is_within_reach(const MpiExecution& execution) const {
  const auto& first = all_.front().parameters;
  return std::all_of(execution.parameters.begin(), execution.parameters.end(), [&](const auto& parameter) {
    const auto& [name, value] = parameter;
    const auto there = first.find(name);
    return read_.count(name) != 0 || (there != first.end() && there->second == value);
  });
}

std::optional<std::size_t> MpiExecutions::next() {
  done_.at(current_) = true;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!done_[i] && is_within_reach(all_[i])) {
      return i;
    }
  }
  return std::nullopt;
}

std::string to_text(const std::vector<MpiExecution>& executions) {
  return to_document(ExecutionList{executions}, executions_schema).dump();
}

std::vector<MpiExecution> parse_mpi_executions(const std::string& text) {
  auto list = from_document<ExecutionList>(text, "a list of executions", {executions_schema});
  if (list.executions.empty()) {
    throw bad_input("a list of executions is empty");
  }
  return std::move(list.executions);
}

}  // namespace protocol
}  // namespace flopcast
