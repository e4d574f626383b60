
#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/request_names.hpp"

namespace flopcast {

template <>
Fields FieldTable<Prediction::Kernel>::fields() {
  return {field<&T::key>("routine with flags, cache state and threads, which share one model"),
          field<&T::calls>("number of calls"),
          field<&T::flops>("flops of all calls of the kernel"),
          field<&T::seconds>("predicted time of all calls of the kernel"),
          field<&T::deviation>("standard deviation of the time of all calls of the kernel").named("deviation_seconds"),
          field<&T::extrapolated>("the part of the predicted time outside of the sampled domain").named("extrapolated_seconds")};
}

template <>
Fields FieldTable<Prediction::Call>::fields() {
  return {optional_field<&T::routine>("name of the routine"),
          optional_field<&T::flags>("values of its flags, such as \"NT\""),
          optional_field<&T::sizes>("values of the call's sizes, in the order of the arguments"),
          field<&T::seconds>("predicted time of the call"),
          field<&T::relative_error>("relative standard deviation of the call's time").measured_in("fraction", Best::small),
          field<&T::extrapolated>("the call's sizes lie outside of the sampled domain")};
}

template <>
Fields FieldTable<Prediction>::fields() {
  return {field<&T::algorithm>("\"dgeqrf\"; \"program\" for a recorded thread"),
          field<&T::parameters>("sizes and block parameters by name"),
          optional_field<&T::sizes>("order, or all sizes, of the problem: \"1000\", \"2000x500\"; of a recorded program the thread"),
          optional_field<&T::blocks>("block size, and behind a slash the crossover point: \"64\", \"64 / 128\"; \"-\" for none"),
          optional_field<&T::is_thread>("the prediction is that of a recorded thread"),
          field<&T::seconds>("predicted time"),
          field<&T::interval>("95 % interval of a later run").measured_in("s", Best::small),
          field<&T::flops>("flops of the routine"),
          field<&T::extrapolated_share>("share of the predicted time outside of the sampled domain").measured_in("fraction", Best::small),
          field<&T::resident_bytes>("predicted peak of resident memory of a routine: operands, work space and local arrays")
              .measured_in("B", Best::small),
          field<&T::kernels>("kernels by falling time"),
          field<&T::by_models>("time that the models alone expect for a recorded thread").named("models_seconds"),
          field<&T::recorded>("recorded time, if the trace has times").named("measured_seconds"),
          field<&T::calls>("times of the single calls, if they were asked for")};
}

template <>
Fields FieldTable<Predictions>::fields() {
  return {field<&T::environment>("machine and libraries of the predictions"),
          field<&T::options>("options of the predictions"),
          field<&T::predictions>("one per combination of sizes and block sizes, or per thread"),
          optional_field<&T::own_code_seconds>("recorded time outside of BLAS and LAPACK, which no prediction includes"),
          optional_field<&T::own_code_share>("its share of the recorded run; of a dry run, with the predicted calls in it"),
          field<&T::resident_bytes>(
              "recorded peak of resident memory of a program in which nothing is changed; missing where the recording has none")
              .measured_in("B", Best::small)};
}

template <>
Fields FieldTable<TraceSummary::Kernel>::fields() {
  return {field<&T::kernel>("name of the routine"), field<&T::calls>("number of calls"),
          field<&T::flops>("flops of all calls of the routine"),
          field<&T::seconds>("recorded time of all calls of the routine, if the trace has times")};
}

template <>
Fields FieldTable<TraceSummary>::fields() {
  return {field<&T::kernels>("in the order of first use"), field<&T::all>("sum of all kernels")};
}

std::string to_json(const Predictions& predictions) { return to_document(predictions, "flopcast-predict-2").dump(2); }
Predictions predictions_from_json(std::string_view text) { return from_document<Predictions>(text, "predictions", "flopcast-predict-2"); }

std::string to_json(const RoutineTrace& trace) { return to_json(trace.trace).dump(2); }
RoutineTrace routine_trace_from_json(std::string_view text) { return {trace_from_json(parse_json(text, "trace"), kernel::find)}; }

std::string to_json(const TraceSummary& summary) { return to_document(summary, "flopcast-trace-summary-1").dump(2); }
TraceSummary trace_summary_from_json(std::string_view text) {
  return from_document<TraceSummary>(text, "summary of a trace", "flopcast-trace-summary-1");
}

std::vector<PublishedSchema> prediction_schemas() {
  return {published<Predictions>("flopcast-predict-2", "Predicted times of routines, traces or recorded programs"),
          published("flopcast-trace-1", "Kernel calls of a routine", trace_schema),
          published<TraceSummary>("flopcast-trace-summary-1", "Sums of a trace by kernel")};
}

}  // namespace flopcast
