#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/documents.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"

namespace flopcast {

template <>
Fields FieldTable<ModelPlan>::fields() {
  return {field<&T::key>("calls that the model is of"), field<&T::method>("way of building the model"),
          field<&T::points>("number at first; with method levels the least number per memory level"),
          field<&T::known>("number of points in the domain whose times the store has")};
}

template <>
Fields FieldTable<ModelSummary>::fields() {
  return {field<&T::name>("name of the model"),
          field<&T::key>("calls that the model is of"),
          field<&T::generator>("\"refined\" or \"levels\""),
          field<&T::sizes>("names of the sizes"),
          field<&T::domain>("sizes that the model covers"),
          field<&T::pieces>("number of polynomials"),
          field<&T::samples>("number of sampled points, each one choice of the sizes"),
          field<&T::seconds>("time spent on measuring"),
          field<&T::largest_error>("largest relative error at a sampled size").measured_in("fraction", Best::small),
          field<&T::other_machine>("the model is of another machine or library than the workbench")};
}

template <>
Fields FieldTable<ModelList>::fields() {
  return {field<&T::models>("models by name"),
          optional_field<&T::hidden>("number of models of other machines and libraries that the list lacks")};
}

template <>
Fields FieldTable<SamplingRule>::fields() {
  return {field<&T::clock>("clock of the times"),
          field<&T::seed>("seed of the random order and of the operands' values"),
          field<&T::normalise>("times are divided by the drift of the reference kernel"),
          field<&T::reference_seconds>("time of the reference kernel that counts as a drift of 1"),
          field<&T::min_repetitions>("least number of executions of each call"),
          field<&T::max_repetitions>("largest number of executions of each call"),
          field<&T::relative_interval>("width of the median's interval at which sampling stops, relative to the median; 0: off"),
          field<&T::confidence>("confidence of this interval, 0 to 1")};
}

template <>
Fields FieldTable<Summary>::fields() {
  const auto time = [](const Field& field) { return field.measured_in("s", Best::small); };
  return {field<&T::count>("number of repetitions that count").measured_in("", Best::large),
          time(field<&T::minimum>("smallest normalised time")),
          time(field<&T::first_quartile>("quantile 0.25 of the times")),
          time(field<&T::median>("median of the normalised times")),
          time(field<&T::third_quartile>("quantile 0.75 of the times")),
          time(field<&T::maximum>("largest time")),
          time(field<&T::mean>("mean of the normalised times")),
          time(field<&T::standard_deviation>("standard deviation of the times")),
          time(field<&T::median_interval>("95 % interval of the median").named("median_interval_95"))};
}

namespace {

constexpr const char* sample_plan_schema = "flopcast-sample-plan-1";

std::string text_of(const nlohmann::ordered_json& document) { return document.dump(2); }

/// Returns the sampled call of the text that kernel::format_call() writes.
Call call_from(const std::string& text, int threads) {
  std::vector<Call> calls = kernel::expand_calls(text);
  if (calls.size() != 1) {
    throw bad_input("'{}' is {} calls, expected one", text, calls.size());
  }
  calls.front().threads = threads;
  return calls.front();
}

nlohmann::json sampled_json(const SampledCall& one) {
  nlohmann::json item = one.sample;
  item["call"] = kernel::format_call(one.call);
  item["cache"] = one.cache;
  item["flops"] = flops(one.call);
  item["footprint_bytes"] = footprint_bytes(one.call);
  const Summary summary = summarise(one.sample.times());
  if (summary.count > 0) {
    item["statistics"] = summary;
  }
  return item;
}

}  // namespace

std::string to_json(const model::Model& model) { return text_of(nlohmann::ordered_json(nlohmann::json(model))); }

model::Model model_from_json(std::string_view text) {
  return in_document("the model", [&] { return parse_json(text, "the model").get<model::Model>(); });
}

std::string to_json(const ModelBuild& build) {
  nlohmann::json document = build.model;
  document["replaced"] = build.replaced;
  return text_of(nlohmann::ordered_json(document));
}

ModelBuild model_build_from_json(std::string_view text) {
  return in_document("the model", [&] {
    const nlohmann::json document = parse_json(text, "the model");
    return ModelBuild{document.get<model::Model>(), member_or(document, "replaced", false)};
  });
}

std::string to_json(const ModelPlan& plan) { return text_of(to_document(plan, "flopcast-model-plan-1")); }

ModelPlan model_plan_from_json(std::string_view text) {
  return from_document<ModelPlan>(text, "the plan of a model", "flopcast-model-plan-1");
}

std::string to_json(const ModelList& list) { return text_of(to_document(list, "flopcast-models-2")); }

ModelList model_list_from_json(std::string_view text) { return from_document<ModelList>(text, "the list of models", "flopcast-models-2"); }

std::string to_json(const SampleResult& result) {
  nlohmann::json samples = nlohmann::json::array();
  for (const SampledCall& one : result.samples) {
    samples.push_back(sampled_json(one));
  }
  const nlohmann::json members = {
      {"environment", result.environment}, {"huge_pages", result.huge_pages}, {"options", result.rule}, {"samples", std::move(samples)}};
  nlohmann::ordered_json document = {{"schema", "flopcast-samples-3"}};
  document.update(nlohmann::ordered_json(members));
  return text_of(document);
}

SampleResult sample_result_from_json(std::string_view text) {
  static constexpr const char* name = "the samples";
  const nlohmann::json document = parse_json(text, name);
  return in_document(name, [&] {
    require_schema(document, name, "flopcast-samples-3");
    SampleResult result;
    read_member(document, "environment", result.environment);
    read_member(document, "huge_pages", result.huge_pages);
    read_member(document, "options", result.rule);
    for_each_element(document, "samples", [&](const nlohmann::json& item) {
      SampledCall& one = result.samples.emplace_back();
      read_value(item, one.sample);
      read_member(item, "cache", one.cache);
      one.call = parsed_text(item, "call", [&one](const std::string& call) { return call_from(call, one.sample.key.threads); });
    });
    return result;
  });
}

std::string to_json(const std::vector<PlannedSample>& plan) {
  nlohmann::json samples = nlohmann::json::array();
  for (const PlannedSample& one : plan) {
    samples.push_back({{"call", kernel::format_call(one.call)},
                       {"threads", one.call.threads},
                       {"cache", one.cache},
                       {"flops", flops(one.call)},
                       {"footprint_bytes", footprint_bytes(one.call)},
                       {"batch", one.batch}});
  }
  return text_of({{"schema", sample_plan_schema}, {"samples", nlohmann::ordered_json(samples)}});
}

std::vector<PlannedSample> sample_plan_from_json(std::string_view text) {
  static constexpr const char* name = "the plan of samples";
  const nlohmann::json document = parse_json(text, name);
  return in_document(name, [&] {
    require_schema(document, name, sample_plan_schema);
    std::vector<PlannedSample> plan;
    for_each_element(document, "samples", [&](const nlohmann::json& item) {
      PlannedSample& one = plan.emplace_back();
      int threads = 1;
      read_member(item, "threads", threads);
      read_member(item, "cache", one.cache);
      read_member(item, "batch", one.batch);
      one.call = parsed_text(item, "call", [threads](const std::string& call) { return call_from(call, threads); });
    });
    return plan;
  });
}

namespace {

nlohmann::ordered_json footprint_schema(SchemaMaker& maker) {
  nlohmann::ordered_json schema = described(maker.of<double>(), "bytes of all operands");
  schema["unit"] = "B";
  return schema;
}

nlohmann::ordered_json sample_plan_document(SchemaMaker& maker) {
  const nlohmann::ordered_json sample =
      object_schema({{"call", described(maker.of<std::string>(), "the call as text, such as \"dgemm N N 100 100 100 ...\"")},
                     {"threads", described(maker.of<int>(), "threads of BLAS")},
                     {"cache", described(maker.of<std::string>(), "cache state before each call")},
                     {"flops", described(maker.of<double>(), "operations of the call")},
                     {"footprint_bytes", footprint_schema(maker)},
                     {"batch", described(maker.of<std::int64_t>(), "number of calls that are timed together")}});
  return object_schema({{"samples", described(array_schema(sample), "the calls, in the order of the request")}});
}

nlohmann::ordered_json model_document(SchemaMaker& maker) {
  nlohmann::ordered_json root = maker.of<model::Model>();
  add_member(root, "replaced", described(maker.of<bool>(), "the store held a model of this key before"), false);
  return root;
}

nlohmann::ordered_json samples_document(SchemaMaker& maker) {
  nlohmann::ordered_json sample = maker.object<Sample>();
  add_member(sample, "call", described(maker.of<std::string>(), "the call as text, such as \"dgemm N N 100 100 100 ...\""));
  add_member(sample, "cache", described(maker.of<std::string>(), "cache state before each call"));
  add_member(sample, "flops", described(maker.of<double>(), "operations of the call"));
  add_member(sample, "footprint_bytes", footprint_schema(maker));
  add_member(sample, "statistics", described(maker.of<Summary>(), "statistics of the times; missing if nothing was timed"), false);
  return object_schema({{"environment", described(maker.of<Environment>(), "machine and libraries")},
                        {"huge_pages", described(maker.of<std::string>(), "the system's setting of transparent huge pages")},
                        {"options", described(maker.of<SamplingRule>(), "options that were in force")},
                        {"samples", described(array_schema(std::move(sample)), "calls by cache states, in the order of the request")}});
}

}  // namespace

std::vector<PublishedSchema> modelling_schemas() {
  return {published(model::model_schema, "Model of a kernel's time", model_document),
          published<ModelPlan>("flopcast-model-plan-1", "Points that a model would begin with"),
          published<ModelList>("flopcast-models-2", "Stored models"),
          published("flopcast-samples-3", "Timed calls", samples_document),
          published(sample_plan_schema, "Calls that would be timed", sample_plan_document),
          model_check_schema()};
}

}  // namespace flopcast
