#include "flopcast/protocol/mpi_executions.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::protocol {
namespace {

using nlohmann::json;

constexpr const char* executions_schema = "flopcast-mpi-executions-2";

}  // namespace

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
  json list = json::array();
  for (const MpiExecution& execution : executions) {
    list.push_back({{"parameters", execution.parameters},
                    {"policy", selective::to_string(execution.policy)},
                    {"times_are_used", execution.times_are_used}});
  }
  return json{{"schema", executions_schema}, {"executions", std::move(list)}}.dump();
}

std::vector<MpiExecution> parse_mpi_executions(const std::string& text) {
  try {
    const json document = json::parse(text);
    if (document.at("schema") != executions_schema) {
      throw bad_input("a list of executions has schema {}, expected {}", document.at("schema").dump(), executions_schema);
    }
    std::vector<MpiExecution> executions;
    for_each_element(document, "executions", [&](const json& each) {
      executions.push_back({member<std::map<std::string, std::string>>(each, "parameters"),
                            selective::policy_named(member<std::string>(each, "policy")), member<bool>(each, "times_are_used")});
    });
    if (executions.empty()) {
      throw bad_input("a list of executions is empty");
    }
    return executions;
  } catch (const json::exception& error) {
    throw bad_input("not a list of executions: {}", reason(error));
  }
}

}  // namespace flopcast::protocol
