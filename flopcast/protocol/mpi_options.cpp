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
  const nlohmann::json document = {{"clock", to_string(options.clock)},
                                   {"policy", selective::to_string(options.policy)},
                                   {"tolerance", options.precision.tolerance},
                                   {"confidence", options.precision.confidence},
                                   {"min_count", options.precision.min_count},
                                   {"across_sizes", options.across_sizes},
                                   {"windows", options.windows},
                                   {"thread_multiple", options.thread_multiple},
                                   {"profile", options.profile},
                                   {"prior_profile", options.prior_profile},
                                   {"executions", options.executions},
                                   {"results", options.results},
                                   {"progress", options.progress}};
  return document.dump();
}

MpiOptions parse_mpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    MpiOptions options;
    options.clock = clock_named(member<std::string>(document, "clock"));
    options.policy = selective::policy_named(member<std::string>(document, "policy"));
    options.precision.tolerance = member<double>(document, "tolerance");
    options.precision.confidence = member<double>(document, "confidence");
    options.precision.min_count = member<std::int64_t>(document, "min_count");
    options.across_sizes = member<bool>(document, "across_sizes");
    options.windows = member<bool>(document, "windows");
    options.thread_multiple = member<bool>(document, "thread_multiple");
    options.profile = member<std::string>(document, "profile");
    options.prior_profile = member<std::string>(document, "prior_profile");
    options.executions = member<std::string>(document, "executions");
    options.results = member<std::string>(document, "results");
    options.progress = member<std::string>(document, "progress");
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", mpi_options_variable, reason(error));
  }
}

}  // namespace flopcast::protocol
