#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

/// Rules of the trace event format, as far as viewers of traces rely on them. Perfetto drops events that break one, or moves them
/// to another track.
namespace flopcast::tests {

class TraceEventRules {
 public:
  /// Returns the first broken rule, "event 3: dur is negative"; empty if there is none.
  static std::string violation(const nlohmann::json& document) {
    TraceEventRules rules;
    const nlohmann::json& unit = document.at("displayTimeUnit");
    std::string fault = unit == "ns" || unit == "ms" ? "" : "displayTimeUnit is neither ns nor ms";
    std::size_t number = 0;
    for (const nlohmann::json& event : document.at("traceEvents")) {
      const std::string wrong = rules.fault_of(event);
      fault = fault.empty() && !wrong.empty() ? "event " + std::to_string(number) + ": " + wrong : fault;
      ++number;
    }
    return fault;
  }

 private:
  using Track = std::pair<std::int64_t, std::int64_t>;
  struct Open {
    std::int64_t latest = 0;         ///< begin of the latest event
    std::vector<std::int64_t> ends;  ///< ends of the latest event and of those that contain it
  };

  std::string fault_of(const nlohmann::json& event) {
    for (const char* member : {"pid", "tid"}) {
      if (!event.contains(member) || !event[member].is_number_unsigned()) {
        return std::string(member) + " is no number";
      }
    }
    if (!event.contains("name") || !event["name"].is_string() || event["name"] == "" || !event.at("args").is_object()) {
      return "no name, or no args";
    }
    const std::string phase = event.at("ph");
    if (phase == "s" || phase == "f") {
      return fault_of_flow(event, phase == "s");
    }
    return phase == "M" ? fault_of_name(event) : phase == "X" ? fault_of_call(event) : "unknown phase " + phase;
  }

  /// A flow begins once and ends once, later.
  std::string fault_of_flow(const nlohmann::json& event, bool begins) {
    const auto id = event.at("id").get<std::int64_t>();
    const double time = event.at("ts");
    const bool is_right = begins ? flows_.emplace(id, time).second : flows_.count(id) != 0 && flows_[id] <= time + 1e-3;
    return is_right && threads_.count(track_of(event)) != 0 ? "" : "is no flow between named threads";
  }

  std::string fault_of_name(const nlohmann::json& event) {
    const bool of_process = event["name"] == "process_name";
    if (event["args"].value("name", "").empty() || !(of_process || event["name"] == "thread_name")) {
      return "names nothing";
    }
    const bool is_new = of_process ? processes_.insert(event["pid"].get<std::int64_t>()).second : threads_.insert(track_of(event)).second;
    return is_new ? "" : "a name is given twice";
  }

  std::string fault_of_call(const nlohmann::json& event) {
    if (!event.at("ts").is_number() || !event.at("dur").is_number()) {
      return "ts or dur is no number";
    }
    const double begin_nanoseconds = 1000 * event["ts"].get<double>(), duration = 1000 * event["dur"].get<double>();
    const std::int64_t begin = std::llround(begin_nanoseconds), end = begin + std::llround(duration);
    if (begin < 0 || end < begin) {
      return "ts or dur is negative";
    }
    if (processes_.count(event["pid"].get<std::int64_t>()) == 0 || threads_.count(track_of(event)) == 0) {
      return "its process or thread has no name";
    }
    Open& open = open_[track_of(event)];
    if (begin < open.latest) {
      return "begins before the event above it";
    }
    open.latest = begin;
    while (!open.ends.empty() && open.ends.back() <= begin) {
      open.ends.pop_back();
    }
    if (!open.ends.empty() && end > open.ends.back()) {
      return "begins in another event and ends after it";
    }
    open.ends.push_back(end);
    return "";
  }

  static Track track_of(const nlohmann::json& event) { return {event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>()}; }

  std::set<std::int64_t> processes_;
  std::set<Track> threads_;
  std::map<Track, Open> open_;
  std::map<std::int64_t, double> flows_;  ///< begins
};

}  // namespace flopcast::tests
