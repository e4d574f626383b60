#include "flopcast/tasks/programs/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/repeating_source.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/request_names.hpp"

namespace flopcast {

using program::ProgramEvent;
using program::RepeatedCall;

template <>
Fields FieldTable<ExtractedCalls::Case>::fields() {
  return {field<&T::call>("routine and arguments of the repeated call"), field<&T::calls>("number of recorded calls of this kind"),
          field<&T::seconds>("recorded time of these calls together; 0 where a dry run took none")};
}

template <>
Fields FieldTable<ExtractedCalls>::fields() {
  return {field<&T::source>("text of the program in C"), field<&T::cases>("the repeated calls, the worst first"),
          field<&T::remarks>("which other calls were recorded and why they are missing, and what else the reader must know"),
          field<&T::call_seconds>("recorded time of all BLAS and LAPACK calls")};
}

namespace {

constexpr const char* extract_document = "flopcast-extract-1";

/// Calls that one of them stands for.
struct CallKind {
  std::int64_t calls = 0;
  Seconds seconds = 0;
  double flops = 0;  ///< flops in single precision count half
  bool met_odd_numbers = false;
  std::vector<RepeatedCall> candidates;  ///< calls with their operands' distances, the first ones only

  void add(std::int64_t more_calls, Seconds more_seconds) {
    calls += more_calls;
    seconds += more_seconds;
  }
};

/// Returns the class of distances in which the median byte of all operands lies.
std::size_t median_class(const cache::CallAccess& access) {
  cache::BytesByDistance bytes{};
  for (const cache::OperandAccess& operand : access) {
    std::transform(bytes.begin(), bytes.end(), operand.bytes.begin(), bytes.begin(), std::plus<>());
  }
  const std::int64_t all = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  std::size_t c = 0;
  for (std::int64_t sum = bytes[0]; 2 * sum < all; sum += bytes[c]) {
    ++c;
  }
  return c;
}

/// Returns the call whose time is nearest to the mean.
RepeatedCall typical(const CallKind& kind) {
  const Seconds mean = kind.seconds / static_cast<double>(kind.calls);
  RepeatedCall call = *std::min_element(
      kind.candidates.begin(), kind.candidates.end(),
      [mean](const RepeatedCall& a, const RepeatedCall& b) { return std::abs(a.event.seconds - mean) < std::abs(b.event.seconds - mean); });
  call.calls = kind.calls;
  call.seconds = kind.seconds;
  if (kernel::iterates(*call.event.call.routine)) {
    call.remark = "The time depends on the numbers, which the recording doesn't have: these are random.";
  } else if (kind.met_odd_numbers) {
    call.remark = "Recorded calls met NaN, Inf or denormal numbers, which may have made them slow: these numbers are ordinary.";
  }
  return call;
}

/// Sorts the calls of a recording into kinds.
class Extractor {
 public:
  Extractor(const ExtractRequest& request, const RunContext& context) : request_(request), context_(context), opened_(request.recording) {
    for (const program::ShapeSum& shape : opened_.breakdown.shapes()) {
      if (shape.longest.routine != nullptr) {
        integer_bytes_ = shape.longest.integer_bytes;  // as in the calls with most time
        break;
      }
    }
  }

  ExtractedCalls run() {
    for (std::size_t thread = 0; thread < summary().threads.size(); ++thread) {
      read(thread);
    }
    const std::vector<const CallKind*> chosen = choose();
    ExtractedCalls extracted;
    extracted.call_seconds = opened_.breakdown.all().seconds;
    extracted.remarks = remarks();
    if (chosen.empty()) {
      throw bad_input("{} has no call that can be repeated{}", request_.recording,
                      missing_.empty() ? ": the program made none" : fmt::format(". {}", fmt::join(extracted.remarks, ". ")));
    }
    std::vector<RepeatedCall> calls;
    for (const CallKind* kind : chosen) {
      calls.push_back(typical(*kind));
      extracted.cases.push_back({kernel::format_call(calls.back().event.call), kind->calls, kind->seconds});
    }
    extracted.source = repeating_source(calls, {about(extracted), opened_.place.threads.value_or(0), integer_bytes_});
    for (const std::vector<std::string>& notes :
         {program::recording_warnings(summary(), opened_.breakdown.all().calls), extracted.remarks}) {
      std::for_each(notes.begin(), notes.end(), context_.note);
    }
    if (!opened_.place.cpu.empty() && !program::is_this_machine(opened_.place)) {
      context_.note(fmt::format("the program was recorded on another machine ('{}'), whose times the source holds", opened_.place.cpu));
    }
    return extracted;
  }

 private:
  [[nodiscard]] const program::ProgramSummary& summary() const { return opened_.file.summary(); }

  /// Returns why a call can't be repeated; empty if it can.
  [[nodiscard]] std::string reason_against(const ProgramEvent& event) const {
    if (!event.described()) {
      const std::string& name = summary().names[event.name];  // may have the library's file behind a blank
      return fmt::format("only the name or invalid arguments of {} are known", name.substr(0, name.find(' ')));
    }
    if (opened_.breakdown.is_first_call(event)) {
      return "first calls, in which a library starts or memory is used for the first time";
    }
    const Routine& routine = *event.call.routine;
    if (event.call.integer_bytes != integer_bytes_) {
      return fmt::format("{} was called with integers of {} bits, unlike other routines", routine.name, 8 * event.call.integer_bytes);
    }
    for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
      const Argument& argument = routine.arguments[i];
      if (argument.kind == Kind::flag && argument.values.find(event.call.flag(i)) == std::string::npos) {
        return fmt::format("{} with {}={} depends on values that the recording lacks", routine.name, argument.name, event.call.flag(i));
      }
    }
    const auto broken = std::find_if(routine.constraints.begin(), routine.constraints.end(),
                                     [&](const Constraint& one) { return one.slack.value(event.call.values()) < 0; });
    return broken == routine.constraints.end() ? "" : fmt::format("{} was called without {}", routine.name, broken->text);
  }

  void read(std::size_t thread) {
    constexpr std::size_t poll = 4096;
    std::vector<ProgramEvent> described;
    opened_.file.visit(thread, [&](const ProgramEvent& event) {
      if (event.described()) {
        described.push_back(event);
      }
      if (const std::string reason = reason_against(event); !reason.empty()) {
        missing_[reason].add(1, event.seconds);
      }
    });
    const Trace trace = program::to_trace(described);
    // The machine's caches aren't known. These sizes separate operands in the caches of a core, in a shared cache and in memory.
    cache::AccessTracker tracker(
        trace, {cache::Start::filled, 0, {std::int64_t{256} << 10, std::int64_t{4} << 20, std::int64_t{64} << 20}, cache_line_bytes});
    for (std::size_t i = 0; i < described.size(); ++i) {
      if (i % poll == 0) {
        context_.throw_if_cancelled("nothing was written");
      }
      const cache::CallAccess& access = tracker.next();
      if (reason_against(described[i]).empty()) {
        add(described[i], access);
      }
    }
  }

  void add(const ProgramEvent& event, const cache::CallAccess& access) {
    constexpr std::size_t max_candidates = 1000;
    CallKind& kind = kinds_[{opened_.breakdown.shape_of(event), model_key(event.call, std::to_string(median_class(access)), "")}];
    kind.add(1, event.seconds);
    kind.flops += flops(event.call) / (real_bytes(event.call.routine->precision) == 4 ? 2 : 1);
    kind.met_odd_numbers |= event.has_nan || event.met_invalid || event.met_denormals;
    if (kind.candidates.size() < max_candidates) {
      std::vector<std::int64_t>& distances = kind.candidates.emplace_back(RepeatedCall{event}).distances_bytes;
      std::transform(access.begin(), access.end(), std::back_inserter(distances),
                     [](const cache::OperandAccess& operand) { return operand.distance_bytes; });
    }
  }

  /// Returns the worst kinds and counts the others as missing.
  std::vector<const CallKind*> choose() {
    constexpr double noticeable = 0.01;
    const bool by_rate = request_.worst_by == ExtractOrder::rate;
    const auto is_candidate = [&](const CallKind& kind) {
      return !by_rate || (kind.flops > 0 && kind.seconds > noticeable * opened_.breakdown.all().seconds);
    };
    const auto weight = [&](const CallKind* kind) {
      return std::tuple(!is_candidate(*kind), by_rate && kind->seconds > 0 ? kind->flops / kind->seconds : -kind->seconds, -kind->flops);
    };
    std::vector<const CallKind*> chosen;
    for (const auto& [key, kind] : kinds_) {
      chosen.push_back(&kind);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [&](const CallKind* a, const CallKind* b) { return weight(a) < weight(b); });
    while (!chosen.empty() && (chosen.size() > static_cast<std::size_t>(request_.worst) || !is_candidate(*chosen.back()))) {
      missing_["kinds of calls beyond the worst ones"].add(chosen.back()->calls, chosen.back()->seconds);
      chosen.pop_back();
    }
    return chosen;
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> all;
    for (const auto& [reason, sum] : missing_) {
      all.push_back(fmt::format("Not repeated: {}, {} ({})", counted(sum.calls, "call"), format_seconds(sum.seconds), reason));
    }
    if (summary().dry_run) {
      all.emplace_back("The recording is a dry run: skipped calls have no recorded time");
    }
    if (program::threads_overlap(opened_.file)) {
      all.emplace_back("The program called BLAS from several threads at a time; the calls are repeated in one");
    }
    return all;
  }

  [[nodiscard]] std::string library_text(const std::string& path) const {
    std::string text = std::string(request_.anonymous ? file_name(path) : path);
    for (const program::LibraryState& state : summary().states) {
      if (state.path == path) {
        text += state.kernels.empty() ? "" : ", kernels " + state.kernels;
        text += state.threads ? ", " + counted(*state.threads, "thread") : "";
      }
    }
    return text;
  }

  /// Returns the lines of the source's first comment.
  [[nodiscard]] std::vector<std::string> about(const ExtractedCalls& extracted) const {
    const std::string& cpu = opened_.place.cpu;
    const Seconds repeated = std::accumulate(extracted.cases.begin(), extracted.cases.end(), 0.0,
                                             [](Seconds sum, const ExtractedCalls::Case& one) { return sum + one.seconds; });
    std::vector<std::string> lines = {
        fmt::format("BLAS and LAPACK calls of a recorded program, to repeat with any library. Written by flopcast {}.", version()), "",
        fmt::format("CPU: {}, {}", cpu.empty() ? "not known" : cpu, counted(summary().machine.cores, "core")),
        opened_.place.threads ? fmt::format("Threads of BLAS: {}", *opened_.place.threads)
                              : "Threads of BLAS: not known; OMP_NUM_THREADS sets them",
        fmt::format("Cases: {} of {}, with {} of {} in BLAS and LAPACK", extracted.cases.size(), counted(kinds_.size(), "kind"),
                    format_seconds(repeated), format_seconds(extracted.call_seconds))};
    if (!request_.anonymous) {
      lines.insert(lines.begin() + 2, fmt::format("Program: {}", fmt::join(summary().command, " ")));
    }
    for (const std::string& path : summary().libraries) {
      lines.push_back("Library: " + library_text(path));
    }
    lines.insert(lines.end(), extracted.remarks.begin(), extracted.remarks.end());
    return lines;
  }

  const ExtractRequest& request_;
  const RunContext& context_;
  OpenedRecording opened_;
  int integer_bytes_ = 4;
  std::map<std::pair<std::size_t, ModelKey>, CallKind> kinds_;
  std::map<std::string, CallKind> missing_;  ///< calls that aren't repeated, by reason
};

}  // namespace

ExtractedCalls extract_calls(const ExtractRequest& request, const RunContext& context) { return Extractor(request, context).run(); }

std::string to_json(const ExtractedCalls& extracted) { return to_document(extracted, extract_document).dump(2); }
ExtractedCalls extracted_calls_from_json(std::string_view text) {
  return from_document<ExtractedCalls>(text, "extracted calls", extract_document);
}

PublishedSchema extract_schema() { return published<ExtractedCalls>(extract_document, "Program in C that repeats recorded calls"); }

}  // namespace flopcast
