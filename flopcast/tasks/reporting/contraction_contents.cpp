#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using report::BarChart;

constexpr std::size_t max_candidates = 8, max_series = 6;

PageContents contraction_contents(const ContractionResult& result) {
  PageContents contents{fmt::format("How is {} contracted the fastest?", result.expression), ""};
  contents.answer = fmt::format("The plan takes {} as predicted", format_seconds(result.plan.seconds));
  if (!result.times.empty()) {
    contents.answer +=
        fmt::format(" and {} as measured ({} of {}), {}", format_seconds(median(result.times)), seconds_text(median_interval(result.times)),
                    counted(result.times.size(), "execution"), format_flop_rate(result.flops_per_second));
  }
  contents.answer += result.plan.considered.empty() ? "." : fmt::format(". The chosen tiles: {}.", result.plan.considered.front().tiles);
  BarChart considered{"Expected time of one execution by considered tiles, the chosen ones first", "s", {}};
  for (const ConsideredTiles& tiles : result.plan.considered) {
    considered.bars.push_back(time_bar(tiles.tiles, tiles.seconds, {}, considered.bars.empty()));
    considered.bars.back().text += ", by " + tiles.basis;
  }
  BarChart steps{"Predicted time of each step", "s", {}};
  for (const PlannedStep& step : result.steps.steps) {
    steps.bars.push_back(time_bar(step.step, step.seconds));
  }
  for (BarChart* chart : {&steps, &considered}) {
    if (!chart->bars.empty()) {
      chart->bars.resize(std::min(chart->bars.size(), max_bars));
      contents.pictures.emplace_back(std::move(*chart));
    }
  }
  if (!result.plan.decided) {
    contents.warnings.emplace_back("The choice isn't final: further executions of the plan try other candidates.");
  }
  if (!result.steps.is_exhaustive) {
    contents.warnings.emplace_back("The search skipped some orders of the operands.");
  }
  if (result.times.empty()) {
    std::vector<std::string> words = {"flopcast", "contract", result.expression};
    for (const auto& [label, size] : result.sizes) {
      words.push_back(fmt::format("{}={}", label, size));
    }
    words.emplace_back("--run");
    contents.steps = {{"Execute the plan.", shell_text(words)}};
  }
  return contents;
}

/// Returns where the predicted time of the first candidates goes: calls of kernels, and copies.
report::Strips parts_of_candidates(const AlgorithmRanking& ranking) {
  std::vector<std::string> series;
  std::vector<PartsRow> rows;
  for (std::size_t i = 0; i < std::min(ranking.algorithms.size(), max_candidates); ++i) {
    const RankedAlgorithm& one = ranking.algorithms[i];
    PartsRow& row = rows.emplace_back(PartsRow{one.algorithm.name(), std::vector<Seconds>(series.size(), 0.0)});
    for (const contract::Part& part : one.forecast.parts) {
      auto at = std::find(series.begin(), series.end(), part.what);
      if (at == series.end() && series.size() == max_series) {
        at = series.end() - 1;
        *at = "others";
      } else if (at == series.end()) {
        at = series.insert(series.end(), part.what);
      }
      const auto index = static_cast<std::size_t>(at - series.begin());
      row.parts.resize(series.size());
      row.parts[index] += static_cast<double>(part.calls) * part.seconds;
    }
  }
  return parts_picture("Where the predicted time of the first candidates goes", std::move(series), rows);
}

/// Returns the command that writes an algorithm in C; empty if the tensors have strides of their own.
std::string emitting_command(const contract::Contraction& contraction, const std::string& algorithm) {
  for (const auto& [order, name] :
       {std::pair(contract::Order::row_major, "row_major"), std::pair(contract::Order::column_major, "column_major")}) {
    if (contract::make_contraction(contraction.notation(), contraction.extents, contraction.precision, order) == contraction) {
      std::vector<std::string> words = {"flopcast", "contract", contract::to_string(contraction.notation())};
      for (const auto& [index, size] : contraction.extents) {
        words.push_back(fmt::format("{}={}", index, size));
      }
      const std::string precision(1, static_cast<char>(contraction.precision));
      words.insert(words.end(), {"--precision", precision, "--order", name, "--emit", "c", "--algorithm", algorithm});
      return shell_text(words);
    }
  }
  return "";
}

PageContents algorithms_contents(const AlgorithmRanking& ranking) {
  PageContents contents{"Which algorithm contracts the tensors the fastest?", ""};
  if (ranking.algorithms.empty() || ranking.algorithms.front().forecast.seconds <= 0) {  // a list
    contents.question = "Which algorithms contract the tensors?";
    contents.answer = fmt::format("There are {} of BLAS, and none was timed.", counted(ranking.algorithms.size(), "algorithm"));
    return contents;
  }
  const RankedAlgorithm& first = ranking.algorithms.front();
  const auto ties = std::count_if(ranking.algorithms.begin() + 1, ranking.algorithms.end(), [](const auto& one) { return one.tie; });
  contents.answer = fmt::format("{} is predicted to be the fastest: {} ({}). ", first.algorithm.name(),
                                format_seconds(first.forecast.seconds), seconds_text(first.forecast.interval));
  contents.answer += ties == 0 ? std::string("All others are slower.")
                               : fmt::format("{} can't be told from it.", counted(static_cast<std::uint64_t>(ties), "other algorithm"));
  if (ranking.regret) {
    contents.answer +=
        fmt::format(" When executed, {} takes {} longer than the fastest.", first.algorithm.name(), format_percent(*ranking.regret));
  }
  BarChart chart{"Predicted time with its interval of 95 %", "s", {}};
  for (const RankedAlgorithm& one : ranking.algorithms) {
    if (chart.bars.size() < max_bars) {
      chart.bars.push_back(time_bar(one.algorithm.name(), one.forecast.seconds, one.forecast.interval));
      chart.bars.back().text += one.measured_seconds ? ", measured " + format_seconds(*one.measured_seconds) : "";
    }
  }
  contents.pictures = {std::move(chart), parts_of_candidates(ranking)};
  if (const std::string command = emitting_command(ranking.contraction, first.algorithm.name()); !command.empty()) {
    contents.steps = {{"Write the fastest algorithm as a function in C.", command}};
  }
  return contents;
}

/// Reads the document of a ranking, or of a list, whose algorithms have no times.
AlgorithmRanking read_algorithms(std::string_view text) {
  if (nlohmann::json::parse(text).contains("environment")) {
    return algorithm_ranking_from_json(text);
  }
  AlgorithmRanking ranking;
  for (contract::Algorithm& algorithm : algorithm_list_from_json(text).algorithms) {
    ranking.algorithms.push_back({std::move(algorithm), {}});
  }
  return ranking;
}

PageContents layouts_contents(const LayoutsResult& result) {
  PageContents contents{"In which order of their axes are the tensors contracted the fastest?", ""};
  if (result.compared.empty()) {
    return contents;
  }
  const ComparedOrders &best = result.compared.front(), &written = result.compared.back();
  std::vector<std::string> changes;
  for (const TensorOrder& tensor : result.tensors) {
    if (tensor.order != tensor.written) {
      changes.push_back(fmt::format("{} as {} in place of {}", tensor.tensor, tensor.order, tensor.written));
    }
  }
  contents.answer = changes.empty() ? "Keep the orders as written: no other ones are predicted to be faster."
                                    : fmt::format("Store {}: {} in place of {}, conversions included.", fmt::join(changes, ", "),
                                                  format_seconds(best.seconds), format_seconds(written.seconds)) +
                                          fmt::format(" The {} speed-up is {:.2f}; its 95 % interval is {:.2f} to {:.2f}.",
                                                      best.measured_seconds ? "measured" : "predicted", best.speed_up,
                                                      best.speed_up_interval.low, best.speed_up_interval.high) +
                                          (best.ties() ? " It contains 1, so that the written orders may be as fast." : "");
  BarChart chart{"Predicted time of all executions, with conversions", "s", {}};
  for (const ComparedOrders& orders : result.compared) {
    chart.bars.push_back(time_bar(orders.orders, orders.seconds, {}, &orders == &written));
  }
  contents.pictures.emplace_back(std::move(chart));
  if (!changes.empty()) {
    contents.steps = {{fmt::format("Allocate the tensors so: {}.", fmt::join(changes, ", ")), ""}};
  }
  return contents;
}

}  // namespace

std::vector<ReportedKind> contraction_kinds() {
  return {reported("flopcast-contraction-1", contraction_result_from_json, contraction_contents,
                   {{"plan.considered", "Considered tiles"}, {"steps", "Steps"}, {"", "Values"}}),
          reported("flopcast-contract-1", read_algorithms, algorithms_contents,
                   {{"algorithms", "Algorithms"}, {"algorithms.parts", "Parts of the predicted times"}}),
          reported("flopcast-layouts-1", layouts_result_from_json, layouts_contents,
                   {{"tensors", "Tensors"}, {"compared", "Compared orders"}, {"contractions", "Contractions"}})};
}

}  // namespace flopcast
