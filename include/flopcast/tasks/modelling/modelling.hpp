#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/session_options.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Models of kernels and samples of calls, for `flopcast model` and `flopcast sample`. Models and samples are kept in the
/// workbench's store. The functions throw bad_input for a wrong request, environment_error where a library or the store can't be opened,
/// and Cancelled where the context cancels them.
namespace flopcast {

/// Sizes from `low` to `high`, both included.
struct SizeRange {
  std::int64_t low = 0, high = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// The published ways of building a model.
enum class ModelMethod : std::uint8_t {
  refine,  ///< adaptive refinement (Peise and Bientinesi 2014)
  levels,  ///< a polynomial per memory level (Iakymchuk 2011)
};

/// A routine that is to be modelled over ranges of its sizes.
struct ModelRequest {
  std::string routine;
  std::map<std::string, std::vector<SizeRange>> sizes;
  std::map<std::string, std::string> arguments = {};
  std::string cache = "warm";
  ModelMethod method = ModelMethod::refine;
  model::RefinementOptions refinement = {};
  model::LevelsOptions levels = {};  ///< its min_width isn't used: that of `refinement` holds for both methods
  std::int64_t max_repetitions = 7;
  std::uint64_t seed = 1;
  Duration time_budget = 0;
  bool fresh = false;
  bool thresholds = true;
};

/// Which of the stored models are meant.
struct ModelListRequest {
  bool other_machines = false;
};
struct ModelNameRequest {
  std::string name;
  bool other_machines = false;
};

/// A model that was built and stored.
struct ModelBuild {
  model::Model model;
  bool replaced = false;  ///< the store held a model of this key before
  friend bool operator==(const ModelBuild&, const ModelBuild&) = default;
};

/// Builds the model and stores it. Samples are stored as they come, and a later run uses them. Throws unusable_measurement if the time
/// budget is too short for a first model.
ModelBuild build_model(const Workbench& bench, const ModelRequest& request, const RunContext& context = {});

/// The points that a build would begin with.
struct ModelPlan {
  ModelKey key;
  ModelMethod method = ModelMethod::refine;
  std::int64_t points = 0;  ///< number at first; with ModelMethod::levels the least number per memory level
  std::int64_t known = 0;   ///< number of points in the domain whose times the store has
  friend bool operator==(const ModelPlan&, const ModelPlan&) = default;
};
ModelPlan plan_model(const Workbench& bench, const ModelRequest& request, const RunContext& context = {});

/// A stored model without its pieces.
struct ModelSummary {
  std::string name;
  ModelKey key;
  std::string generator;           ///< "refined" or "levels"
  std::vector<std::string> sizes;  ///< names of the sizes
  std::vector<model::Box> domain;
  std::int64_t pieces = 0;
  std::int64_t samples = 0;    ///< number of measured points
  Seconds seconds = 0;         ///< time spent on measuring
  double largest_error = 0;    ///< relative error at a sample
  bool other_machine = false;  ///< the model is of another machine or library than the workbench
  friend bool operator==(const ModelSummary&, const ModelSummary&) = default;
};

/// Models of a store, by name.
struct ModelList {
  std::vector<ModelSummary> models;
  std::int64_t hidden = 0;  ///< number of models of other machines and libraries that aren't in `models`
  friend bool operator==(const ModelList&, const ModelList&) = default;
};
/// Lists the stored models of the workbench's environment, or all of them. Libraries are opened only if the store has models.
ModelList list_models(const Workbench& bench, bool other_machines = false);

/// Returns the stored model with this name, or the only one whose name begins so: of the workbench's environment, or of any. Throws
/// bad_input with the nearest names if there is none, and with all names that begin so if there are several.
model::Model find_model(const Workbench& bench, const std::string& name, bool other_machines = false);

/// Deletes the stored model with this name, or the only one whose name begins so, whatever machine it is of. Its samples are kept. Returns
/// the name. Throws as find_model.
std::string delete_model(const Workbench& bench, const std::string& name);

/// Returns the largest relative error of a model at its samples.
double largest_error(const model::Model& model);

/// The way in which calls are sampled.
struct SampleRequest {
  std::vector<std::string> calls;  ///< not used where calls are given beside the request
  std::vector<std::string> caches = {"warm"};
  std::int64_t repetitions = 0;
  double interval = 0;
  Duration time_budget = 0;
  std::int64_t batch = 0;
  measure::Clock clock = measure::Clock::wall;
  std::uint64_t seed = 1;
  bool normalise = true;
  bool keep = true;
};

/// A sample with the call and the cache state as the user wrote them.
struct SampledCall {
  Call call;
  std::string cache;  ///< "A=L2,B=memory"
  Sample sample;      ///< without repetitions if sampling ended before
  friend bool operator==(const SampledCall&, const SampledCall&) = default;
};

/// Options that were in force while calls were sampled.
struct SamplingRule {
  measure::Clock clock = measure::Clock::wall;
  std::uint64_t seed = 1;
  bool normalise = true;
  Seconds reference_seconds = 0;  ///< time of the reference kernel that counts as a drift of 1
  std::int64_t min_repetitions = 0, max_repetitions = 0;
  double relative_interval = 0;
  double confidence = 0;
  friend bool operator==(const SamplingRule&, const SamplingRule&) = default;
};

struct SampleResult {
  Environment environment;
  std::string huge_pages;  ///< the system's setting of transparent huge pages: "always", "madvise", "never" or "unknown"
  SamplingRule rule;
  std::vector<SampledCall> samples;  ///< in the order of the calls, and for each call in that of the cache states
  friend bool operator==(const SampleResult&, const SampleResult&) = default;
};

/// Times `calls` (kernel::expand_calls() makes them from text) in each cache state, all in one shuffled run, with the workbench's threads.
/// If the context cancels, the result has the repetitions so far; no exception is thrown.
SampleResult sample(const Workbench& bench, std::span<const Call> calls, const SampleRequest& request = {}, const RunContext& context = {});

/// Times the calls that the request has as texts.
SampleResult sample(const Workbench& bench, const SampleRequest& request, const RunContext& context = {});

/// A call that sample() would time.
struct PlannedSample {
  Call call;
  std::string cache;
  std::int64_t batch = 1;  ///< number of calls that are timed together
  friend bool operator==(const PlannedSample&, const PlannedSample&) = default;
};
std::vector<PlannedSample> plan_samples(const Workbench& bench, std::span<const Call> calls, const SampleRequest& request = {});

/// Results as JSON documents and back. Equal values are read as were written. The readers throw bad_input for damaged documents.
std::string to_json(const ModelBuild& build);  ///< the model's document {"schema": "flopcast-model-1", ...} with the member "replaced"
ModelBuild model_build_from_json(std::string_view text);
std::string to_json(const model::Model& model);
model::Model model_from_json(std::string_view text);
std::string to_json(const ModelPlan& plan);
ModelPlan model_plan_from_json(std::string_view text);
std::string to_json(const ModelList& list);
ModelList model_list_from_json(std::string_view text);
std::string to_json(const SampleResult& result);
std::string to_json(const std::vector<PlannedSample>& plan);  ///< {"schema": "flopcast-sample-plan-1", "samples": [...]}
std::vector<PlannedSample> sample_plan_from_json(std::string_view text);
SampleResult sample_result_from_json(std::string_view text);

template <>
Fields FieldTable<ModelRequest>::fields();
template <>
Fields FieldTable<ModelListRequest>::fields();
template <>
Fields FieldTable<ModelNameRequest>::fields();
template <>
Fields FieldTable<SampleRequest>::fields();

}  // namespace flopcast
