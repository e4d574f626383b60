#include "flopcast/tasks/roofline/gemm_study.hpp"

#include <algorithm>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

void require_techniques(const roofline::StudyOptions& options) {
  std::for_each(options.techniques.begin(), options.techniques.end(), roofline::require_technique);
  if (options.order && std::all_of(options.techniques.begin(), options.techniques.end(), roofline::searches_in_one_process)) {
    throw usage_error("an order of shapes is for the published techniques; race and halving take the shapes in random order");
  }
}

/// Returns the number of shapes that the searches have done.
std::int64_t shapes_done(const roofline::StudyState& state, std::size_t shapes) {
  std::size_t done = 0;
  for (const roofline::StudyRun& run : state.runs) {
    done += run.complete ? shapes : run.finished.size();
  }
  return static_cast<std::int64_t>(done);
}

/// Runs what a study lacks, or as much of it as there is time for until `deadline`. Returns false if it wasn't all.
bool run_study_until(Seconds deadline, GemmSearchStudy& study, const roofline::GemmSetup& setup, const GemmSearchStudyRequest& request,
                     StudyMachine& machine, const RunContext& context) {
  const std::size_t shapes = request.space.shapes.size();
  const std::string key = machine.key(setup, request);
  if (auto kept = request.fresh ? std::nullopt : machine.kept(key, shapes)) {
    study.state = std::move(*kept);
    context.note(fmt::format("{}: going on with what was kept of this study; --fresh begins anew", counted(study.threads, "thread")));
  }
  roofline::StudySources sources;
  sources.invoke = machine.invocation(setup, request.space);
  sources.evaluator = [&] { return machine.evaluator(setup, request.space); };
  sources.clock = [&] { return machine.now(); };
  sources.interrupted = context.cancelled;
  sources.until = deadline;
  const auto expected =
      static_cast<std::int64_t>(request.options.techniques.size() * static_cast<std::size_t>(request.options.trials) * shapes);
  sources.keep = [&, show = context.step("study")](const roofline::StudyState& now) {
    machine.keep(key, now);
    show(shapes_done(now, shapes), expected);
  };
  const bool complete = run_study(shapes, sources, request.options, study.state);
  study.rows = summarise(study.state, request.options);
  return complete;
}

}  // namespace

RooflineStudy study_gemm_searches(const GemmSearchStudyRequest& request, StudyMachine& machine, const RunContext& context) {
  require_techniques(request.options);
  std::vector<roofline::GemmSetup> setups;
  for (const int threads : request.threads) {
    setups.push_back(machine.setup(request, threads));
  }
  RooflineStudy result{request.space.shapes, request.options.tolerance, request.options.judge_space, true, {}};
  for (std::size_t i = 0; i < setups.size(); ++i) {
    GemmSearchStudy study{setups[i].library, setups[i].threads, setups[i].settings, {}, {}};
    const Seconds now = machine.now(), share = (request.time_budget - now) / static_cast<double>(setups.size() - i);
    result.complete = run_study_until(now + share, study, setups[i], request, machine, context) && result.complete;
    result.studies.push_back(std::move(study));
  }
  return result;
}

}  // namespace flopcast
