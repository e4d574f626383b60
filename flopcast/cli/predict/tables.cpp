#include "flopcast/cli/predict/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "flopcast/cli/options.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/sample_json.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

Seconds measured_seconds(const Trace& trace) {
  Seconds sum = 0;
  for (const Seconds seconds : trace.measured) {
    sum += seconds;
  }
  return sum;
}

report::Table kernel_table(const prediction::Prediction& prediction) {
  using report::Align;
  report::Table table;
  table.columns = {{"kernel", Align::left},
                   {"calls"},
                   {"time", Align::right, "seconds"},
                   {"time %", Align::right, "share"},
                   {"+/-", Align::right, "deviation_seconds"},
                   {"rate", Align::right, "flops_per_second"},
                   {"extrapolated", Align::right, "extrapolated_share"}};
  for (const prediction::KernelPrediction& kernel : prediction.kernels) {
    const double rate = kernel.seconds > 0 ? kernel.flops / kernel.seconds : 0;
    const double share = kernel.seconds > 0 ? kernel.extrapolated / kernel.seconds : 0;
    table.rows.push_back({to_string(kernel.key),
                          report::whole(kernel.calls),
                          {kernel.seconds, format_seconds(kernel.seconds)},
                          {kernel.seconds / prediction.seconds, fmt::format("{:.1f}", 100 * kernel.seconds / prediction.seconds)},
                          {kernel.deviation, format_seconds(kernel.deviation)},
                          {rate, format_flop_rate(rate)},
                          {share, format_percent(share)}});
  }
  return table;
}

report::Table call_table(const Trace& trace, const prediction::Prediction& prediction) {
  using report::Align;
  report::Table table;
  table.columns = {{"call"},
                   {"kernel", Align::left},
                   {"sizes", Align::left},
                   {"time", Align::right, "seconds"},
                   {"+/-", Align::right, "relative_error"},
                   {"extrapolated", Align::left}};
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    const prediction::CallPrediction& call = prediction.calls[i];
    table.rows.push_back({report::whole(static_cast<long long>(i)),
                          trace.calls[i].routine->name + " " + flags(trace.calls[i]),
                          fmt::format("{}", fmt::join(sizes(trace.calls[i]), "x")),
                          {call.seconds, format_seconds(call.seconds)},
                          {call.relative_error, format_percent(call.relative_error)},
                          call.extrapolated ? "yes" : "no"});
  }
  return table;
}

}  // namespace

report::Table summary_table(const std::vector<Forecast>& forecasts) {
  using report::Align;
  const bool measured = std::any_of(forecasts.begin(), forecasts.end(), [](const Forecast& f) { return !f.first->trace.measured.empty(); });
  const bool compared = std::any_of(forecasts.begin(), forecasts.end(), [](const Forecast& f) { return f.first->by_models.has_value(); });
  const bool threads = std::any_of(forecasts.begin(), forecasts.end(), [](const Forecast& f) { return !f.first->pauses.empty(); });
  report::Table table;
  table.columns = {{threads ? "thread" : "n"},
                   {"nb"},
                   {"predicted", Align::right, "seconds"},
                   {"low", Align::right, "low_seconds"},
                   {"high", Align::right, "high_seconds"},
                   {"rate", Align::right, "flops_per_second"},
                   {"extrapolated", Align::right, "extrapolated_share"}};
  if (compared) {
    table.columns.push_back({"by models", Align::right, "models_seconds"});
  }
  if (measured) {
    table.columns.insert(table.columns.end(),
                         {{"recorded", Align::right, "measured_seconds"}, {"predicted / recorded - 1", Align::right, "error"}});
  }
  for (const auto& [subject, prediction] : forecasts) {
    const double share = prediction.extrapolated_share();
    const double rate = prediction.seconds > 0 ? subject->flops / prediction.seconds : 0;
    std::vector<report::Cell> row = {subject->sizes,
                                     subject->blocks,
                                     {prediction.seconds, format_seconds(prediction.seconds)},
                                     {prediction.interval.low, format_seconds(prediction.interval.low)},
                                     {prediction.interval.high, format_seconds(prediction.interval.high)},
                                     {rate, format_flop_rate(rate)},
                                     {share, format_percent(share), share > 0.01 ? report::Tone::bad : report::Tone::plain}};
    if (compared) {
      const Seconds seconds = subject->by_models.value_or(prediction.seconds);
      row.emplace_back(seconds, format_seconds(seconds));
    }
    if (measured) {
      const Seconds seconds = measured_seconds(subject->trace);
      row.emplace_back(seconds, format_seconds(seconds));
      const double change = seconds > 0 ? prediction.seconds / seconds - 1 : 0;
      constexpr double shown = 0.0005;  // less is shown as nothing, not as minus nothing
      row.emplace_back(change, fmt::format("{:+.1f} %", std::fabs(change) < shown ? 0.0 : 100 * change));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string explanation(const Forecast& forecast, const CommonOptions& common) {
  const auto& [subject, prediction] = forecast;
  const std::string what =
      subject->pauses.empty() ? fmt::format("n = {}, nb = {}", subject->sizes, subject->blocks) : "thread " + subject->sizes;
  return fmt::format("\n{}, by kernel:\n{}\nby call:\n{}", what, render(kernel_table(prediction), common),
                     render(call_table(subject->trace, prediction), common));
}

nlohmann::json to_json(const Forecast& forecast, bool explain) {
  const auto& [subject, prediction] = forecast;
  nlohmann::json kernels = nlohmann::json::array();
  for (const prediction::KernelPrediction& kernel : prediction.kernels) {
    kernels.push_back({{"key", kernel.key},
                       {"calls", kernel.calls},
                       {"flops", kernel.flops},
                       {"seconds", kernel.seconds},
                       {"deviation_seconds", kernel.deviation},
                       {"extrapolated_seconds", kernel.extrapolated}});
  }
  nlohmann::json json = {{"algorithm", subject->trace.configuration.algorithm},
                         {"parameters", subject->trace.configuration.parameters},
                         {"seconds", prediction.seconds},
                         {"interval", {prediction.interval.low, prediction.interval.high}},
                         {"flops", subject->flops},
                         {"extrapolated_share", prediction.extrapolated_share()},
                         {"kernels", std::move(kernels)}};
  if (subject->by_models) {
    json["models_seconds"] = *subject->by_models;
  }
  if (!subject->trace.measured.empty()) {
    json["measured_seconds"] = measured_seconds(subject->trace);
  }
  if (explain) {
    nlohmann::json calls = nlohmann::json::array();
    for (const prediction::CallPrediction& call : prediction.calls) {
      calls.push_back({{"seconds", call.seconds}, {"relative_error", call.relative_error}, {"extrapolated", call.extrapolated}});
    }
    json["calls"] = std::move(calls);
  }
  return json;
}

}  // namespace flopcast::cli
