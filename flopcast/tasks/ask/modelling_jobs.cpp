#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/kernel/call_list.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/ask/size_list.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {
namespace {

struct MachineQuestion {
  bool refresh = false, quick = false;
};

/// Ranges of a size: [[8, 128], [512, 1024]].
using Ranges = std::vector<std::array<std::int64_t, 2>>;

struct ModelQuestion {
  std::string routine;
  std::map<std::string, Ranges> sizes;
  std::map<std::string, std::string> arguments;
  std::string cache = ModelRequest().cache;
  std::string method = "refine";
  double error_bound = model::RefinementOptions().error_bound;
  std::int64_t min_size = model::RefinementOptions().min_size, min_width = model::RefinementOptions().min_width;
  int degree = model::RefinementOptions().degree, oversampling = model::RefinementOptions().oversampling;
  int max_depth = model::RefinementOptions().max_depth;
  int measurements = model::LevelsOptions().measurements;
  std::int64_t max_repetitions = ModelRequest().max_repetitions;
  std::uint64_t seed = 1;
  Seconds time_budget = 0;
  bool fresh = false, thresholds = true;
};

struct ModelListQuestion {
  bool other_machines = false;
};

struct ModelNameQuestion {
  std::string name;
  bool other_machines = false;
};

struct SampleQuestion {
  std::vector<std::string> calls;
  std::vector<std::string> caches = SampleRequest().caches;
  std::int64_t repetitions = 0, batch = 0;
  double interval = 0;
  Seconds time_budget = 0;
  std::string clock = "wall";
  std::uint64_t seed = 1;
  bool normalise = true, keep = true;
};

/// A stored model, whose document has nothing beside the model.
struct ShownModel {
  model::Model model;
};
std::string to_json(const ShownModel& shown) { return flopcast::to_json(shown.model); }

ModelRequest request_of(const ModelQuestion& question) {
  ModelRequest request;
  request.routine = question.routine;
  for (const auto& [name, ranges] : question.sizes) {
    for (const auto& [low, high] : ranges) {
      request.sizes[name].push_back({low, high});
    }
  }
  request.arguments = question.arguments;
  request.cache = question.cache;
  if (question.method != "refine" && question.method != "levels") {
    throw MemberError("method", "'" + question.method + "' given, expected refine or levels");
  }
  request.method = question.method == "levels" ? ModelMethod::levels : ModelMethod::refine;
  request.refinement.error_bound = question.error_bound;
  request.refinement.min_size = question.min_size;
  request.refinement.min_width = question.min_width;
  request.refinement.degree = question.degree;
  request.refinement.oversampling = question.oversampling;
  request.refinement.max_depth = question.max_depth;
  request.levels.measurements = question.measurements;
  request.levels.min_width = question.min_width;
  request.max_repetitions = question.max_repetitions;
  request.seed = question.seed;
  request.time_budget = question.time_budget;
  request.fresh = question.fresh;
  request.thresholds = question.thresholds;
  return request;
}

std::vector<Call> calls_of(const std::vector<std::string>& texts) {
  std::vector<Call> calls;
  for (const std::string& text : texts) {
    const std::vector<Call> more = kernel::expand_calls(text);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  if (calls.empty()) {
    throw MemberError("calls", "there are no calls, expected at least one such as \"dgemm m=100 n=100 k=100\"");
  }
  return calls;
}

SampleRequest request_of(const SampleQuestion& question) {
  if (question.clock != "wall" && question.clock != "cpu") {
    throw MemberError("clock", "'" + question.clock + "' given, expected wall or cpu");
  }
  SampleRequest request;
  request.caches = question.caches;
  request.repetitions = question.repetitions;
  request.interval = question.interval;
  request.time_budget = question.time_budget;
  request.batch = question.batch;
  request.clock = question.clock == "cpu" ? measure::Clock::cpu : measure::Clock::wall;
  request.seed = question.seed;
  request.normalise = question.normalise;
  request.keep = question.keep;
  return request;
}

}  // namespace

template <>
struct FieldTable<MachineQuestion> {
  static constexpr auto fields =
      std::tuple(optional_field("refresh", &MachineQuestion::refresh, "measure caches and memory again, which takes up to 15 s"),
                 optional_field("quick", &MachineQuestion::quick, "measure caches and memory with a coarser sweep"));
};
template <>
struct FieldTable<ModelQuestion> {
  using T = ModelQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given, field("routine", &T::routine, "routine of the catalogue, such as \"dtrsm\"")),
      within(bounds::given,
             field("sizes", &T::sizes, "ranges of every size by name: {\"m\": [[8, 1024]]}; several ranges make several domains")),
      optional_field("arguments", &T::arguments, "flags, scalars and leading dimensions by name: {\"side\": \"L\"}"),
      optional_field("cache", &T::cache, "state of the caches: warm, cold, cold:sweep, cold:fresh, or a cache such as L2"),
      optional_field("method", &T::method, "refine (adaptive refinement) or levels (a polynomial per memory level)"),
      within(bounds::fraction,
             optional_field("error_bound", &T::error_bound, "largest relative error of a piece before it is subdivided, 0 to 1")),
      optional_field("min_size", &T::min_size, "least width of a piece, in elements"),
      optional_field("min_width", &T::min_width, "spacing of sampled sizes"),
      optional_field("degree", &T::degree, "degree of the polynomials"),
      optional_field("oversampling", &T::oversampling, "points per size beyond degree + 1"),
      optional_field("max_depth", &T::max_depth, "largest number of subdivisions"),
      optional_field("measurements", &T::measurements, "points per memory level, of method levels"),
      within(bounds::between(1, 10000),
             optional_field("max_repetitions", &T::max_repetitions, "largest number of executions of each point")),
      optional_field("seed", &T::seed, "seed of the order of repetitions"),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds after which refinement stops; 0: no limit")),
      optional_field("fresh", &T::fresh, "sample anew what the store already has"),
      optional_field("thresholds", &T::thresholds, "with several threads, look for the work from which on they are used"));
};
template <>
struct FieldTable<ModelListQuestion> {
  static constexpr auto fields =
      std::tuple(optional_field("other_machines", &ModelListQuestion::other_machines, "list models of other machines, too"));
};
template <>
struct FieldTable<ModelNameQuestion> {
  static constexpr auto fields =
      std::tuple(within(bounds::given, field("name", &ModelNameQuestion::name, "name of the model, or the beginning of one name only")),
                 optional_field("other_machines", &ModelNameQuestion::other_machines, "look among models of other machines, too"));
};
template <>
struct FieldTable<ModelCheckRequest> {
  using T = ModelCheckRequest;
  static constexpr auto fields =
      std::tuple(optional_field("routines", &T::routines, "routines whose kernels are checked; empty: all that have samples"),
                 within(bounds::positive_seconds, optional_field("time_budget", &T::time_budget, "seconds, above 0")),
                 within(bounds::between(3, 1000), optional_field("repetitions", &T::repetitions, "runs of each point, 3 to 1000")),
                 optional_field("seed", &T::seed, "seed of the choice of points and of the order of runs"));
};
template <>
struct FieldTable<SampleQuestion> {
  using T = SampleQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::given, field("calls", &T::calls, "calls as texts: [\"dgemm m=100:500:100 n=100 k=100\"]")),
      within(bounds::given, optional_field("caches", &T::caches, "cache states; each call is sampled in each")),
      within(bounds::between(0, 1e6),
             optional_field("repetitions", &T::repetitions, "executions of each call; 0: 7, down to 3 for calls over 30 ms")),
      within(bounds::fraction,
             optional_field("interval", &T::interval, "repeat until the median's 99 % interval lies within +- this fraction; 0: off")),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds after which sampling stops; 0: no limit")),
      within(bounds::between(0, 1e6),
             optional_field("batch", &T::batch, "calls that are timed together; 0: as many as take 20 microseconds")),
      optional_field("clock", &T::clock, "wall (elapsed time) or cpu (processor time)"),
      optional_field("seed", &T::seed, "seed of the random order and of the operands' values"),
      optional_field("normalise", &T::normalise, "divide times by the drift of the reference kernel"),
      optional_field("keep", &T::keep, "keep every repetition in the store"));
};

std::vector<Job> modelling_jobs() {
  return {
      job<MachineQuestion>("machine", "Report on this machine: cores, caches, clocks, noise, libraries", "flopcast-machine-2",
                           DoneIn::own_process,
                           [](const Workbench&, const MachineQuestion& question, const RunContext& context) {
                             return inspect_machine({question.refresh, question.quick, {}}, context);
                           }),
      job<ModelQuestion>("model", "Sample a routine over ranges of its sizes and store the model", "flopcast-model-1", DoneIn::own_process,
                         [](const Workbench& bench, const ModelQuestion& question, const RunContext& context) {
                           return build_model(bench, request_of(question), context);
                         }),
      job<ModelQuestion>("model_plan", "Say how many points a model would begin with", "flopcast-model-plan-1", DoneIn::own_process,
                         [](const Workbench& bench, const ModelQuestion& question, const RunContext& context) {
                           return plan_model(bench, request_of(question), context);
                         }),
      job<ModelListQuestion>("model_list", "List the stored models", "flopcast-models-2", DoneIn::any_process,
                             [](const Workbench& bench, const ModelListQuestion& question, const RunContext&) {
                               return list_models(bench, question.other_machines);
                             }),
      job<ModelNameQuestion>("model_show", "Return a stored model", "flopcast-model-1", DoneIn::any_process,
                             [](const Workbench& bench, const ModelNameQuestion& question, const RunContext&) {
                               return ShownModel{find_model(bench, question.name, question.other_machines)};
                             }),
      job<ModelCheckRequest>("model_check", "Measure samples of models again, and replace those that no longer hold",
                             "flopcast-model-check-1", DoneIn::own_process,
                             [](const Workbench& bench, const ModelCheckRequest& request, const RunContext& context) {
                               return check_models(bench, request, context);
                             }),
      job<SampleQuestion>("sample", "Time calls of BLAS and LAPACK routines in stated cache states", "flopcast-samples-3",
                          DoneIn::own_process,
                          [](const Workbench& bench, const SampleQuestion& question, const RunContext& context) {
                            return sample(bench, calls_of(question.calls), request_of(question), context);
                          }),
  };
}

}  // namespace flopcast
