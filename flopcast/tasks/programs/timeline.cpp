#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/recorded_timeline.hpp"

namespace flopcast {

using Event = Timeline::Event;
using program::ProgramEvent;

template <>
Fields FieldTable<Timeline::Arguments>::fields() {
  return {field<&T::name>("name of a process or thread").unless_empty(),
          field<&T::flags>("flags of a call").unless_empty(),
          field<&T::sizes>("sizes of a call").unless_empty(),
          field<&T::flops>("flops of a call; missing: none, or not known").unless_empty(),
          field<&T::flops_per_second>("rate of a call; missing: not known").unless_empty(),
          field<&T::library>("file of the called library, where the program called several for this routine").unless_empty(),
          field<&T::skipped>("a dry run skipped the call, whose time is that of skipping").unless_empty()};
}

template <>
Fields FieldTable<Event>::fields() {
  return {field<&T::phase>("X: a call; M: the name of a process or thread").named("ph"),
          field<&T::name>("routine, process_name or thread_name"),
          field<&T::category>("blas, lapack, or other for routines that flopcast doesn't know").named("cat").unless_empty(),
          field<&T::start_microseconds>("start since the recording began").named("ts").measured_in("us", Best::neither),
          field<&T::microseconds>("duration").named("dur").measured_in("us", Best::small),
          field<&T::pid>("number of the process"),
          field<&T::tid>("number of the thread"),
          field<&T::arguments>("details of the event").named("args")};
}

template <>
Fields FieldTable<Timeline::About>::fields() {
  return {inherited_fields<T, program::RecordingFacts>(), field<&T::calls>("number of recorded calls"),
          field<&T::omitted>("calls that aren't in the timeline"),
          field<&T::omitted_seconds>("time of the calls that aren't in the timeline"), field<&T::warnings>("defects of the recording")};
}

template <>
Fields FieldTable<Timeline>::fields() {
  return {field<&T::events>("names, then calls by rising start").named("traceEvents"),
          field<&T::about>("the recording, and which calls are missing").named("otherData")};
}

namespace {

constexpr const char* timeline_document = "flopcast-timeline-1";

struct RankedCall {
  double rank = 0;
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  ProgramEvent event;
};

Seconds duration(const ProgramEvent& event) { return event.seconds + event.skipping; }

/// Adds a call to those `limit` ones that have the highest ranks. Returns the call that has no place among them.
std::optional<RankedCall> keep(std::vector<RankedCall>& kept, std::size_t limit, RankedCall call) {
  const auto is_higher = [](const RankedCall& a, const RankedCall& b) { return a.rank > b.rank; };  // the lowest rank is in front
  if (kept.size() == limit && (limit == 0 || call.rank <= kept.front().rank)) {
    return call;
  }
  kept.push_back(std::move(call));
  std::push_heap(kept.begin(), kept.end(), is_higher);
  if (kept.size() <= limit) {
    return std::nullopt;
  }
  std::pop_heap(kept.begin(), kept.end(), is_higher);
  RankedCall lowest = std::move(kept.back());
  kept.pop_back();
  return lowest;
}

/// Returns the calls of a timeline, and sets facts about all calls.
std::vector<RankedCall> chosen_calls(const program::RecordedProgram& recorded, const TimelineRequest& request, const RunContext& context,
                                     Timeline::About& about) {
  constexpr std::int64_t poll = 4096;
  const auto limit = static_cast<std::size_t>(request.max_events);
  std::mt19937_64 random(request.seed);
  std::vector<RankedCall> longest, others;
  for (std::size_t thread = 0; thread < about.threads.size(); ++thread) {
    recorded.visit(thread, [&](const ProgramEvent& event) {
      if (about.calls++ % poll == 0) {
        context.throw_if_cancelled("no timeline was made");
      }
      std::optional<RankedCall> other = keep(longest, (limit + 1) / 2, {duration(event), thread, event});
      if (other) {
        other->rank = std::uniform_real_distribution<double>()(random);
        other = keep(others, limit / 2, std::move(*other));
      }
      if (other) {
        ++about.omitted;
        about.omitted_seconds += other->event.seconds;
      }
    });
  }
  longest.insert(longest.end(), others.begin(), others.end());
  return longest;
}

/// Returns the category of a routine by its name, which the name of a library may follow: "dgemm (blis)". Routines of LAPACK without info
/// are auxiliary ones.
std::string category_of(const std::string& name) {
  const std::string routine = name.substr(0, name.find(' '));
  const Routine* known = kernel::find(routine);
  if (known == nullptr) {
    return is_c_routine(routine) ? "blas" : "other";
  }
  return known->index("info") >= 0 || known->family.starts_with("la") ? "lapack" : "blas";
}

Timeline::Arguments arguments_of(const ProgramEvent& event) {
  Timeline::Arguments arguments;
  arguments.skipped = event.was_skipped();
  if (event.described()) {
    arguments.flags = flags(event.call);
    for (std::size_t i = 0; i < event.call.routine->arguments.size(); ++i) {
      if (const Argument& argument = event.call.routine->arguments[i]; argument.kind == Kind::size) {
        arguments.sizes[argument.name] = event.call.arguments[i];
      }
    }
    arguments.flops = flops(event.call);
    arguments.flops_per_second = event.seconds > 0 ? arguments.flops / event.seconds : 0;
  }
  return arguments;
}

/// Returns the program of a process, or the recorded program if the process has no command.
std::string program_of(std::uint32_t pid, const Timeline::About& about) {
  const std::vector<std::string>* command = &about.command;
  for (const program::RecordedProcess& process : about.processes) {
    command = process.pid == pid && !process.command.empty() ? &process.command : command;
  }
  return command->empty() ? fmt::format("process {}", pid) : command->front();
}

/// Returns the names of the processes and threads of these calls.
std::vector<Event> names_of(const std::vector<Event>& calls, const Timeline::About& about) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> threads;
  for (const Event& call : calls) {
    threads.emplace(call.pid, call.tid);
  }
  std::vector<Event> names;
  const auto add = [&](const char* what, std::uint32_t pid, std::uint32_t tid, const std::string& name) {
    names.push_back({"M", what, "", std::nullopt, std::nullopt, pid, tid, {.name = name}});
  };
  for (const auto& [pid, tid] : threads) {
    if (names.empty() || names.back().pid != pid) {
      add("process_name", pid, tid, program_of(pid, about));
    }
    add("thread_name", pid, tid, pid == tid ? "main thread" : fmt::format("thread {}", tid));
  }
  return names;
}

/// Returns whole nanoseconds. Times of damaged recordings may be centuries.
std::int64_t nanoseconds(double microseconds) {
  constexpr double latest = 9e18;
  return std::llround(std::min(1000 * microseconds, latest));
}

}  // namespace

void nest(std::vector<Event>& calls) {
  struct Span {
    std::int64_t begin, end;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Span>> open;  // spans of each thread that contain its latest call
  for (Event& call : calls) {
    std::vector<Span>& outer = open[{call.pid, call.tid}];
    Span span = {nanoseconds(*call.start_microseconds), nanoseconds(*call.start_microseconds + *call.microseconds)};
    span.begin = outer.empty() ? span.begin : std::max(span.begin, outer.back().begin);
    span.end = std::max(span.begin, span.end);
    while (!outer.empty() && (outer.back().end <= span.begin || span.end > outer.back().end)) {
      const std::int64_t common = outer.back().end - span.begin;
      if (common > 0 && common >= span.end - outer.back().end) {
        span.end = outer.back().end;
      } else {
        span.begin = std::max(span.begin, outer.back().end);
        outer.pop_back();
      }
    }
    outer.push_back(span);
    call.start_microseconds = static_cast<double>(span.begin) / 1000;
    call.microseconds = static_cast<double>(span.end - span.begin) / 1000;
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Event& a, const Event& b) { return a.start_microseconds < b.start_microseconds; });
}

Timeline timeline_of(const program::RecordedProgram& recorded, const TimelineRequest& request, const RunContext& context) {
  const program::ProgramSummary& summary = recorded.summary();
  const auto shown = [&](const std::string& text) { return request.anonymous ? without_paths(text) : text; };
  Timeline timeline;
  std::vector<Event>& events = timeline.events;
  static_cast<program::RecordingFacts&>(timeline.about) = summary;
  for (const RankedCall& call : chosen_calls(recorded, request, context, timeline.about)) {
    constexpr double microseconds = 1e6;  // of a second
    const auto [name, thread] = std::pair(call.event.name, summary.threads[call.thread]);
    events.push_back({"X", shown(summary.names[name]), category_of(summary.names[name]), microseconds * call.event.start,
                      microseconds * duration(call.event), thread.pid, thread.tid, arguments_of(call.event)});
    events.back().arguments.library = name < summary.name_libraries.size() ? shown(summary.name_libraries[name]) : "";
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(*a.start_microseconds, -*a.microseconds) < std::pair(*b.start_microseconds, -*b.microseconds);
  });
  nest(events);
  timeline.about.warnings = program::recording_warnings(summary, timeline.about.calls);
  if (request.anonymous) {
    timeline.about = nlohmann::json::parse(anonymous_json(nlohmann::json(timeline.about).dump())).get<Timeline::About>();
  }
  const std::vector<Event> names = names_of(events, timeline.about);
  events.insert(events.begin(), names.begin(), names.end());
  return timeline;
}

Timeline export_timeline(const TimelineRequest& request, const RunContext& context) {
  Timeline timeline = timeline_of(program::ProgramTraceFile(request.recording), request, context);
  std::for_each(timeline.about.warnings.begin(), timeline.about.warnings.end(), context.note);
  if (const Timeline::About& about = timeline.about; about.omitted > 0) {
    context.note(fmt::format("the timeline lacks {} of {}, with {}: the longest ones are there, and a random sample of the others",
                             about.omitted, counted(about.calls, "call"), format_seconds(about.omitted_seconds)));
  }
  return timeline;
}

/// Writes event by event, because a document of all of them would take several times the memory.
std::string to_json(const Timeline& timeline) {
  const auto text_of = [](const auto& part) { return nlohmann::json(part).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); };
  std::string text = R"({"displayTimeUnit": "ns", "traceEvents": [)";
  for (const Event& event : timeline.events) {
    text += (&event == timeline.events.data() ? "\n" : ",\n") + text_of(event);
  }
  return text + "\n],\n\"otherData\": " + text_of(timeline.about) + ",\n\"schema\": \"" + timeline_document + "\"}";
}

Timeline timeline_from_json(std::string_view text) { return from_document<Timeline>(text, "timeline", timeline_document); }

PublishedSchema timeline_schema() {
  return published(timeline_document, "Calls of a recorded program as trace events of Chrome and Perfetto", [](SchemaMaker& maker) {
    nlohmann::ordered_json timeline = maker.object<Timeline>();
    add_member(timeline, "displayTimeUnit", described(maker.of<std::string>(), "unit in which a viewer shows times"));
    return timeline;
  });
}

}  // namespace flopcast
