#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/tasks/programs/doctor_findings.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/program/program_in_memory.hpp"

namespace flopcast::tests {

inline Call product(std::int64_t n) { return kernel::call("dgemm", {'N', 'N', n, n, n, 0x100000, n, 0x200000000, n, 0x300000000, n}); }

/// A recording that a test makes call by call. Each thread's calls follow one another without pauses.
class RecordedInMemory : public ::testing::Test {
 protected:
  RecordedInMemory() {
    trace_.summary.names = {"dgemm"};
    trace_.summary.finished = true;
    trace_.summary.loaded = 1;
    trace_.summary.command = {"./solve", "big case"};
    place_.blas = "openblas-pthread";
    place_.threads = 1;
    add_thread();
  }

  void add_thread() {
    trace_.summary.threads.push_back({100, static_cast<std::uint32_t>(200 + trace_.events.size())});
    trace_.events.emplace_back();
  }

  /// Adds `count` calls of `seconds` each to the last thread, and returns the last one.
  program::ProgramEvent& add(int count, std::int64_t order, Seconds seconds) {
    std::vector<program::ProgramEvent>& events = trace_.events.back();
    for (int i = 0; i < count; ++i) {
      const Seconds now = events.empty() ? 0 : events.back().start + events.back().seconds;
      program::ProgramEvent event;
      event.call = product(order);
      event.start = now;
      event.seconds = seconds;
      events.push_back(event);
      trace_.summary.seconds = std::max(trace_.summary.seconds, now + seconds);
    }
    return events.back();
  }

  /// Makes the facts of the recording, which live as long as the test.
  DiagnosisFacts& facts() {
    program_ = std::make_unique<program::ProgramInMemory>(trace_);
    breakdown_ = std::make_unique<program::ProgramBreakdown>(*program_);
    facts_ = std::make_unique<DiagnosisFacts>(DiagnosisFacts{*program_, *breakdown_, place_});
    facts_->cpus = cpus_;
    facts_->fast_blas = "openblas-pthread";
    facts_->has_one_thread = [](const std::string& blas) { return blas == "reference" || blas == "openblas-serial"; };
    facts_->callers = concurrent_callers(*program_);
    return *facts_;
  }

  double cpus_ = 2;
  program::ProgramTrace trace_;
  program::RecordedPlace place_;
  std::unique_ptr<program::ProgramInMemory> program_;
  std::unique_ptr<program::ProgramBreakdown> breakdown_;
  std::unique_ptr<DiagnosisFacts> facts_;
};

}  // namespace flopcast::tests
