#include "flopcast/cli/profile/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "flopcast/program/program_timeline.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

constexpr std::size_t max_bars = 12;

std::string shown_time(const CallTotals& sum, const ProgramProfile& profile) {
  const double all = profile.all.seconds;
  return format_seconds(sum.seconds) + (all > 0 ? fmt::format(", {:.1f} %", 100 * sum.seconds / all) : "") +
         (sum.flops_per_second ? ", " + format_flop_rate(*sum.flops_per_second) : "");
}

void add_routines(report::Page& page, const ProgramProfile& profile) {
  std::vector<report::Bar> bars;
  for (const ProgramProfile::Routine& routine : profile.routines) {
    if (bars.size() < max_bars) {
      bars.push_back({routine.routine, routine.seconds, shown_time(routine, profile)});
    }
  }
  if (profile.first_calls.calls > 0) {
    bars.push_back({first_calls_name, profile.first_calls.seconds, shown_time(profile.first_calls, profile), {}, true});
  }
  page.add_heading("By routine");
  page.add_bars(bars, fmt::format("Time in each routine{}", profile.routines.size() > max_bars ? ", the heaviest ones" : ""));
  page.add_table(routine_table(profile));
}

void add_shapes(report::Page& page, const ProgramProfile& profile, std::size_t max_shapes) {
  std::vector<report::Bar> bars;
  for (const ProgramProfile::Shape& shape : profile.shapes) {
    if (bars.size() < max_bars) {
      bars.push_back(
          {shape.routine + (shape_text(shape).empty() ? "" : " ") + shape_text(shape), shape.seconds, shown_time(shape, profile)});
    }
  }
  page.add_heading("By shape");
  page.add_bars(bars, "Time in calls of one routine with equal flags and sizes, the heaviest first");
  page.add_table(shape_table(profile, max_shapes));
}

void add_timeline(report::Page& page, const ProgramProfile& profile, const std::string& recording) {
  static constexpr std::size_t bins = 240, max_routines = 6, max_threads = 16;
  const program::ProgramTraceFile file(recording);
  const program::ProgramTimeline timeline = program::program_timeline(file, program::ProgramBreakdown(file), bins, max_routines);
  if (timeline.end <= timeline.begin || timeline.busy.empty()) {
    return;
  }
  report::Strips strips;
  strips.series = timeline.routines;
  for (std::string& name : strips.series) {  // an anonymous profile has no paths of libraries in the names of routines
    const bool is_known =
        std::any_of(profile.routines.begin(), profile.routines.end(), [&](const auto& one) { return one.routine == name; });
    name = is_known ? name : without_paths(name);
  }
  if (timeline.routines.size() < profile.routines.size() || profile.first_calls.calls > 0) {
    strips.series.emplace_back("others");
  }
  for (std::size_t t = 0; t < std::min(timeline.busy.size(), max_threads); ++t) {
    strips.strips.push_back({"thread " + std::to_string(file.summary().threads[t].tid), timeline.busy[t]});
  }
  strips.from = format_seconds(timeline.begin);
  strips.to = format_seconds(timeline.end);
  page.add_heading("When");
  page.add_strips(strips, fmt::format("Share of each {} that the threads spent in which routine{}",
                                      format_seconds((timeline.end - timeline.begin) / static_cast<double>(bins)),
                                      timeline.busy.size() > max_threads ? fmt::format(", the first {} threads", max_threads) : ""));
}

void add_answers(report::Page& page, const ProgramProfile& profile) {
  page.add_heading("What if");
  std::vector<report::Bar> bars;
  std::optional<Seconds> shown;  // most questions are about equal calls
  for (const WhatIfResult& answer : profile.what_if) {
    if (!answer.failure.empty()) {
      continue;
    }
    if (!profile.dry_run && shown != answer.recorded) {
      bars.push_back({"recorded", answer.recorded, format_seconds(answer.recorded), {}, true});
      shown = answer.recorded;
    }
    bars.push_back({to_string(answer.question), answer.predicted,
                    format_seconds(answer.predicted) + (answer.gain ? fmt::format(" (gain {:+.1f} %)", 100 * *answer.gain) : ""),
                    answer.interval});
  }
  if (!bars.empty()) {
    page.add_bars(bars, "Time of the calls that can be predicted, recorded and predicted with its interval of 95 %");
  }
  page.add_table(answer_table(profile));
  if (const report::Table blocks = block_table(profile); !blocks.rows.empty()) {
    page.add_heading("Block sizes");
    page.add_table(blocks);
  }
}

/// Returns "2026-11-26 15:04" in local time; empty if the time isn't known.
std::string date_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (seconds <= 0 || localtime_r(&time, &parts) == nullptr) {
    return "";
  }
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

/// Adds what was recorded where and when, as far as the recording says.
void add_facts(report::Page& page, const ProgramProfile& profile) {
  const program::RecordedPlace& place = profile.recorded;
  std::string blas = place.blas;
  blas += place.kernels.empty() ? "" : fmt::format(", kernels {}", place.kernels);
  blas += place.threads ? fmt::format(", {}", counted(*place.threads, "thread")) : "";
  std::vector<std::pair<std::string, std::string>> facts = {{"Command", fmt::format("{}", fmt::join(profile.command, " "))},
                                                            {"Recorded", date_text(profile.started)},
                                                            {"CPU", place.cpu},
                                                            {"BLAS", blas},
                                                            {"LAPACK", place.lapack},
                                                            {"This page", date_text(std::time(nullptr)) + ", flopcast " + version()}};
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  page.add_facts(facts);
}

}  // namespace

report::Page program_page(const ProgramProfile& profile, const std::string& recording, std::size_t max_shapes) {
  report::Page page(fmt::format("BLAS and LAPACK in {}", fmt::join(profile.command, " ")));
  add_facts(page, profile);
  page.add_text(overview(profile));
  if (profile.peak) {
    page.add_text(fmt::format("Rates are compared with {}: {}.", profile.peak->what, format_flop_rate(profile.peak->flops_per_second)));
  }
  for (const std::string& warning : profile.warnings) {
    page.add_warning(warning);
  }
  if (profile.all.calls == 0) {
    return page;
  }
  if (!profile.what_if.empty()) {
    add_answers(page, profile);
  }
  add_routines(page, profile);
  add_shapes(page, profile, max_shapes);
  add_timeline(page, profile, recording);
  page.add_heading("By thread");
  page.add_table(thread_table(profile));
  if (profile.processes.size() > 1) {
    page.add_heading("By process");
    page.add_table(process_table(profile));
  }
  return page;
}

}  // namespace flopcast::cli
