#include "flopcast/protocol/mpi_options.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::protocol {
namespace {

constexpr std::array<std::pair<MpiClock, std::string_view>, 3> clocks = {
    {{MpiClock::automatic, "auto"}, {MpiClock::wall, "wall"}, {MpiClock::cpu, "cpu"}}};

/// Calls `visit` with the name in the text and the value of every option that is a number, a text or a truth value.
template <class Options, class Visit>
void for_each_plain(Options& options, Visit visit) {
  visit("tolerance", options.precision.tolerance);
  visit("confidence", options.precision.confidence);
  visit("min_count", options.precision.min_count);
  visit("across_sizes", options.across_sizes);
  visit("windows", options.windows);
  visit("thread_multiple", options.thread_multiple);
  visit("profile", options.profile);
  visit("prior_profile", options.prior_profile);
  visit("executions", options.executions);
  visit("results", options.results);
  visit("progress", options.progress);
}

}  // namespace

MpiClock clock_named(std::string_view name) {
  for (const auto& [clock, text] : clocks) {
    if (text == name) {
      return clock;
    }
  }
  throw bad_input("'{}' is no clock; there are auto, wall, cpu", name);
}

std::string_view to_string(MpiClock clock) { return clocks.at(static_cast<std::size_t>(clock)).second; }

std::string to_text(const MpiOptions& options) {
  nlohmann::json document = {{"clock", to_string(options.clock)}, {"policy", selective::to_string(options.policy)}};
  for_each_plain(options, [&document](const char* name, const auto& value) { document[name] = value; });
  return document.dump();
}

MpiOptions parse_mpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    MpiOptions options;
    options.clock = clock_named(member<std::string>(document, "clock"));
    options.policy = selective::policy_named(member<std::string>(document, "policy"));
    for_each_plain(options, [&document](const char* name, auto& value) { read_member(document, name, value); });
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", mpi_options_variable, reason(error));
  }
}

}  // namespace flopcast::protocol
