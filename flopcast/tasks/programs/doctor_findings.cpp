#include "flopcast/tasks/programs/doctor_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

using program::CallSum;
using program::ProgramSummary;
using program::ShapeSum;

constexpr double noticeable = 0.01;  ///< share of the program's time below which nothing is worth a finding

/// Returns the command that runs the program with these options of `flopcast run`.
std::string run_command(const DiagnosisFacts& facts, const std::string& options) {
  const std::vector<std::string>& command = facts.program.summary().command;
  return fmt::format("flopcast run {}-- {}", options.empty() ? "" : options + " ",
                     shell_text(facts.anonymous ? anonymous_command(command) : command));
}

/// Returns how far times in calls count for the elapsed time of a program whose threads call at once.
double share_of_elapsed(const DiagnosisFacts& facts) { return 1 / std::max(1.0, facts.callers); }

bool is_noticeable(Seconds seconds, const DiagnosisFacts& facts) { return seconds > noticeable * facts.program.summary().seconds; }

/// Returns `dgemm (31 %), dsyrk (5 %)`: the routines that took most of the time in calls.
std::string heaviest(const DiagnosisFacts& facts) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, facts.breakdown.routines().size()); ++i) {
    const program::RoutineSum& routine = facts.breakdown.routines()[i];
    text += fmt::format("{}{} ({:.0f} %)", text.empty() ? "" : ", ", facts.program.summary().names[routine.name],
                        100 * routine.sum.seconds / std::max(facts.breakdown.all().seconds, 1e-12));
  }
  return text;
}

std::string calls_text(const DiagnosisFacts& facts) {
  return fmt::format("{} took {}: {}", counted(facts.breakdown.all().calls, "call"), format_seconds(facts.breakdown.all().seconds),
                     heaviest(facts));
}

/// The libraries that define BLAS and the recorded time in each.
std::map<std::string, Seconds> seconds_by_blas(const DiagnosisFacts& facts) {
  const ProgramSummary& summary = facts.program.summary();
  std::map<std::string, Seconds> seconds;
  for (const program::RoutineSum& routine : facts.breakdown.routines()) {
    if (routine.name < summary.name_libraries.size() && !summary.name_libraries[routine.name].empty()) {
      seconds[summary.name_libraries[routine.name]] += routine.sum.seconds;
    }
  }
  return seconds;
}

/// The changes that facts suggest, each number of threads once.
class ChangeList {
 public:
  explicit ChangeList(const DiagnosisFacts& facts) : facts_(facts), threads_(facts.place.threads.value_or(1)) {}

  std::vector<ExaminedChange> take() {
    add_threads();
    add_reference();
    add_kernels();
    add_several_blas();
    add_blocks();
    return std::move(all_);
  }

 private:
  void add(FindingCause cause, WhatIf change, std::string what, std::string evidence, std::string options) {
    Finding finding{cause, std::move(what), std::move(evidence), run_command(facts_, options), 0, {}};
    finding.seconds = facts_.breakdown.all().seconds;
    all_.push_back({std::move(change), std::move(finding)});
  }

  void add_threads() {
    const int cpus = std::max(1, static_cast<int>(std::floor(facts_.cpus + 0.01)));
    const std::string program_has = fmt::format("the program has {}", counted(cpus, "CPU"));
    if (facts_.callers >= 1.5 && threads_ > 1) {
      const int each = std::max(1, static_cast<int>(cpus / std::round(facts_.callers)));
      if (each < threads_) {
        add_thread_change(
            FindingCause::nested_threads, each,
            fmt::format("{:.1f} threads of the program call BLAS at once, and each call takes {} threads", facts_.callers, threads_),
            program_has);
      }
    } else if (threads_ > cpus) {
      add_thread_change(FindingCause::too_many_threads, cpus, fmt::format("BLAS takes {} threads, and {}", threads_, program_has),
                        calls_text(facts_));
    }
    if (threads_ > 1) {
      add_thread_change(FindingCause::threads_slow, 1, fmt::format("BLAS takes {} threads for calls that one does sooner", threads_),
                        calls_text(facts_));
    } else if (cpus > 1 && facts_.callers < 1.5) {
      add_thread_change(FindingCause::threads_unused, cpus, fmt::format("BLAS takes one thread, and {}", program_has), calls_text(facts_));
    }
  }

  /// Suggests other threads, with another BLAS where the recorded one has one thread only.
  void add_thread_change(FindingCause cause, int threads, std::string what, std::string evidence) {
    const bool same = std::any_of(all_.begin(), all_.end(), [&](const ExaminedChange& one) { return one.change.threads == threads; });
    if (same) {
      return;
    }
    WhatIf change;
    change.threads = threads;
    std::string options = fmt::format("--threads {}", threads);
    if (threads > 1 && has_one_thread(facts_.place.blas)) {
      change.blas = facts_.fast_blas;
      if (change.blas.empty() || has_one_thread(change.blas)) {
        return;
      }
      options += " --blas " + change.blas;
    }
    add(cause, std::move(change), std::move(what), std::move(evidence), std::move(options));
  }

  [[nodiscard]] bool has_one_thread(const std::string& blas) const { return facts_.has_one_thread && facts_.has_one_thread(blas); }

  void add_reference() {
    if (facts_.place.blas == "reference" && !facts_.fast_blas.empty()) {
      WhatIf change;
      change.blas = facts_.fast_blas;
      add(FindingCause::reference_blas, change, fmt::format("the program runs on the reference BLAS, and {} is installed", change.blas),
          calls_text(facts_), "--blas " + change.blas);
    }
  }

  void add_kernels() {
    if (facts_.misread_kernels) {
      WhatIf change;
      change.kernels = "auto";
      const std::string& variable = facts_.kernel_variable;
      add(FindingCause::misread_kernels, change,
          variable.empty() ? "BLAS chose kernels for another CPU" : "the variable " + variable + " selects slow kernels of BLAS",
          facts_.kernels, "");
      if (!variable.empty()) {  // 'flopcast run' changes no variable of the user
        all_.back().finding.remedy = fmt::format("env -u {} {}", variable, all_.back().finding.remedy);
      }
    }
  }

  void add_several_blas() {
    const std::map<std::string, Seconds> seconds = seconds_by_blas(facts_);
    if (seconds.size() < 2) {
      return;
    }
    std::string evidence;
    for (const auto& [file, time] : seconds) {
      evidence += fmt::format("{}{} in {}", evidence.empty() ? "" : ", ", format_seconds(time), file);
    }
    for (const auto& [file, time] : seconds) {
      WhatIf change;
      change.blas = program::library_name(file);
      const std::string text = "--blas " + change.blas;
      add(FindingCause::several_blas, std::move(change), "the program calls several BLAS libraries", evidence, text);
    }
  }

  void add_blocks() {
    WhatIf change;
    change.tuned_blocks = true;
    add(FindingCause::block_sizes, change, "LAPACK's block sizes aren't the best ones here", calls_text(facts_), "");
  }

  const DiagnosisFacts& facts_;
  int threads_;
  std::vector<ExaminedChange> all_;
};

/// Returns "dgeqrf with 32 instead of 64": the chosen block sizes that differ from the default.
std::string blocks_text(const std::vector<BlockChoice>& blocks) {
  std::string text;
  for (const BlockChoice& block : blocks) {
    if (block.chosen_nb != block.default_nb && !block.undecided) {
      text += fmt::format("{}{} with {} instead of {}", text.empty() ? "" : ", ", block.routine, block.chosen_nb, block.default_nb);
    }
  }
  return text;
}

/// Returns the sizes of the longest call that queries this block size, as arguments of `flopcast tune`: "n=1000".
std::string tuning_command(const std::vector<BlockChoice>& blocks, const DiagnosisFacts& facts) {
  const BlockChoice* best = nullptr;
  for (const BlockChoice& block : blocks) {
    const auto saved = [](const BlockChoice& one) { return one.default_seconds - one.chosen_seconds; };
    best = best == nullptr || saved(block) > saved(*best) ? &block : best;
  }
  if (best == nullptr) {
    return "";
  }
  std::string sizes;
  for (const program::SizeSpan& size : facts.breakdown.shapes().at(best->shape).sizes) {
    if (size.name == "m" || size.name == "n" || size.name == "k") {
      sizes += fmt::format(" {}={}", size.name, size.high);
    }
  }
  return fmt::format("flopcast tune {}{} --save && ", best->routine, sizes);
}

std::string interval_text(const Interval& gain) { return fmt::format("{} to {}", format_seconds(gain.low), format_seconds(gain.high)); }

/// Returns a finding whose gain lies between nothing and `limit`.
Finding limited(FindingCause cause, std::string what, std::string evidence, std::string remedy, Seconds seconds, Seconds limit) {
  return {cause, std::move(what), std::move(evidence), std::move(remedy), seconds, {0, limit}};
}

void add_other_programs(const DiagnosisFacts& facts, std::vector<Finding>& findings) {
  const ProgramSummary& summary = facts.program.summary();
  const double wanted = std::min(facts.cpus, std::max(1.0, facts.callers) * facts.place.threads.value_or(1));
  const Seconds taken = program::taken_by_others(summary, wanted);
  if (!is_noticeable(taken, facts)) {
    return;
  }
  findings.push_back(limited(FindingCause::other_programs, "other programs had the cores",
                             fmt::format("the program got {:.1f} of {:.1f} cores while other programs kept {:.1f} busy; its threads waited "
                                         "{} for a core",
                                         summary.cores_got, wanted, summary.other_cores, format_seconds(summary.waited_seconds)),
                             "run it when the machine is idle, or with a quota of its own; then diagnose it again", summary.seconds,
                             taken));
}

/// Returns the sums over the first calls whose page faults were counted; nothing if there are none.
std::optional<program::WatchedCall> watched_first_calls(const DiagnosisFacts& facts) {
  std::map<Seconds, const program::WatchedCall*> watched;
  for (const program::WatchedCall& call : facts.program.summary().watched) {
    watched[call.start] = &call;
  }
  std::optional<program::WatchedCall> sum;
  for (std::size_t thread = 0; !watched.empty() && thread < facts.program.summary().threads.size(); ++thread) {
    facts.program.visit(thread, [&](const program::ProgramEvent& event) {
      if (const auto found = watched.find(event.start); found != watched.end() && facts.breakdown.is_first_call(event)) {
        sum = sum.value_or(program::WatchedCall());
        sum->faults += found->second->faults;
        sum->system += found->second->system;
      }
    });
  }
  return sum;
}

void add_first_calls(const DiagnosisFacts& facts, std::vector<Finding>& findings) {
  const CallSum& first = facts.breakdown.first_calls();
  if (!is_noticeable(first.seconds, facts)) {
    return;
  }
  std::string evidence =
      fmt::format("{} took {}, far longer than others like them", counted(first.calls, "first call"), format_seconds(first.seconds));
  const std::optional<program::WatchedCall> watched = watched_first_calls(facts);
  const bool touches_memory = watched && watched->system > first.seconds / 2;
  if (watched) {
    evidence += fmt::format(". {} took {} of system time", counted(watched->faults, "page fault"), format_seconds(watched->system));
  }
  findings.push_back(limited(FindingCause::first_calls,
                             touches_memory ? "memory is touched for the first time in first calls"
                                            : "libraries start and memory is touched for the first time in first calls",
                             std::move(evidence),
                             touches_memory
                                 ? "allocate large arrays once and use them again, or let the system give large pages"
                                 : "let one process do more of the work, so that it starts once; fewer threads of BLAS start sooner",
                             first.seconds, first.seconds * share_of_elapsed(facts)));
}

void add_numbers(const DiagnosisFacts& facts, std::vector<Finding>& findings) {
  const CallSum& all = facts.breakdown.all();
  const auto part = [&](Seconds seconds) {
    const double percent = 100 * seconds / all.seconds;
    return fmt::format("calls that took {} ({} % of the time in calls) met them", format_seconds(seconds),
                       percent < 1 ? "under 1" : fmt::format("{:.0f}", percent));
  };
  if (is_noticeable(all.denormal_seconds, facts)) {
    findings.push_back(limited(FindingCause::denormals, "calls compute with denormal numbers, which many CPUs do slowly",
                               part(all.denormal_seconds),
                               "set tiny numbers to zero, scale the problem, or let the program flush denormal numbers to zero (FTZ, DAZ)",
                               all.denormal_seconds, all.denormal_seconds * share_of_elapsed(facts)));
  }
  if (all.invalid_seconds > 0) {  // however short: what they lead to is wrong
    findings.push_back(limited(FindingCause::invalid_numbers, "calls compute with NaN or Inf, and their results are undefined",
                               part(all.invalid_seconds), "find where the first NaN comes from: what follows is computed for nothing",
                               all.invalid_seconds, all.invalid_seconds * share_of_elapsed(facts)));
  }
}

constexpr std::int64_t many_calls = 1000;
constexpr Seconds small_call = 20e-6;

bool is_small(const ShapeSum& shape) {
  return !shape.first_calls && shape.longest.routine != nullptr && shape.sum.calls >= many_calls &&
         shape.sum.seconds < small_call * static_cast<double>(shape.sum.calls) && shape.sum.flops > 0;
}

/// Small calls whose arithmetic is a small part of their time at the rate of the peak.
void add_small_calls(const DiagnosisFacts& facts, std::vector<Finding>& findings) {
  if (!facts.peak) {
    return;
  }
  constexpr double mostly_arithmetic = 0.25;
  CallSum sum;
  std::string evidence;
  for (const ShapeSum& shape : facts.breakdown.shapes()) {
    const double of_peak = shape.sum.peak_flops / (facts.peak->flops_per_second * std::max(shape.sum.seconds, 1e-12));
    if (is_small(shape) && of_peak < mostly_arithmetic) {
      if (sum.calls == 0) {
        evidence = fmt::format("{} of {} ({}) take {} each, at {:.1f} % of the peak", counted(shape.sum.calls, "call"),
                               facts.program.summary().names[shape.name], program::to_string(shape.sizes),
                               format_seconds(shape.sum.seconds / static_cast<double>(shape.sum.calls)), 100 * of_peak);
      }
      sum += shape.sum;
    }
  }
  const Seconds lost = sum.seconds - sum.peak_flops / facts.peak->flops_per_second;
  if (is_noticeable(lost, facts)) {
    findings.push_back(limited(FindingCause::small_calls, "many calls are too small for BLAS", evidence,
                               "join them: one call with many columns, stacked arrays (numpy.matmul, flopcast.einsum), or a batched "
                               "contraction ('flopcast contract')",
                               sum.seconds, lost * share_of_elapsed(facts)));
  }
}

}  // namespace

double concurrent_callers(const program::RecordedProgram& program) {
  const std::size_t threads = program.summary().threads.size();
  std::vector<std::pair<Seconds, Seconds>> spans;
  Seconds sum = 0;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    program.visit(thread, [&](const program::ProgramEvent& event) {
      sum += event.seconds;
      if (event.seconds > 0 && threads > 1) {
        spans.emplace_back(event.start, event.start + event.seconds);
      }
    });
  }
  if (sum <= 0 || threads <= 1) {
    return sum > 0 ? 1 : 0;
  }
  std::sort(spans.begin(), spans.end());
  Seconds covered = 0, end = 0;
  for (const auto& [from, to] : spans) {
    covered += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return covered > 0 ? sum / covered : 1;
}

std::vector<ExaminedChange> suggested_changes(const DiagnosisFacts& facts) { return ChangeList(facts).take(); }

std::optional<Finding> judged(const ExaminedChange& change, const WhatIfResult& answer, const DiagnosisFacts& facts,
                              std::vector<std::string>& examined) {
  const std::string name = to_string(change.change);
  if (!answer.failure.empty()) {
    examined.push_back(fmt::format("{}: {}", name, answer.failure));
    return std::nullopt;
  }
  Finding finding = change.finding;
  finding.seconds = answer.recorded;
  const double share = share_of_elapsed(facts);
  finding.gain = {(answer.recorded - answer.interval.high) * share, (answer.recorded - answer.interval.low) * share};
  if (change.change.tuned_blocks) {
    const std::string blocks = blocks_text(answer.blocks);
    if (blocks.empty()) {
      examined.push_back(fmt::format("{}: the default block sizes are the best ones, or no call queries one", name));
      return std::nullopt;
    }
    finding.evidence = fmt::format("{} is predicted to be faster", blocks);
    finding.remedy = tuning_command(answer.blocks, facts) + finding.remedy;
  }
  if (finding.gain.low <= 0 || !is_noticeable(finding.gain.high, facts)) {
    examined.push_back(fmt::format("{}: {} recorded, {} predicted ({}): no certain gain", name, format_seconds(answer.recorded),
                                   format_seconds(answer.predicted), interval_text(answer.interval)));
    return std::nullopt;
  }
  return finding;
}

Call with_plain_operands(const Call& call) {
  Call plain = call;
  if (call.routine == nullptr) {
    return plain;
  }
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::increment && call.arguments[i] != 0) {
      plain.arguments[i] = 1;
    }
  }
  const std::string_view name = call.routine->name;
  if (name.size() == 5 && name.substr(1) == "gemm") {
    const auto at = [&](const char* argument) -> std::int64_t& {
      return plain.arguments[static_cast<std::size_t>(call.routine->index(argument))];
    };
    for (const auto& [trans, leading, rows] : {std::tuple{"transa", "lda", "m"}, std::tuple{"transb", "ldb", "k"}}) {
      if (at(trans) != 'N') {
        at(trans) = 'N';
        at(leading) = std::max<std::int64_t>(1, at(rows));
      }
    }
  }
  return plain;
}

namespace {

/// Returns the first shape whose operands aren't plain and whose calls take a noticeable time; nullptr if there is none.
const ShapeSum* unusual_shape(const DiagnosisFacts& facts) {
  for (const ShapeSum& shape : facts.breakdown.shapes()) {
    const bool changes = shape.longest.routine != nullptr && with_plain_operands(shape.longest).arguments != shape.longest.arguments;
    if (changes && !shape.first_calls && is_noticeable(shape.sum.seconds * share_of_elapsed(facts), facts)) {
      return &shape;
    }
  }
  return nullptr;
}

/// Returns how to mend the operands of a shape. Copies between orders are those of numpy.linalg, which makes them for arrays of either order.
std::string layout_remedy(const ShapeSum* shape) {
  const bool copies = shape != nullptr && shape->longest.routine->name.substr(1) == "copy";
  return copies ? "numpy.linalg copies arrays of either order to LAPACK's and back: call scipy.linalg with arrays in Fortran's order "
                  "(numpy.asfortranarray) and overwrite_a=True. In other programs store these operands the other way round"
                : "store these operands the other way round, or copy them once before many calls (numpy.asfortranarray, "
                  "numpy.ascontiguousarray)";
}

}  // namespace

std::string unusual_layout(const DiagnosisFacts& facts) {
  const ShapeSum* shape = unusual_shape(facts);
  return shape == nullptr ? ""
                          : fmt::format("{} such as {} took {}", counted(shape->sum.calls, "call"), kernel::format_call(shape->longest),
                                        format_seconds(shape->sum.seconds));
}

std::set<std::uint32_t> routines_of_unusual_layout(const program::ProgramBreakdown& breakdown) {
  std::set<std::uint32_t> names;
  for (const ShapeSum& shape : breakdown.shapes()) {
    if (shape.longest.routine != nullptr && with_plain_operands(shape.longest).arguments != shape.longest.arguments) {
      names.insert(shape.name);
    }
  }
  return names;
}

std::optional<Finding> judged_layout(const DiagnosisFacts& facts, Seconds seconds, const ExpectedTime& recorded, const ExpectedTime& plain,
                                     std::vector<std::string>& examined) {
  const double scale = recorded.seconds > 0 ? seconds / recorded.seconds * share_of_elapsed(facts) : 0;
  const Seconds middle = recorded.seconds - plain.seconds;
  const Seconds half = prediction::z95_two_sided * std::hypot(recorded.deviation, plain.deviation);
  const Interval gain = {(middle - half) * scale, std::min((middle + half) * scale, seconds * share_of_elapsed(facts))};
  if (gain.low <= 0 || !is_noticeable(gain.high, facts)) {
    examined.push_back(fmt::format("operands that are plain: {} and {} predicted: no certain gain", format_seconds(recorded.seconds),
                                   format_seconds(plain.seconds)));
    return std::nullopt;
  }
  return Finding{FindingCause::operand_layout,
                 "operands are transposed, or their elements aren't neighbours",
                 unusual_layout(facts),
                 layout_remedy(unusual_shape(facts)),
                 seconds,
                 gain};
}

std::vector<Finding> recorded_findings(const DiagnosisFacts& facts) {
  std::vector<Finding> findings;
  add_other_programs(facts, findings);
  add_first_calls(facts, findings);
  add_numbers(facts, findings);
  add_small_calls(facts, findings);
  if (std::optional<Finding> finding = contraction_finding(facts.program.summary().probed);
      finding && is_noticeable(finding->seconds, facts)) {
    findings.push_back(std::move(*finding));
  }
  return findings;
}

bool has_small_calls(const program::ProgramBreakdown& breakdown) {
  return std::any_of(breakdown.shapes().begin(), breakdown.shapes().end(), is_small);
}

}  // namespace flopcast
