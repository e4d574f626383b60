#include <tuple>

#include <nlohmann/json.hpp>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/sample_json.hpp"
#include "flopcast/core/statistics_json.hpp"
#include "flopcast/core/trace_json.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {

template <>
struct EnumNames<prediction::Method> {
  using Method = prediction::Method;
  static constexpr std::array names{std::pair{Method::placed, "placed"}, std::pair{Method::levels, "levels"},
                                    std::pair{Method::paper, "paper"}, std::pair{Method::warm, "warm"}, std::pair{Method::cold, "cold"}};
};

template <>
struct FieldTable<Prediction::Kernel> {
  static constexpr auto fields =
      std::tuple(field("key", &Prediction::Kernel::key), field("calls", &Prediction::Kernel::calls),
                 field("flops", &Prediction::Kernel::flops, "flops of all calls"), field("seconds", &Prediction::Kernel::seconds),
                 field("deviation_seconds", &Prediction::Kernel::deviation, "standard deviation of the time"),
                 field("extrapolated_seconds", &Prediction::Kernel::extrapolated, "the part outside of the sampled domain"));
};

template <>
struct FieldTable<Prediction::Call> {
  static constexpr auto fields =
      std::tuple(optional_field("routine", &Prediction::Call::routine), optional_field("flags", &Prediction::Call::flags),
                 optional_field("sizes", &Prediction::Call::sizes), field("seconds", &Prediction::Call::seconds),
                 field("relative_error", &Prediction::Call::relative_error, "one standard deviation"),
                 field("extrapolated", &Prediction::Call::extrapolated));
};

template <>
struct FieldTable<Prediction> {
  static constexpr auto fields = std::tuple(
      field("algorithm", &Prediction::algorithm, "\"dgeqrf\"; \"program\" for a recorded thread"),
      field("parameters", &Prediction::parameters),
      optional_field("sizes", &Prediction::sizes, "\"1000\", \"2000x500\"; the identifier of a recorded thread"),
      optional_field("blocks", &Prediction::blocks, "\"64\", \"64 / 128\" with the crossover point; \"-\" for none"),
      optional_field("is_thread", &Prediction::is_thread), field("seconds", &Prediction::seconds),
      field("interval", &Prediction::interval, "confidence 95 %"), field("flops", &Prediction::flops, "flops of the routine"),
      field("extrapolated_share", &Prediction::extrapolated_share, "share of the time outside of the sampled domain"),
      field("kernels", &Prediction::kernels, "kernels by falling time"), field("models_seconds", &Prediction::by_models),
      field("measured_seconds", &Prediction::recorded, "recorded time, if the trace has times"), field("calls", &Prediction::calls));
};

template <>
struct EnumNames<cache::Start> {
  using Start = cache::Start;
  static constexpr std::array names{std::pair{Start::filled, "filled"}, std::pair{Start::repeated, "repeated"},
                                    std::pair{Start::artificial, "paper"}, std::pair{Start::cold, "cold"}};
};

template <>
struct FieldTable<PredictionOptions> {
  static constexpr auto fields = std::tuple(
      field("cache", &PredictionOptions::method),
      field("initial_cache", &PredictionOptions::start, "state of the caches before; missing: filled, for method paper the paper's"),
      optional_field("capacity_bytes", &PredictionOptions::capacity_bytes, "cache that method paper looks at; 0: the largest measured one"),
      field("generator", &PredictionOptions::generator),
      optional_field("time_budget_seconds", &PredictionOptions::time_budget, "for sampling kernels that models on demand lack; 0: none"),
      optional_field("with_calls", &PredictionOptions::with_calls, "also predict every single call"));
};

template <>
struct FieldTable<Predictions> {
  static constexpr auto fields = std::tuple(field("environment", &Predictions::environment), field("options", &Predictions::options),
                                            field("predictions", &Predictions::predictions),
                                            optional_field("own_code_seconds", &Predictions::own_code_seconds,
                                                           "recorded time outside of BLAS and LAPACK, which no prediction includes"),
                                            optional_field("own_code_share", &Predictions::own_code_share,
                                                           "its share of the recorded run; of a dry run, with the predicted calls in it"));
};

template <>
struct FieldTable<TraceSummary::Kernel> {
  static constexpr auto fields = std::tuple(field("kernel", &TraceSummary::Kernel::kernel), field("calls", &TraceSummary::Kernel::calls),
                                            field("flops", &TraceSummary::Kernel::flops, "flops of all calls"),
                                            field("seconds", &TraceSummary::Kernel::seconds, "if the trace has times"));
};

template <>
struct FieldTable<TraceSummary> {
  static constexpr auto fields =
      std::tuple(field("kernels", &TraceSummary::kernels, "in the order of first use"), field("all", &TraceSummary::all));
};

std::string to_json(const Predictions& predictions) { return to_document(predictions, "flopcast-predict-2").dump(2); }
Predictions predictions_from_json(std::string_view text) { return from_document<Predictions>(text, "predictions", {"flopcast-predict-2"}); }

std::string to_json(const RoutineTrace& trace) { return to_json(trace.trace).dump(2); }
RoutineTrace routine_trace_from_json(std::string_view text) { return {trace_from_json(parse_json(text, "trace"), kernel::find)}; }

std::string to_json(const TraceSummary& summary) { return to_document(summary, "flopcast-trace-summary-1").dump(2); }
TraceSummary trace_summary_from_json(std::string_view text) {
  return from_document<TraceSummary>(text, "summary of a trace", {"flopcast-trace-summary-1"});
}

std::vector<PublishedSchema> prediction_schemas() {
  return {published<Predictions>("flopcast-predict-2", "Predicted times of routines, traces or recorded programs"),
          published("flopcast-trace-1", "Kernel calls of a routine", trace_schema),
          published<TraceSummary>("flopcast-trace-summary-1", "Sums of a trace by kernel")};
}

}  // namespace flopcast
