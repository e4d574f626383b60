#include "flopcast/interpose/mpi_options.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/error.hpp"

namespace flopcast::interpose {
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

std::string_view clock_name(MpiClock clock) { return clocks.at(static_cast<std::size_t>(clock)).second; }

std::string to_text(const MpiOptions& options) {
  const nlohmann::json document = {{"clock", clock_name(options.clock)},
                                   {"policy", path::policy_name(options.policy)},
                                   {"tolerance", options.precision.tolerance},
                                   {"confidence", options.precision.confidence},
                                   {"least_count", options.precision.least_count},
                                   {"across_sizes", options.across_sizes},
                                   {"windows", options.windows},
                                   {"thread_multiple", options.thread_multiple},
                                   {"profile", options.profile},
                                   {"statistics", options.statistics},
                                   {"executions", options.executions},
                                   {"results", options.results},
                                   {"progress", options.progress}};
  return document.dump();
}

MpiOptions parse_mpi_options(const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    MpiOptions options;
    options.clock = clock_named(document.at("clock").get<std::string>());
    options.policy = path::policy_named(document.at("policy").get<std::string>());
    options.precision.tolerance = document.at("tolerance").get<double>();
    options.precision.confidence = document.at("confidence").get<double>();
    options.precision.least_count = document.at("least_count").get<std::int64_t>();
    options.across_sizes = document.at("across_sizes").get<bool>();
    options.windows = document.at("windows").get<bool>();
    options.thread_multiple = document.at("thread_multiple").get<bool>();
    options.profile = document.at("profile").get<std::string>();
    options.statistics = document.at("statistics").get<std::string>();
    options.executions = document.at("executions").get<std::string>();
    options.results = document.at("results").get<std::string>();
    options.progress = document.at("progress").get<std::string>();
    return options;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} has a value that flopcast did not write: {}", mpi_options_variable, error.what());
  }
}

}  // namespace flopcast::interpose
