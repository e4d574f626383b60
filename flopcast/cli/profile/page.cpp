#include "flopcast/cli/profile/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "flopcast/cli/profile/what_if_tables.hpp"
#include "flopcast/program/program_timeline.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/support/version.hpp"

namespace flopcast::cli {
namespace {

using interpose::CallSum;
using interpose::ShapeSum;

nlohmann::json sum_json(const CallSum& sum, const ProgramView& view) {
  nlohmann::json json = {{"calls", sum.calls}, {"seconds", sum.seconds}, {"flops", sum.flops}};
  if (view.summary.dry_run) {
    json["skipped"] = sum.skipped;
  }
  if (sum.flops > 0 && sum.described_seconds > 0) {
    json["flops_per_second"] = sum.flops / sum.described_seconds;
  }
  if (const auto share = interpose::efficiency(sum, view.peak)) {
    json["of_peak"] = *share;
  }
  return json;
}

nlohmann::json with(nlohmann::json json, const nlohmann::json& more) {
  json.update(more);
  return json;
}

nlohmann::json shape_json(const ShapeSum& shape, const ProgramView& view) {
  nlohmann::json sizes = nlohmann::json::object();
  for (const interpose::SizeRange& size : shape.sizes) {
    sizes[size.name] = {size.low, size.high};
  }
  return with(sum_json(shape.sum, view), {{"routine", view.summary.names[shape.name]},
                                          {"flags", shape.flags},
                                          {"first_calls", shape.first_calls},
                                          {"sizes", sizes},
                                          {"longest_seconds", shape.longest_seconds}});
}

nlohmann::json place_json(const interpose::RecordedPlace& place) {
  return {{"blas", place.blas},
          {"lapack", place.lapack},
          {"cpu", place.cpu},
          {"threads", place.threads ? nlohmann::json(*place.threads) : nlohmann::json()},
          {"kernels", place.kernels}};
}

/// `dgemm NT m=100 n=100 k=50`
std::string shape_text(const ShapeSum& shape, const ProgramView& view) {
  std::string text = view.summary.names[shape.name];
  const std::string flags = shown_flags(shape);
  text += flags.empty() ? "" : " " + flags;
  const std::string sizes = to_string(shape.sizes);
  return sizes.empty() ? text : text + " " + sizes;
}

std::string shown_time(const CallSum& sum, const ProgramView& view) {
  const double all = view.breakdown.all().seconds;
  std::string text = format_seconds(sum.seconds) + (all > 0 ? fmt::format(", {:.1f} %", 100 * sum.seconds / all) : "");
  if (sum.flops > 0 && sum.described_seconds > 0) {
    text += ", " + format_flop_rate(sum.flops / sum.described_seconds);
  }
  return text;
}

constexpr std::size_t max_bars = 12;

void add_routines(report::Page& page, const ProgramView& view) {
  std::vector<report::Bar> bars;
  for (const interpose::RoutineSum& routine : view.breakdown.routines()) {
    if (bars.size() < max_bars) {
      bars.push_back({view.summary.names[routine.name], routine.sum.seconds, shown_time(routine.sum, view)});
    }
  }
  if (view.breakdown.first_calls().calls > 0) {
    bars.push_back({first_calls_name, view.breakdown.first_calls().seconds, shown_time(view.breakdown.first_calls(), view), {}, true});
  }
  page.add_heading("By routine");
  page.add_bars(bars, fmt::format("Time in each routine{}", view.breakdown.routines().size() > max_bars ? ", the heaviest ones" : ""));
  page.add_table(routine_table(view));
}

void add_shapes(report::Page& page, const ProgramReport& report) {
  std::vector<report::Bar> bars;
  for (const ShapeSum& shape : report.view.breakdown.shapes()) {
    if (bars.size() < max_bars) {
      bars.push_back({shape_text(shape, report.view), shape.sum.seconds, shown_time(shape.sum, report.view)});
    }
  }
  page.add_heading("By shape");
  page.add_bars(bars, "Time in calls of one routine with the same flags and sizes, the heaviest first");
  page.add_table(shape_table(report.view, report.top, shape_forecasts(report.answers)));
}

void add_timeline(report::Page& page, const ProgramView& view, const interpose::ProgramTraceFile& file) {
  static constexpr std::size_t bins = 240, max_routines = 6, max_threads = 16;
  const interpose::ProgramTimeline timeline = program_timeline(file, view.breakdown, bins, max_routines);
  if (timeline.bin_seconds() <= 0) {
    return;
  }
  report::Strips strips;
  for (const std::uint32_t name : timeline.routines) {
    strips.series.push_back(view.summary.names[name]);
  }
  if (timeline.routines.size() < view.breakdown.routines().size() || view.breakdown.first_calls().calls > 0) {
    strips.series.emplace_back("others");
  }
  for (std::size_t t = 0; t < std::min(timeline.busy.size(), max_threads); ++t) {
    report::Strips::Strip strip{fmt::format("thread {}", view.summary.threads[t].tid), timeline.busy[t]};
    for (auto& bin : strip.bins) {
      for (double& part : bin) {
        part /= timeline.bin_seconds();
      }
    }
    strips.strips.push_back(std::move(strip));
  }
  strips.from = format_seconds(timeline.begin);
  strips.to = format_seconds(timeline.end);
  page.add_heading("When");
  page.add_strips(strips, fmt::format("What part of each {} the threads spent in which routine{}", format_seconds(timeline.bin_seconds()),
                                      timeline.busy.size() > max_threads ? fmt::format(", the first {} threads", max_threads) : ""));
}

void add_answers(report::Page& page, const ProgramReport& report) {
  page.add_heading("What if");
  std::vector<report::Bar> bars;
  std::optional<Seconds> shown;  // most questions are about the same calls
  for (const Answer& answer : report.answers) {
    if (!answer.failure.empty()) {
      continue;
    }
    const std::string title = answer.question.text;
    if (!report.view.summary.dry_run && shown != answer.recorded) {
      bars.push_back({"recorded", answer.recorded, format_seconds(answer.recorded), {}, true});
      shown = answer.recorded;
    }
    const std::optional<double> by = gain(answer, report.view);
    bars.push_back({title, answer.predicted, format_seconds(answer.predicted) + (by ? fmt::format(" (gain {:+.1f} %)", 100 * *by) : ""),
                    answer.interval});
  }
  if (!bars.empty()) {
    page.add_bars(bars, "Time of the calls that can be predicted, recorded and predicted with its interval of 95 %");
  }
  page.add_table(answer_table(report.answers, report.view));
  if (const report::Table blocks = block_table(report.answers, report.view); !blocks.rows.empty()) {
    page.add_heading("Block sizes");
    page.add_table(blocks);
  }
}

}  // namespace

std::string overview(const ProgramView& view) {
  const CallSum& all = view.breakdown.all();
  const double share = view.summary.seconds > 0 ? 100 * all.seconds / view.summary.seconds : 0;
  return fmt::format("{} of {} in {} of {}; {} in BLAS and LAPACK, {:.1f} % of {}", counted(all.calls, "call"),
                     counted(view.breakdown.routines().size(), "routine"), counted(view.summary.threads.size(), "thread"),
                     counted(view.breakdown.processes().size(), "process"), format_seconds(all.seconds), share,
                     format_seconds(view.summary.seconds));
}

nlohmann::json program_document(const ProgramReport& report) {
  const ProgramView& view = report.view;
  nlohmann::json routines = nlohmann::json::array(), shapes = nlohmann::json::array(), threads = nlohmann::json::array(),
                 processes = nlohmann::json::array(), answers = nlohmann::json::array();
  for (const interpose::RoutineSum& routine : view.breakdown.routines()) {
    routines.push_back(
        with(sum_json(routine.sum, view), {{"routine", view.summary.names[routine.name]}, {"described", routine.described}}));
  }
  for (const ShapeSum& shape : view.breakdown.shapes()) {
    shapes.push_back(shape_json(shape, view));
  }
  for (const interpose::ThreadSum& thread : view.breakdown.threads()) {
    const interpose::RecordedThread& identity = view.summary.threads[thread.thread];
    threads.push_back(with(sum_json(thread.sum, view),
                           {{"pid", identity.pid}, {"tid", identity.tid}, {"heaviest", view.summary.names[thread.heaviest]}}));
  }
  for (const interpose::ProcessSum& process : view.breakdown.processes()) {
    processes.push_back(with(sum_json(process.sum, view), {{"pid", process.pid}, {"threads", process.threads}}));
  }
  for (const Answer& answer : report.answers) {
    answers.push_back(to_json(answer, view));
  }
  nlohmann::json peak;
  if (view.peak) {
    peak = {{"flops_per_second", view.peak->flops_rate}, {"what", view.peak->what}};
  }
  return {{"schema", "flopcast-program-profile-1"},
          {"command", view.summary.command},
          {"recorded", place_json(report.place)},
          {"dry_run", view.summary.dry_run},
          {"finished", view.summary.finished},
          {"damaged", view.summary.damaged},
          {"missing_bytes", view.summary.missing},
          {"warnings", report.warnings},
          {"seconds", view.summary.seconds},
          {"all", sum_json(view.breakdown.all(), view)},
          {"first_calls", sum_json(view.breakdown.first_calls(), view)},
          {"peak", std::move(peak)},
          {"routines", std::move(routines)},
          {"shapes", std::move(shapes)},
          {"threads", std::move(threads)},
          {"processes", std::move(processes)},
          {"what_if", std::move(answers)}};
}

namespace {

/// "2026-11-26 15:04" here; empty if it isn't known.
std::string date_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (seconds <= 0 || localtime_r(&time, &parts) == nullptr) {
    return "";
  }
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

/// What was recorded where and when, as far as the recording tells.
void add_facts(report::Page& page, const ProgramReport& report) {
  const interpose::RecordedPlace& place = report.place;
  std::string blas = place.blas;
  blas += place.kernels.empty() ? "" : fmt::format(", kernels {}", place.kernels);
  blas += place.threads ? fmt::format(", {}", counted(*place.threads, "thread")) : "";
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"Command", fmt::format("{}", fmt::join(report.view.summary.command, " "))},
                                                        {"Recorded", date_text(report.view.summary.started)},
                                                        {"CPU", place.cpu},
                                                        {"BLAS", blas},
                                                        {"LAPACK", place.lapack},
                                                        {"This page", date_text(std::time(nullptr)) + ", flopcast " + version()}}) {
    if (!value.empty()) {
      facts.emplace_back(name, value);
    }
  }
  page.add_facts(facts);
}

}  // namespace

report::Page program_page(const ProgramReport& report, const interpose::ProgramTraceFile& file) {
  const ProgramView& view = report.view;
  report::Page page(fmt::format("BLAS and LAPACK in {}", fmt::join(view.summary.command, " ")));
  add_facts(page, report);
  page.add_text(overview(view));
  if (view.peak) {
    page.add_text(fmt::format("Rates are compared with {}: {}.", view.peak->what, format_flop_rate(view.peak->flops_rate)));
  }
  for (const std::string& warning : report.warnings) {
    page.add_warning(warning);
  }
  if (view.breakdown.all().calls == 0) {
    return page;
  }
  if (!report.answers.empty()) {
    add_answers(page, report);
  }
  add_routines(page, view);
  add_shapes(page, report);
  add_timeline(page, view, file);
  page.add_heading("By thread");
  page.add_table(thread_table(view));
  if (view.breakdown.processes().size() > 1) {
    page.add_heading("By process");
    page.add_table(process_table(view));
  }
  return page;
}

}  // namespace flopcast::cli
