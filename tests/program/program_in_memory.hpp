#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// A recording in memory.
struct ProgramTrace {
  ProgramSummary summary;
  std::vector<std::vector<ProgramEvent>> events;  ///< per thread of the summary, in order
};

/// A recording in memory that is read as one in a file is.
class ProgramInMemory : public RecordedProgram {
 public:
  explicit ProgramInMemory(ProgramTrace trace) : trace_(std::move(trace)) {}

  [[nodiscard]] const ProgramSummary& summary() const noexcept override { return trace_.summary; }
  void visit(std::size_t thread, const std::function<void(const ProgramEvent&)>& visit) const override {
    for (const ProgramEvent& event : trace_.events.at(thread)) {
      visit(event);
    }
  }

 private:
  ProgramTrace trace_;
};

/// Reads a whole file. Throws as ProgramTraceFile does.
inline ProgramTrace read_program_trace(const std::filesystem::path& path) {
  const ProgramTraceFile file(path);
  ProgramTrace trace;
  trace.summary = file.summary();
  trace.events.resize(trace.summary.threads.size());
  for (std::size_t t = 0; t < trace.events.size(); ++t) {
    file.visit(t, [&](const ProgramEvent& event) { trace.events[t].push_back(event); });
  }
  return trace;
}

}  // namespace flopcast::program
