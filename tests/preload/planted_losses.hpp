#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

/// Findings about planted_program.c with 3 processes, which hold with either clock: `found` is a profile or a simulation, and `seconds` the
/// time of the run.
namespace flopcast::preload {

/// Checks the longest wait: its kind, and who waited for whom in at least 40 % of the run. Nobody waits if `kind` is empty.
inline void expect_longest_wait(const nlohmann::json& found, double seconds, const std::string& kind, int rank, int awaited) {
  const nlohmann::json& waits = found.at("waits");
  if (kind.empty()) {
    EXPECT_LT(waits.empty() ? 0 : waits.at(0).at("seconds").get<double>(), 0.15 * seconds) << waits;
    return;
  }
  ASSERT_FALSE(waits.empty());
  const auto is_it = [&](const nlohmann::json& wait) {
    return wait.at("kind") == kind && wait.at("rank") == rank && wait.value("awaited_rank", nlohmann::json()) == awaited;
  };
  double waited = 0;
  for (const nlohmann::json& wait : waits) {
    waited += is_it(wait) ? wait.at("seconds").get<double>() : 0;
  }
  EXPECT_GT(waited, 0.4 * seconds) << waits;
}

inline void expect_efficiency(const nlohmann::json& found, const char* which, double min, double max) {
  const double value = found.at("efficiencies").at(which);
  EXPECT_GE(value, min) << which << found.at("efficiencies");
  EXPECT_LE(value, max) << which << found.at("efficiencies");
}

/// Checks that the program's own code, which is all that it has, is on the path.
inline void expect_own_code(const nlohmann::json& found) {
  const double own = found.at("own_code_seconds");
  const double computation = found.at("path").at("computation_seconds");
  double regions = 0;
  for (const nlohmann::json& kernel : found.at("kernels")) {
    regions += kernel.at("kind") == "communication" ? 0 : kernel.at("along").at("seconds").get<double>();
  }
  EXPECT_NEAR(own + regions, computation, 1e-3 * computation);
  EXPECT_GT(computation, 0.5 * found.at("path").at("seconds").get<double>());
}

inline void expect_late_sender(const nlohmann::json& found, double seconds) {
  expect_longest_wait(found, seconds, "late sender", 1, 0);
  expect_efficiency(found, "load_balance", 0.3, 0.5);
  expect_own_code(found);
  EXPECT_LT(found.at("path").at("seconds"), 1.2 * seconds) << "the wait isn't on the path beside the sender's work";
}

/// Returns the seconds in which process `rank` was in an activity, by the timeline.
inline double shown_seconds(const nlohmann::json& found, std::size_t rank, const char* activity) {
  const nlohmann::json& timeline = found.at("timeline");
  double sum = 0;
  for (const nlohmann::json& part : timeline.at("processes").at(rank).at(activity)) {
    sum += part.get<double>() * timeline.at("bin_seconds").get<double>();
  }
  return sum;
}

inline void expect_timeline_of_late_sender(const nlohmann::json& found, double seconds) {
  EXPECT_GT(shown_seconds(found, 0, "own_code"), 0.6 * seconds);
  EXPECT_LT(shown_seconds(found, 0, "waiting"), shown_seconds(found, 1, "waiting"));
  EXPECT_GT(shown_seconds(found, 0, "on_path"), 0.6 * seconds) << "the sender's work determines the time";
  EXPECT_GT(shown_seconds(found, 1, "waiting"), 0.6 * seconds);
  const nlohmann::json& timeline = found.at("timeline");
  const double shown = timeline.at("bin_seconds").get<double>() * static_cast<double>(timeline.at("processes").at(0).at("on_path").size());
  EXPECT_LT(shown_seconds(found, 0, "on_path") + shown_seconds(found, 1, "on_path"), 1.01 * shown)
      << "the path is in one process at a time";
}

inline void expect_late_receiver(const nlohmann::json& found, double seconds) {
  expect_longest_wait(found, seconds, "late receiver", 0, 1);
}

inline void expect_imbalance(const nlohmann::json& found, double seconds) {
  expect_longest_wait(found, seconds, "collective", 0, 2);
  expect_efficiency(found, "load_balance", 0.55, 0.8);
  expect_efficiency(found, "serialisation", 0.8, 1);
  expect_own_code(found);
}

inline void expect_serialisation(const nlohmann::json& found) {
  expect_efficiency(found, "load_balance", 0.8, 1);
  expect_efficiency(found, "serialisation", 0.3, 0.5);
  expect_efficiency(found, "transfer", 0.6, 1);
  expect_own_code(found);
}

inline void expect_no_loss(const nlohmann::json& found, double seconds) {
  expect_longest_wait(found, seconds, "", 0, 0);
  expect_efficiency(found, "parallel", 0.8, 1);
  expect_efficiency(found, "serialisation", 0.8, 1);
  expect_own_code(found);
}

}  // namespace flopcast::preload
