#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/own_code.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/what_if_services.hpp"

/// The rules by which a recording is examined. Each rule rests on recorded facts; nothing is found where they are missing.
namespace flopcast {

/// The facts that the rules look at.
struct DiagnosisFacts {
  const program::RecordedProgram& program;
  const program::ProgramBreakdown& breakdown;
  const program::RecordedPlace& place;
  bool misread_kernels = false;                                 ///< the kernels of BLAS suit another CPU
  std::string kernel_variable;                                  ///< variable that selected these kernels; empty: BLAS chose them
  std::string kernels;                                          ///< a sentence on them
  double cpus = 1;                                              ///< CPUs' worth of time that the program has: cores, affinity and quota
  std::string fast_blas;                                        ///< the best installed BLAS; empty: there is none but the reference
  std::optional<PeakRate> peak;                                 ///< nothing if it isn't known
  std::function<bool(const std::string& blas)> has_one_thread;  ///< tells whether a library has one thread only
  bool anonymous = false;                                       ///< remedies have no arguments of the program
  double callers = 1;                                           ///< threads that are in calls at once, on average while one is
};

/// Returns the number of threads that are in calls at once, on average over the time in which at least one is; 0 without timed calls.
double concurrent_callers(const program::RecordedProgram& program);

/// A change whose gain is to be predicted, with the finding that it becomes if the gain is certain.
struct ExaminedChange {
  WhatIf change;
  Finding finding;
};

/// Returns the changes that recorded facts suggest: other threads, another BLAS, other kernels, other block sizes.
std::vector<ExaminedChange> suggested_changes(const DiagnosisFacts& facts);

/// Returns the finding if the answer says that the change saves time for certain, and at least a hundredth of the program's. Otherwise the
/// reason goes to `examined`.
std::optional<Finding> judged(const ExaminedChange& change, const WhatIfResult& answer, const DiagnosisFacts& facts,
                              std::vector<std::string>& examined);

/// Returns the call with operands as BLAS likes them: the elements of vectors are neighbours, and matrices of gemm aren't transposed.
Call with_plain_operands(const Call& call);

/// Returns the shape with most time whose calls with_plain_operands() changes, as text; "" if none takes a noticeable time.
std::string unusual_layout(const DiagnosisFacts& facts);

/// A time that models expect, and its standard deviation.
struct ExpectedTime {
  Seconds seconds = 0, deviation = 0;
  bool extrapolated = false;  ///< calls of the program that take over a tenth of its time are larger than those that were sampled
};

/// Returns the routines some of whose calls with_plain_operands() changes, as indices into ProgramSummary::names.
std::set<std::uint32_t> routines_of_unusual_layout(const program::ProgramBreakdown& breakdown);

/// Returns the finding about operands if the models say that plain ones certainly save time of these routines, which took `seconds`.
/// Otherwise the reason goes to `examined`.
std::optional<Finding> judged_layout(const DiagnosisFacts& facts, Seconds seconds, const ExpectedTime& recorded, const ExpectedTime& plain,
                                     std::vector<std::string>& examined);

/// Returns the time that the models expect of a routine (an index into ProgramSummary::names) where each of the program's calls is changed;
/// nothing if it can't be predicted.
using Expectation = std::function<std::optional<ExpectedTime>(std::uint32_t name, const std::function<Call(const Call&)>& change)>;

/// Returns the findings about drivers of LAPACK that another one of the same job certainly beats. Those that none beats go to `examined`.
std::vector<Finding> driver_findings(const DiagnosisFacts& facts, const Expectation& expectation, std::vector<std::string>& examined);

/// Returns the findings that the recording shows by itself: other programs, first calls, denormal and invalid numbers, small calls,
/// contractions without BLAS.
std::vector<Finding> recorded_findings(const DiagnosisFacts& facts);

/// Returns whether small calls take a noticeable time, so that recorded_findings() needs the peak.
bool has_small_calls(const program::ProgramBreakdown& breakdown);

/// Everything outside of the recording that a diagnosis depends on. Tests have services of their own.
struct DoctorServices {
  WhatIfServices what_if;
  std::function<std::string(int threads)> fast_blas;  ///< the best installed BLAS for so many threads; empty: none but the reference
  std::function<std::optional<PeakRate>(const program::RecordedPlace&)> peak;
  SourceLines source_lines = [](const std::string&, const std::vector<std::uint64_t>&) { return std::vector<std::string>(); };
};

/// Diagnoses a recording. `facts` have what doesn't come from `services`.
ProgramDiagnosis diagnose(DiagnosisFacts facts, Seconds time_budget, const DoctorServices& services, const RunContext& context);

}  // namespace flopcast
