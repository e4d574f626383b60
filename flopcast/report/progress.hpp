#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "flopcast/support/units.hpp"

namespace flopcast::report {

/// Returns one line of progress: `measuring  [######------]  42 %  12/28  18 s left`, at most `width` columns.
std::string progress_line(const std::string& label, std::int64_t done, std::int64_t expected, Seconds elapsed, std::size_t width);

/// Shows progress on standard error after the first second, and removes its line at the end.
class ProgressBar {
 public:
  /// Shows nothing unless `enabled`: the caller passes whether standard error is a terminal and the user wants progress.
  ProgressBar(std::string label, bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::int64_t done, std::int64_t expected);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_, last_;
};

}  // namespace flopcast::report
