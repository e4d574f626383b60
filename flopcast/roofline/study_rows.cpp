#include <algorithm>
#include <tuple>

#include "flopcast/core/statistics.hpp"
#include "flopcast/roofline/study.hpp"

namespace flopcast::roofline {
namespace {

/// Returns the progress of a technique none of whose searches has finished.
StudyRow unfinished_row(const StudyState& state, const std::string& technique) {
  StudyRow row;
  row.technique = technique;
  const auto run = std::find_if(state.runs.begin(), state.runs.end(), [&](const StudyRun& one) { return one.technique == technique; });
  row.begun = run != state.runs.end();
  if (row.begun && run->has_leader()) {
    const auto judged = state.judged.find(run->leader);
    row.finished = run->finished.size();
    row.leader = run->leader;
    row.found = run->rate;
    row.rate = judged == state.judged.end() ? 0 : judged->second;
    row.seconds = run->seconds;
    row.evaluations = run->evaluations;
  }
  return row;
}

StudyRow row_of(const StudyState& state, const std::string& technique, double best, double tolerance) {
  StudyRow row;
  row.technique = technique;
  std::vector<double> seconds, evaluations;
  std::vector<std::tuple<double, std::size_t, double>> leaders;  // ordered by judged rate
  for (const StudyRun& run : state.runs) {
    if (run.technique != technique || !run.complete) {
      continue;
    }
    const auto judged = state.judged.find(run.leader);
    const double rate = judged == state.judged.end() ? 0 : judged->second;
    leaders.emplace_back(rate, run.leader, run.rate);
    seconds.push_back(run.seconds);
    evaluations.push_back(static_cast<double>(run.evaluations));
    row.settled += run.settled ? 1 : 0;
    row.success += rate > 0 && rate >= (1 - tolerance) * best ? 1 : 0;
    ++row.trials;
  }
  if (row.trials == 0) {
    return unfinished_row(state, technique);
  }
  std::sort(leaders.begin(), leaders.end());
  std::tie(row.rate, row.leader, row.found) = leaders[(leaders.size() - 1) / 2];
  row.success /= row.trials;
  row.settled /= row.trials;
  row.seconds = median(seconds);
  row.evaluations = static_cast<std::int64_t>(median(evaluations));
  return row;
}

}  // namespace

std::vector<StudyRow> summarise(const StudyState& state, const StudyOptions& options) {
  double best = 0;
  for (const auto& [configuration, rate] : state.judged) {
    best = std::max(best, rate);
  }
  std::vector<StudyRow> rows;
  for (const std::string& technique : options.techniques) {
    StudyRow row = row_of(state, technique, best, options.tolerance);
    row.of_best = best > 0 ? row.rate / best : 0;
    rows.push_back(std::move(row));
  }
  const auto reference =
      std::find_if(rows.begin(), rows.end(), [](const StudyRow& row) { return row.technique == "Default" && row.trials > 0; });
  for (StudyRow& row : rows) {
    row.speedup = reference == rows.end() || row.trials == 0 || row.seconds <= 0 ? 0 : reference->seconds / row.seconds;
  }
  return rows;
}

}  // namespace flopcast::roofline
