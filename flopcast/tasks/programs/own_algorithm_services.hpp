#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/advice.hpp"

/// Programs with parameters are tuned through these functions. Tests have services of their own.
namespace flopcast {

/// Calls of one routine with the same flags and sizes.
struct SameCalls {
  std::int64_t calls = 0;
  double work = 0;  ///< flops and bytes of one of them
};

/// One recorded run of a program.
struct RecordedSetting {
  int exit_code = 0;
  bool timed_out = false;
  Seconds elapsed = 0;
  Seconds start_deviation = 0;  ///< standard deviation of the time by which recording delays a start, which `elapsed` doesn't contain
  std::vector<CandidatePart> parts;
  std::map<std::string, SameCalls> calls;  ///< calls by routine, flags and sizes
};

struct ProgramTuneServices {
  /// Runs and records a program, dry or with all calls executed.
  std::function<RecordedSetting(const std::vector<std::string>& command, bool dry)> record;
  /// Returns a ranking of candidates, of which later calls of the second function change the time of everything but kernels.
  std::function<CandidateRanking(std::vector<Candidate> candidates, Seconds time_budget)> rank;
  std::function<CandidateRanking(std::size_t candidate, Seconds change, Seconds deviation)> rank_again;
  std::function<std::string()> place;  ///< libraries of the ranking: "openblas 0.3.21 with 1 thread"
  std::function<CommandRace(const RaceRequest&)> race;
  std::function<Seconds()> clock;  ///< seconds since some moment
};

/// Returns the parts of a recorded program, which ran for `elapsed`: threads and processes that made calls at the same time are different
/// parts, those that followed each other are one.
std::vector<CandidatePart> parts_of(const program::RecordedProgram& program, Seconds elapsed);
/// Returns the share of its time in which a program of one thread had a core, if other programs kept cores busy; otherwise 1.
double share_of_core(const program::ProgramSummary& summary);
/// Returns the numbers of calls of a recorded program.
std::map<std::string, SameCalls> calls_of(const program::RecordedProgram& program);

/// Does the same as tune_program(bench, request, context) with these services.
ProgramTuning tune_program(const ProgramTuneRequest& request, const ProgramTuneServices& services, const RunContext& context);

}  // namespace flopcast
