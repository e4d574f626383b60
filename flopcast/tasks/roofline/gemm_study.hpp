#pragma once

#include <memory>
#include <optional>
#include <string>

#include "flopcast/roofline/gemm_roof.hpp"
#include "flopcast/roofline/study.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/roofline/request.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {

/// Everything that a study of searches asks of the machine and the store. Tests have a fake one.
class StudyMachine {
 public:
  StudyMachine() = default;
  StudyMachine(const StudyMachine&) = delete;
  StudyMachine& operator=(const StudyMachine&) = delete;
  virtual ~StudyMachine() = default;

  virtual Seconds now() = 0;  ///< time since the study began
  /// Returns the library, its settings and its CPUs for a number of threads.
  virtual roofline::GemmSetup setup(const GemmSearchStudyRequest& request, int threads) = 0;
  /// Returns a key that tells studies apart that can't be continued by each other.
  virtual std::string key(const roofline::GemmSetup& setup, const GemmSearchStudyRequest& request) = 0;
  /// Returns the kept state of a study of `count` shapes; nothing if there is none or it is damaged.
  virtual std::optional<roofline::StudyState> kept(const std::string& key, std::size_t count) = 0;
  virtual void keep(const std::string& key, const roofline::StudyState& state) = 0;
  /// The space must outlive the returned functions. Costs are seconds per flop.
  virtual search::Invocation invocation(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) = 0;
  virtual search::Evaluator evaluator(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) = 0;
};

/// Runs the studies of all numbers of threads, which share the time budget. Throws as the facade's function.
RooflineStudy study_gemm_searches(const GemmSearchStudyRequest& request, StudyMachine& machine, const RunContext& context);

/// Returns this machine with the workbench's store.
std::unique_ptr<StudyMachine> this_study_machine(const Workbench& bench, const RunContext& context);

}  // namespace flopcast
