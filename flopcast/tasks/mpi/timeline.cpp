#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "flopcast/support/error.hpp"
#include "flopcast/support/schema.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

constexpr const char* timeline_schema = "flopcast-mpi-timeline-1";
enum Track : int { program_track = 0, path_track = 1 };

Track track_of(const MpiEvent& event) { return event.category == "path" ? path_track : program_track; }

/// Begin and end of an event in whole nanoseconds.
struct EventSpan {
  std::int64_t begin = 0, end = 0;
};

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

/// Returns the events' spans, such that those of each track are nested or follow one another, as viewers require. `events` are sorted by
/// rising start, longer ones first.
std::vector<EventSpan> nested_spans(const std::vector<MpiEvent>& events) {
  const auto whole = [](Seconds seconds) {
    constexpr double nanosecond = 1e-9, latest = 9e18;
    return std::llround(std::clamp(seconds / nanosecond, 0.0, latest));
  };
  std::map<std::pair<int, int>, std::vector<std::int64_t>> open;  // ends of the events of each track that contain its latest one
  std::vector<EventSpan> spans;
  for (const MpiEvent& event : events) {
    std::vector<std::int64_t>& ends = open[{event.rank, track_of(event)}];
    EventSpan span = {whole(event.begin), whole(event.begin + event.seconds)};
    while (!ends.empty() && ends.back() <= span.begin) {
      ends.pop_back();
    }
    span.end = ends.empty() ? span.end : std::min(span.end, ends.back());
    ends.push_back(span.end);
    spans.push_back(span);
  }
  return spans;
}

json event_of(const char* phase, const std::string& name, int rank, int track) {
  return {
      {"ph", phase}, {"name", name}, {"pid", static_cast<unsigned>(rank)}, {"tid", static_cast<unsigned>(track)}, {"args", json::object()}};
}

std::vector<json> names_of(const MpiProfile& profile) {
  std::vector<json> names;
  for (int rank = 0; rank < profile.ranks; ++rank) {
    const auto add = [&](const char* what, int track, const std::string& name) {
      names.push_back(event_of("M", what, rank, track));
      names.back()["args"] = {{"name", name}};
    };
    add("process_name", program_track, fmt::format("rank {}", rank));
    add("thread_name", program_track, "program");
    add("thread_name", path_track, "critical path");
  }
  return names;
}

/// Returns an arrow from each part of the critical path to the next one.
std::vector<json> flows_of(const std::vector<MpiEvent>& events, const std::vector<EventSpan>& spans) {
  std::vector<json> flows;
  std::size_t before = events.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (track_of(events[i]) != path_track) {
      continue;
    }
    if (before < events.size()) {
      const auto add = [&](const char* phase, std::size_t at, std::int64_t nanoseconds) -> json& {
        flows.push_back(event_of(phase, "critical path", events[at].rank, path_track));
        flows.back().update({{"cat", "path"}, {"id", before}, {"ts", microseconds(nanoseconds)}});
        return flows.back();
      };
      add("s", before, std::max(spans[before].begin, spans[before].end - 1));
      add("f", i, spans[i].begin)["bp"] = "e";
    }
    before = i;
  }
  return flows;
}

}  // namespace

std::string trace_events_of(const MpiProfile& profile) {
  if (!profile.timeline || profile.timeline->events.empty()) {
    throw bad_input("the profile has no events. They need wall time and policy full (--clock wall --policy full)");
  }
  std::vector<MpiEvent> events = profile.timeline->events;
  std::stable_sort(events.begin(), events.end(),
                   [](const MpiEvent& a, const MpiEvent& b) { return std::pair(a.begin, -a.seconds) < std::pair(b.begin, -b.seconds); });
  const std::vector<EventSpan> spans = nested_spans(events);
  std::vector<json> all = names_of(profile);
  for (std::size_t i = 0; i < events.size(); ++i) {
    all.push_back(event_of("X", events[i].name, events[i].rank, track_of(events[i])));
    all.back().update(
        {{"cat", events[i].category}, {"ts", microseconds(spans[i].begin)}, {"dur", microseconds(spans[i].end - spans[i].begin)}});
  }
  const std::vector<json> flows = flows_of(events, spans);
  all.insert(all.end(), flows.begin(), flows.end());
  const json about = {{"ranks", profile.ranks}, {"omitted_events", profile.timeline->omitted_events}};
  std::string text = R"({"displayTimeUnit": "ns", "traceEvents": [)";
  for (const json& event : all) {
    text += (&event == all.data() ? "\n" : ",\n") + event.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return text + "\n],\n\"otherData\": " + about.dump() + ",\n\"schema\": \"" + timeline_schema + "\"}\n";
}

PublishedSchema mpi_timeline_schema() {
  return published(timeline_schema, "Events of an MPI program as trace events of Chrome and Perfetto", [](SchemaMaker& maker) {
    const nlohmann::ordered_json events = {{"type", "array"}, {"items", {{"type", "object"}}}};
    const nlohmann::ordered_json about =
        object_schema({{"ranks", described(maker.of<int>(), "number of processes")},
                       {"omitted_events", described(maker.of<double>(), "events without a place: short ones")}});
    return object_schema({{"displayTimeUnit", described(maker.of<std::string>(), "unit in which a viewer shows times")},
                          {"traceEvents", described(events, "names, events by rising start, then flows along the critical path")},
                          {"otherData", described(about, "the profile, and how many events are missing")}});
  });
}

}  // namespace flopcast
