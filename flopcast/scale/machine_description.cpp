#include "flopcast/scale/machine_description.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "flopcast/scale/machine_description_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::scale {
namespace {

using nlohmann::json;

/// An object of the document whose members are read one by one; finish() rejects members that weren't read.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) {
      throw bad_input("{} must be an object, not {}", where_, shown(object));
    }
  }

  const json* find(const std::string& name) {
    known_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  double positive(const std::string& name, double otherwise) {
    const json* value = find(name);
    if (value == nullptr) {
      return otherwise;
    }
    if (!value->is_number() || !(value->get<double>() > 0) || !std::isfinite(value->get<double>())) {
      throw bad_input("{}: {} must be a number above 0, not {}", where_, name, shown(*value));
    }
    return value->get<double>();
  }
  std::int64_t whole(const std::string& name, std::int64_t otherwise, std::int64_t min, std::int64_t max) {
    const json* value = find(name);
    if (value == nullptr) {
      return otherwise;
    }
    if (!value->is_number_integer() || value->get<std::int64_t>() < min || value->get<std::int64_t>() > max) {
      throw bad_input("{}: {} must be a whole number from {} to {}, not {}", where_, name, min, max, shown(*value));
    }
    return value->get<std::int64_t>();
  }
  void finish() const {
    for (const auto& [name, value] : object_.items()) {
      if (known_.count(name) == 0) {
        throw bad_input("{}: there is no '{}'; there are {}", where_, name, fmt::join(known_, ", "));
      }
    }
  }

 private:
  const json& object_;
  std::string where_;
  std::set<std::string> known_;
};

json link_document(const Link& link) { return {{"latency_seconds", link.latency}, {"bytes_per_second", link.bytes_per_second}}; }

Link link_from_json(const json* document, const std::string& where, const Link& otherwise) {
  if (document == nullptr) {
    return otherwise;
  }
  Members members(*document, where);
  const Link link = {members.positive("latency_seconds", otherwise.latency),
                     members.positive("bytes_per_second", otherwise.bytes_per_second)};
  members.finish();
  return link;
}

std::vector<MessageClass> classes_from_json(const json* document, const std::string& where) {
  std::vector<MessageClass> classes;
  if (document == nullptr) {
    return classes;
  }
  if (!document->is_array()) {
    throw bad_input("{} must be a list, not {}", where, shown(*document));
  }
  for (const json& entry : *document) {
    Members members(entry, where);
    classes.push_back(
        {members.whole("bytes", 0, 0, INT64_MAX), members.positive("latency_factor", 1), members.positive("bandwidth_factor", 1)});
    members.finish();
    if (classes.size() > 1 && classes.back().bytes <= classes[classes.size() - 2].bytes) {
      throw bad_input("{}: bytes must grow from one entry to the next, but {} follows {}", where, classes.back().bytes,
                      classes[classes.size() - 2].bytes);
    }
  }
  return classes;
}

std::vector<std::string> texts_from_json(const json* document, const std::string& where) {
  const auto is_text = [](const json& entry) { return entry.is_string(); };
  if (document == nullptr) {
    return {};
  }
  if (!document->is_array() || !std::all_of(document->begin(), document->end(), is_text)) {
    throw bad_input("{} must be a list of texts, not {}", where, document->dump());
  }
  return document->get<std::vector<std::string>>();
}

}  // namespace

json machine_document(const MachineDescription& machine) {
  json document = {{"schema", machine_description_schema},
                   {"cores_per_host", machine.cores_per_host},
                   {"core_speed", machine.core_speed},
                   {"busy_core_speed", machine.busy_core_speed},
                   {"within_host", link_document(machine.within_host)},
                   {"between_hosts", link_document(machine.between_hosts)},
                   {"eager_bytes", machine.eager_bytes}};
  if (machine.hosts > 0) {
    document["hosts"] = machine.hosts;
  }
  for (const MessageClass& of : machine.message_classes) {
    document["message_classes"].push_back(
        {{"bytes", of.bytes}, {"latency_factor", of.latency_factor}, {"bandwidth_factor", of.bandwidth_factor}});
  }
  if (!machine.disturbances.empty()) {
    document["disturbances"] = machine.disturbances;
  }
  return document;
}

MachineDescription machine_from_document(const json& document, const std::string& source) {
  Members members(document, source);
  MachineDescription machine;
  members.find("schema");
  machine.hosts = static_cast<int>(members.whole("hosts", 0, 1, MachineDescription::max_hosts));
  machine.cores_per_host = static_cast<int>(members.whole("cores_per_host", 1, 1, MachineDescription::max_cores));
  machine.core_speed = members.positive("core_speed", 1);
  machine.busy_core_speed = members.positive("busy_core_speed", 1);
  machine.within_host = link_from_json(members.find("within_host"), source + ": within_host", machine.within_host);
  machine.between_hosts = link_from_json(members.find("between_hosts"), source + ": between_hosts", machine.between_hosts);
  machine.eager_bytes = members.whole("eager_bytes", machine.eager_bytes, 0, INT32_MAX);
  machine.message_classes = classes_from_json(members.find("message_classes"), source + ": message_classes");
  machine.disturbances = texts_from_json(members.find("disturbances"), source + ": disturbances");
  members.finish();
  return machine;
}

std::string to_json(const MachineDescription& machine) { return machine_document(machine).dump(2); }

MachineDescription machine_description_from_json(std::string_view text, const std::string& source) {
  const json document = parse_json(text, source, WrittenBy::hand);
  require_schema(document, source, machine_description_schema);
  return machine_from_document(document, source);
}

MachineDescription read_machine_description(const std::string& file) { return machine_description_from_json(read_file(file), file); }

std::vector<std::string> disturbances(const std::vector<MessageTime>& times) {
  constexpr double much = 0.25;
  constexpr double noticeable = 1.1;  // a change of protocol may make a longer message a little faster
  std::vector<std::string> all;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const MessageTime& time = times[i];
    if (time.spread > much) {
      all.push_back(fmt::format("times of messages of {} bytes lie {:.0f} % apart", time.bytes, 100 * time.spread));
    }
    if (i > 0 && times[i - 1].seconds > noticeable * time.seconds) {
      all.push_back(fmt::format("messages of {} bytes took longer ({}) than those of {} ({})", times[i - 1].bytes,
                                format_seconds(times[i - 1].seconds), time.bytes, format_seconds(time.seconds)));
    }
  }
  return all;
}

MachineDescription described_by(const std::vector<MessageTime>& times, int cores, std::int64_t eager_bytes) {
  if (times.size() < 2 || !(times.front().seconds > 0) || times.back().seconds <= times.front().seconds) {
    throw unusable_measurement("messages of {} sizes took from {} to {}; expected times that grow with the size", times.size(),
                               times.empty() ? 0.0 : times.front().seconds, times.empty() ? 0.0 : times.back().seconds);
  }
  MachineDescription machine;
  machine.hosts = 1;
  machine.cores_per_host = cores;
  machine.eager_bytes = eager_bytes;
  const MessageTime& last = times.back();
  const MessageTime& before = times[times.size() - 2];
  machine.within_host.latency = times.front().seconds;
  machine.within_host.bytes_per_second =
      static_cast<double>(last.bytes - before.bytes) / std::max(last.seconds - before.seconds, 1e-3 * last.seconds);
  machine.between_hosts = machine.within_host;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double bytes = static_cast<double>(times[i + 1].bytes - times[i].bytes);
    // The line through both points, with its slope cut where the latency would be negative, because times grow faster than sizes.
    const double slope = std::min(std::max(times[i + 1].seconds - times[i].seconds, 0.0) / bytes,
                                  0.99 * times[i].seconds / std::max(static_cast<double>(times[i].bytes), 1.0));
    const Seconds latency = times[i].seconds - slope * static_cast<double>(times[i].bytes);
    const double min_slope = 1e-3 / machine.within_host.bytes_per_second;
    machine.message_classes.push_back({i == 0 ? 0 : times[i].bytes, latency / machine.within_host.latency,
                                       1 / (machine.within_host.bytes_per_second * std::max(slope, min_slope))});
  }
  return machine;
}

}  // namespace flopcast::scale
