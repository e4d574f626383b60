#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast {
namespace {

using report::Figure;
using report::Series;
using report::Trust;
using tuning::Decision;
using tuning::Forecast;

constexpr std::size_t max_problems = 4;     ///< in one picture over block sizes
constexpr double max_repeatability = 0.05;  ///< two measurements of the same run that differ by more are noisy
constexpr double giga_flops = 1e9;

/// Judges by the validation's A/A comparisons; decisions that weren't validated say nothing.
Trust trust_of(const std::vector<const Decision*>& decisions) {
  Trust trust = Trust::unknown;
  for (const Decision* decision : decisions) {
    if (decision->validation) {
      trust = std::max(trust, decision->validation->repeatability > max_repeatability ? Trust::noisy : Trust::quiet);
    }
  }
  return trust;
}

std::string blocks_text(const algorithm::BlockParameters& blocks) {
  return fmt::format("nb = {}", blocks.nb) + (blocks.nx > 0 ? fmt::format(", nx = {}", blocks.nx) : "");
}

/// Returns the fastest forecast of each block size of the chosen variant.
std::map<std::int64_t, const Forecast*> best_by_block(const Decision& decision) {
  std::map<std::int64_t, const Forecast*> best;
  for (const Forecast& forecast : decision.forecasts) {
    const auto at = best.try_emplace(forecast.blocks.nb, &forecast).first;
    at->second = forecast.seconds < at->second->seconds ? &forecast : at->second;
  }
  return best;
}

void add_point(Series& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

/// Adds the predicted times of a problem by block size, over that of the chosen one, with the default, and with the measured times or, where
/// nothing was measured, the ties.
void add_problem(Figure& figure, const Decision& decision, int color, bool has_band) {
  const std::string name = "n = " + kernel::size_text(decision.sizes);
  const double unit = decision.chosen.seconds;
  Series predicted{.title = name + " predicted", .style = Series::Style::line, .color = color, .band = has_band};
  Series ties{
      .title = color == 1 ? "chosen and ties" : "", .style = Series::Style::points, .color = color, .name = name + " chosen and ties"};
  for (const auto& [nb, forecast] : best_by_block(decision)) {
    add_point(predicted, static_cast<double>(nb), forecast->seconds / unit);
    if (has_band) {
      predicted.low.push_back(forecast->interval.low / unit);
      predicted.high.push_back(forecast->interval.high / unit);
    }
    if (nb == decision.chosen.blocks.nb || std::count(decision.ties.begin(), decision.ties.end(), nb) > 0) {
      add_point(ties, static_cast<double>(nb), forecast->seconds / unit);
    }
  }
  if (decision.default_.seconds > 0 && color == 1) {
    const bool is_last = !predicted.x.empty() && predicted.x.back() <= static_cast<double>(decision.default_.blocks.nb);
    figure.labels.push_back({"default", static_cast<double>(decision.default_.blocks.nb), decision.default_.seconds / unit,
                             is_last ? report::Label::Alignment::right : report::Label::Alignment::center, false, false, color});
  }
  figure.series.push_back(std::move(predicted));
  if (const auto& check = decision.validation; check && check->chosen_seconds > 0) {
    Series measured{.title = name + " measured", .style = Series::Style::points, .color = color};
    for (const tuning::Measured& run : check->measured) {
      add_point(measured, static_cast<double>(run.blocks.nb), run.median / check->chosen_seconds);
    }
    figure.series.push_back(std::move(measured));
  } else {
    figure.series.push_back(std::move(ties));
  }
}

/// Moves labels from their points to just above them, so that they don't hide lines.
void lift_labels(Figure& figure) {
  std::vector<double> ys;
  for (const Series& series : figure.series) {
    for (const auto* values : {&series.y, &series.low, &series.high}) {
      ys.insert(ys.end(), values->begin(), values->end());
    }
  }
  const auto [low, high] = std::minmax_element(ys.begin(), ys.end());
  for (report::Label& label : figure.labels) {
    label.y += 0.05 * (*high - *low);
  }
}

/// Returns time over block size of a routine's problems, the smallest and the largest among them.
Figure block_figure(const std::string& name, const std::vector<Decision>& decisions) {
  Figure figure{name + ": time by block size, relative to the chosen one", {"block size nb"}, {"time / time of the chosen"}, {}};
  const std::vector<std::size_t> shown = spread_indices(decisions.size(), max_problems);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (decisions[shown[i]].chosen.seconds > 0) {
      add_problem(figure, decisions[shown[i]], static_cast<int>(i) + 1, shown.size() <= 2);
    }
  }
  lift_labels(figure);
  return figure;
}

/// Returns the rate over n with the default and with the chosen block sizes.
Figure rate_figure(const std::string& name, const std::vector<Decision>& decisions) {
  Series usual{.title = "default block size", .dashed = true}, tuned{.title = "chosen block size"};
  for (const Decision& decision : decisions) {
    const auto n = static_cast<double>(decision.sizes.back());
    if (decision.default_.seconds > 0) {
      add_point(usual, n, decision.flops / decision.default_.seconds / giga_flops);
    }
    if (decision.chosen.seconds > 0) {
      const Interval& interval = decision.chosen.interval;
      add_point(tuned, n, decision.flops / decision.chosen.seconds / giga_flops);
      tuned.low.push_back(interval.high > 0 ? decision.flops / interval.high / giga_flops : tuned.y.back());
      tuned.high.push_back(interval.low > 0 ? decision.flops / interval.low / giga_flops : tuned.y.back());
    }
  }
  return {name + ": predicted rate", {"n"}, {"GFLOP/s"}, {std::move(usual), std::move(tuned)}};
}

std::vector<std::vector<std::int64_t>> sizes_of(const std::vector<Decision>& decisions) {
  std::vector<std::vector<std::int64_t>> sizes;
  std::transform(decisions.begin(), decisions.end(), std::back_inserter(sizes), [](const Decision& one) { return one.sizes; });
  return sizes;
}

/// Returns the command that decides anew about a problem with the same block sizes and `options`; empty without words of the problem.
std::string deciding_command(const char* command, std::vector<std::string> problem, const TuningSettings& settings,
                             const std::vector<std::int64_t>& usual_blocks, const std::vector<std::string>& options) {
  if (problem.empty()) {
    return "";
  }
  problem.insert(problem.begin(), {"flopcast", command});
  if (!settings.nb.empty() && settings.nb != usual_blocks) {
    problem.insert(problem.end(), {"--nb", to_text(settings.nb)});
  }
  problem.insert(problem.end(), options.begin(), options.end());
  return shell_text(problem);
}

/// Returns the command that tunes the routine as before and keeps the block sizes; empty if the document doesn't have the problems, because
/// routines below were tuned.
std::string saving_command(const Tuning& tuning) {
  const RoutineTuning& part = tuning.parts.front();
  if (part.routine != tuning.routine) {
    return "";
  }
  std::vector<std::string> options = place_words(tuning.environment);
  options.emplace_back("--save");
  return deciding_command("tune", problem_words(part.routine, tuning.parts.size() == 1 ? part.flags : "", sizes_of(part.decisions)),
                          tuning.options, tuned_block_sizes(), options);
}

PageContents tuning_contents(const Tuning& tuning) {
  PageContents contents{fmt::format("Which block size is the best for {}?", tuning.routine), ""};
  std::vector<const Decision*> all;
  const Decision* best = nullptr;
  const RoutineTuning* best_part = nullptr;
  double regret = 0;
  for (const RoutineTuning& part : tuning.parts) {
    for (const Decision& decision : part.decisions) {
      all.push_back(&decision);
      regret = std::max(regret, decision.regret);
      if (decision.default_.seconds > 0 && (best == nullptr || decision.gain > best->gain)) {
        best = &decision;
        best_part = &part;
      }
    }
    if (part.decisions.empty()) {
      continue;
    }
    contents.pictures.emplace_back(block_figure(part.name(), part.decisions));
    if (part.decisions.size() > 1) {
      contents.pictures.emplace_back(rate_figure(part.name(), part.decisions));
    }
    if (!part.complete) {
      contents.warnings.push_back(
          fmt::format("The time budget ended before the predictions of {} had their precision. Run the same command again.", part.name()));
    }
  }
  contents.trust = trust_of(all);
  if (best == nullptr) {
    contents.answer = "Nothing was decided.";
    return contents;
  }
  const std::string loss = fmt::format("A choice loses at most {} against the best one, at nominal 95 %.", format_percent(regret));
  if (best->gain <= tuning::default_tie_margin) {
    contents.answer = fmt::format("Keep LAPACK's default block size: no other one is faster. {}", loss);
    return contents;
  }
  contents.answer = fmt::format("Tuned block sizes make {} up to {} faster: {} in place of {} at n = {}. {}", best_part->name(),
                                format_percent(best->gain), blocks_text(best->chosen.blocks), best->default_.blocks.nb,
                                kernel::size_text(best->sizes), loss);
  contents.steps = {{"Keep the block sizes in the tuning file.", saving_command(tuning)},
                    {"Run a program with the tuned block sizes; nothing is compiled anew.", "flopcast run -- COMMAND"}};
  return contents;
}

PageContents lapack_contents(const LapackTuning& tuning) {
  PageContents contents{"Which block sizes are the best for LAPACK's routines?", ""};
  report::BarChart chart{"Largest predicted gain of a routine's tuned block sizes over the default ones", "", {}};
  std::vector<const Decision*> all;
  for (const LapackRoutine& routine : tuning.routines) {
    double gain = 0;
    for (const Decision& decision : routine.decisions) {
      all.push_back(&decision);
      gain = std::max(gain, decision.gain);
    }
    if (gain > tuning::default_tie_margin) {
      chart.bars.push_back({routine.name(), gain, format_percent(gain)});
    }
  }
  std::stable_sort(chart.bars.begin(), chart.bars.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  contents.trust = trust_of(all);
  if (chart.bars.empty()) {
    contents.answer = "Keep LAPACK's default block sizes: no other ones are faster.";
    return contents;
  }
  contents.answer = fmt::format("Tuned block sizes make {} of {} faster, {} the most: by up to {}.", chart.bars.size(),
                                counted(tuning.routines.size(), "routine"), chart.bars.front().label, chart.bars.front().text);
  contents.pictures.emplace_back(std::move(chart));
  contents.steps = {
      {"Run a program with the tuned block sizes; nothing is compiled anew.",
       fmt::format("flopcast run {}-- COMMAND", tuning.tuning.empty() ? "" : "--tuning " + shell_text({tuning.tuning}) + " ")}};
  if (!tuning.left_out.empty()) {
    contents.warnings.push_back(
        fmt::format("The time budget didn't reach {}: {}.", counted(tuning.left_out.size(), "routine"), fmt::join(tuning.left_out, ", ")));
  }
  return contents;
}

std::string place_text(const Ranking& ranking, const PlaceRanking& place) {
  return ranking.places.size() < 2 ? "" : ", " + place_text(place);
}

/// Returns a variant's name; of a numbered one with the first words of its description, as in "3, right-looking".
std::string described(const Ranking& ranking, const PlaceRanking& place, const std::string& variant) {
  const std::string name = variant_text(variant, place);
  const auto info = std::find_if(ranking.variants.begin(), ranking.variants.end(), [&](const auto& one) { return one.variant == variant; });
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  return !is_number || info == ranking.variants.end() ? name : name + ", " + info->description.substr(0, info->description.find(':'));
}

/// Returns the options that name the libraries and numbers of threads that were compared, as words.
std::vector<std::string> compared_places(const Ranking& ranking) {
  if (ranking.places.size() == 1) {
    return place_words(ranking.places.front().environment);
  }
  std::vector<std::string> libraries, threads;
  for (const PlaceRanking& place : ranking.places) {
    for (const auto& [list, one] : {std::pair(&libraries, place.blas), std::pair(&threads, std::to_string(place.threads))}) {
      if (!one.empty() && std::find(list->begin(), list->end(), one) == list->end()) {
        list->push_back(one);
      }
    }
  }
  std::vector<std::string> words = {"--threads", fmt::format("{}", fmt::join(threads, ","))};
  if (!libraries.empty()) {
    words.insert(words.end(), {"--blas", fmt::format("{}", fmt::join(libraries, ","))});
  }
  return words;
}

/// Returns what to do with a ranking: to check it, and to call the fastest.
std::vector<PageStep> ranking_steps(const Ranking& ranking, const tuning::Forecast& best, const std::string& name, Trust trust) {
  std::vector<PageStep> steps;
  const auto info =
      std::find_if(ranking.variants.begin(), ranking.variants.end(), [&](const auto& one) { return one.variant == best.variant; });
  const bool is_driver = info != ranking.variants.end() && !info->needs.empty();
  if (trust == Trust::unknown) {
    std::vector<std::string> problem =
        problem_words(ranking.routine, is_driver ? "" : ranking.flags, sizes_of(ranking.places.front().decisions));
    std::vector<std::string> options = compared_places(ranking);
    options.emplace_back("--validate");
    if (!problem.empty()) {
      problem.front() = name;
    }
    steps.push_back({"Run the variants to check the ranking.",
                     deciding_command("rank", std::move(problem), ranking.options, ranked_block_sizes(), options)});
  }
  if (info != ranking.variants.end() && !info->scipy.empty()) {
    steps.push_back({fmt::format("Call {} from Python.", info->variant), info->scipy});
  } else if (info != ranking.variants.end() && !info->is_lapacks) {
    steps.push_back({fmt::format("Call the kernels in the order of variant {} with {}: {}.", info->variant, blocks_text(best.blocks),
                                 info->description),
                     ""});
  }
  return steps;
}

bool is_line(const Series& series) { return series.style == Series::Style::line; }

/// Adds the predicted and measured rates of a place's variants over n, both in the variant's color.
void add_variants(Figure& figure, const Ranking& ranking, const PlaceRanking& place) {
  std::map<std::string, std::pair<Series, Series>> curves;
  for (const Decision& decision : place.decisions) {
    const double work = decision.flops / giga_flops;
    const auto n = static_cast<double>(decision.sizes.back());
    for (const tuning::VariantRank& rank : decision.ranking) {
      auto& [predicted, measured] = curves[rank.best.variant];
      add_point(predicted, n, work / rank.best.seconds);
      const auto is_best = [&](const tuning::Measured& run) { return run.variant == rank.best.variant && run.blocks == rank.best.blocks; };
      const std::vector<tuning::Measured> none, &runs = decision.validation ? decision.validation->measured : none;
      if (const auto run = std::find_if(runs.begin(), runs.end(), is_best); run != runs.end()) {
        add_point(measured, n, work / run->median);
      }
    }
  }
  int next_color = static_cast<int>(std::count_if(figure.series.begin(), figure.series.end(), is_line)) + 1;
  for (auto& [variant, pair] : curves) {
    auto& [predicted, measured] = pair;
    predicted.title = described(ranking, place, variant) + place_text(ranking, place);
    predicted.style = Series::Style::line;
    predicted.color = measured.color = next_color++;
    measured.title = predicted.title + " measured";
    measured.style = Series::Style::points;
    figure.series.push_back(std::move(predicted));
    if (!measured.x.empty()) {
      figure.series.push_back(std::move(measured));
    }
  }
}

/// Returns the picture of a ranking: curves over n, or bars where all problems are one.
report::Picture picture_of(const Ranking& ranking, const std::string& name) {
  constexpr auto has_one_problem = [](const PlaceRanking& place) { return place.decisions.size() == 1; };
  if (!std::all_of(ranking.places.begin(), ranking.places.end(), has_one_problem)) {
    Figure figure{name + ": variants at their best block sizes (lines predicted, points measured)", {"n"}, {"GFLOP/s"}, {}};
    for (const PlaceRanking& place : ranking.places) {
      add_variants(figure, ranking, place);
    }
    return figure;
  }
  report::BarChart chart{name + ": predicted times of variants at their best block sizes, with intervals of 95 %", "s", {}};
  for (const PlaceRanking& place : ranking.places) {
    for (const tuning::VariantRank& rank : place.decisions.front().ranking) {
      chart.bars.push_back(
          time_bar(described(ranking, place, rank.best.variant) + place_text(ranking, place), rank.best.seconds, rank.best.interval));
    }
  }
  return chart;
}

PageContents ranking_contents(const Ranking& ranking) {
  const std::string name = ranking.family.empty() ? ranking.routine : ranking.family;
  PageContents contents{fmt::format("Which variant of {} is the fastest?", name), ""};
  std::vector<const Decision*> all;
  for (const PlaceRanking& place : ranking.places) {
    std::transform(place.decisions.begin(), place.decisions.end(), std::back_inserter(all), [](const Decision& one) { return &one; });
  }
  contents.pictures.push_back(picture_of(ranking, name));
  contents.trust = trust_of(all);
  std::vector<std::string> winners;
  double regret = 0;
  const tuning::Forecast* best = nullptr;  // of the last problem
  for (const tuning::JointDecision& joint : ranking.joint) {
    if (joint.ranking.empty()) {
      continue;
    }
    const tuning::JointRank& first = joint.ranking.front();
    best = &first.best;
    const PlaceRanking& place = ranking.places.at(first.place);
    const auto ties = std::count_if(joint.ranking.begin() + 1, joint.ranking.end(), [](const auto& one) { return one.tied; });
    winners.push_back(fmt::format("{}{} ({}{}) at n = {}", described(ranking, place, first.best.variant), place_text(ranking, place),
                                  blocks_text(first.best.blocks), ties > 0 ? fmt::format(", {} tie with it", ties) : "",
                                  kernel::size_text(joint.sizes)));
    regret = std::max(regret, joint.regret);
  }
  if (best == nullptr) {
    contents.answer = "Nothing was decided.";
    return contents;
  }
  contents.answer = fmt::format("The fastest: {}. A choice loses at most {} against the best one, at nominal 95 %.",
                                fmt::join(winners, "; "), format_percent(regret));
  contents.steps = ranking_steps(ranking, *best, name, contents.trust);
  return contents;
}

std::vector<std::string> decision_columns() {
  return {"sizes",
          "chosen.variant",
          "chosen.nb",
          "chosen.nx",
          "chosen.seconds",
          "chosen.interval",
          "default.nb",
          "default.nx",
          "default.seconds",
          "gain",
          "regret",
          "ties",
          "validation.chosen_seconds",
          "validation.default_seconds",
          "validation.best_seconds",
          "validation.regret",
          "validation.repeatability"};
}

}  // namespace

std::vector<ReportedKind> tuning_kinds() {
  return {reported("flopcast-tune-3", tuning_from_json, tuning_contents,
                   {{"parts.decisions", "Chosen block sizes", decision_columns()},
                    {"parts.decisions.forecasts", "All predicted block sizes"},
                    {"parts.decisions.validation.measured", "Measured block sizes"}}),
          reported("flopcast-tune-lapack-3", lapack_tuning_from_json, lapack_contents,
                   {{"routines.decisions", "Chosen block sizes", decision_columns()}, {"routines", "Routines"}}),
          reported("flopcast-rank-3", ranking_from_json, ranking_contents,
                   {{"joint.ranking", "All variants"},
                    {"places.decisions.validation.measured", "Measured variants"},
                    {"variants", "What the variants are"}})};
}

}  // namespace flopcast
