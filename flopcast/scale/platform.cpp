#include "flopcast/scale/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <string_view>

#include <pugixml.hpp>

#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::scale {
namespace {

/// Settings for every platform: times below a nanosecond don't matter, tests of requests take a microsecond, and code between MPI calls is
/// measured if it takes longer than reading the clock.
std::vector<std::string> common_arguments(double flops_per_second, std::int64_t eager_bytes) {
  return {"--cfg=surf/precision:1e-9",
          "--cfg=smpi/cpu-threshold:1e-7",
          "--cfg=smpi/test:1e-6",
          "--cfg=smpi/iprobe:1e-6",
          "--cfg=smpi/grow-injected-times:no",
          "--cfg=smpi/coll-selector:ompi",
          fmt::format("--cfg=smpi/host-speed:{:.17g}f", flops_per_second),
          fmt::format("--cfg=smpi/send-is-detached-thresh:{}", eager_bytes),
          fmt::format("--cfg=smpi/async-small-thresh:{}", eager_bytes)};
}

/// Returns factors by size, such as `0:1;4096:2.5`: 2.5 from 4096 bytes on.
std::string factors(const std::vector<MessageClass>& classes, double MessageClass::*factor) {
  std::vector<std::string> parts;
  if (classes.empty() || classes.front().bytes > 0) {
    parts.emplace_back("0:1");
  }
  for (const MessageClass& of : classes) {
    parts.push_back(fmt::format("{}:{:.9g}", of.bytes, of.*factor));
  }
  return fmt::format("{}", fmt::join(parts, ";"));
}

/// SimGrid's hosts: the hosts of the machine, or the cores of a single host.
struct Nodes {
  int count = 1, cores = 1;
  Link network;  ///< network between the nodes
};

/// Chooses the nodes. Within a host, SimGrid gives every message the full bandwidth, however many messages there are. If there is only one
/// host, each of its cores therefore becomes a node. Sending and receiving at the same time then share the bandwidth of one core's copies.
Nodes nodes_of(const MachineDescription& machine, int hosts, int needed, int ranks) {
  return needed == 1 ? Nodes{ranks, 1, machine.within_host} : Nodes{hosts, machine.cores_per_host, machine.between_hosts};
}

std::string xml_of(const MachineDescription& machine, const Nodes& nodes, int ranks) {
  const bool busy = machine.cores_per_host > 1 && ranks > 1;
  // A message between nodes passes two links, each with half of the latency.
  return fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <cluster id=\"machine\" prefix=\"host-\" suffix=\"\" radical=\"0-{}\" speed=\"{:.17g}f\" core=\"{}\" bw=\"{:.17g}Bps\" "
      "lat=\"{:.17g}s\"\n"
      "           loopback_bw=\"{:.17g}Bps\" loopback_lat=\"{:.17g}s\"/>\n"
      "</platform>\n",
      nodes.count - 1, core_flops_per_second * machine.core_speed * (busy ? machine.busy_core_speed : 1), nodes.cores,
      nodes.network.bytes_per_second, nodes.network.latency / 2, machine.within_host.bytes_per_second, machine.within_host.latency);
}

pugi::xml_document parsed(const std::string& xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) {
    document.reset();
  }
  return document;
}

/// Returns the elements called `name` of a platform file in their order; none if the file isn't XML.
std::vector<pugi::xml_node> elements(const pugi::xml_document& document, const char* name) {
  struct PlatformCollector : pugi::xml_tree_walker {
    explicit PlatformCollector(const char* wanted) : name(wanted) {}
    bool for_each(pugi::xml_node& node) override {
      if (std::string_view(node.name()) == name) {
        found.push_back(node);
      }
      return true;
    }
    std::string_view name;
    std::vector<pugi::xml_node> found;
  };
  PlatformCollector collector(name);
  pugi::xml_node root = document;
  root.traverse(collector);
  return collector.found;
}

/// Returns the numbers in a list such as `0-3,7`; parts that are none are skipped.
std::vector<int> radical_numbers(std::string_view radical) {
  std::vector<int> numbers;
  for (const std::string_view part : split(radical, ',')) {
    int first = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), first);
    if (error != std::errc() || first < 0) {
      continue;
    }
    int last = first;
    if (end != part.data() + part.size() && *end == '-') {
      std::from_chars(end + 1, part.data() + part.size(), last);
    }
    for (std::int64_t i = first; i <= last && i - first <= MachineDescription::max_hosts; ++i) {
      numbers.push_back(static_cast<int>(i));
    }
  }
  return numbers;
}

}  // namespace

Platform platform_of(const MachineDescription& machine, int ranks) {
  const int needed = ceil_div(ranks, machine.cores_per_host);
  const int hosts = machine.hosts > 0 ? machine.hosts : needed;
  if (needed > hosts) {
    throw bad_input(
        "{} need {} of {} each, one process on a core, but the machine's description says \"hosts\": {}. Leave that member out for as many "
        "hosts as are needed, or change it",
        counted(ranks, "process"), counted(needed, "host"), counted(machine.cores_per_host, "core"), hosts);
  }
  Platform platform;
  const Nodes nodes = nodes_of(machine, hosts, needed, ranks);
  platform.xml = xml_of(machine, nodes, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    platform.hosts += fmt::format("host-{}\n", rank / nodes.cores);
  }
  platform.arguments = common_arguments(core_flops_per_second, machine.eager_bytes);
  // The network model with factors by size replaces the built-in factors, which were measured on a certain Ethernet.
  platform.arguments.insert(
      platform.arguments.end(),
      {"--cfg=network/model:SMPI", "--cfg=network/TCP-gamma:0", "--cfg=network/weight-S:0", "--cfg=network/crosstraffic:0",
       "--cfg=smpi/lat-factor:" + factors(machine.message_classes, &MessageClass::latency_factor),
       "--cfg=smpi/bw-factor:" + factors(machine.message_classes, &MessageClass::bandwidth_factor)});
  return platform;
}

std::optional<double> first_speed(const std::string& xml) {
  static const std::map<std::string, double> units = {{"", 1},     {"f", 1},    {"flops", 1}, {"kf", 1e3},
                                                      {"Mf", 1e6}, {"Gf", 1e9}, {"Tf", 1e12}, {"Pf", 1e15}};
  const pugi::xml_document document = parsed(xml);
  for (const char* element : {"host", "cluster"}) {
    const std::vector<pugi::xml_node> found = elements(document, element);
    if (found.empty()) {
      continue;
    }
    const std::string speeds = found.front().attribute("speed").value();
    const std::string text = speeds.substr(0, speeds.find(','));  // the other speeds are those of power states
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto unit = units.find(std::string(end, text.data() + text.size()));
    if (error == std::errc() && unit != units.end() && value > 0) {
      return value * unit->second;
    }
  }
  return std::nullopt;
}

std::vector<std::string> host_names(const std::string& xml) {
  const pugi::xml_document document = parsed(xml);
  std::vector<std::string> names;
  for (const pugi::xml_node& host : elements(document, "host")) {
    names.emplace_back(host.attribute("id").value());
  }
  for (const pugi::xml_node& cluster : elements(document, "cluster")) {
    for (const int number : radical_numbers(cluster.attribute("radical").value())) {
      names.push_back(fmt::format("{}{}{}", cluster.attribute("prefix").value(), number, cluster.attribute("suffix").value()));
    }
  }
  return names;
}

std::vector<std::string> foreign_arguments(double flops_per_second, std::int64_t eager_bytes) {
  std::vector<std::string> arguments = common_arguments(flops_per_second, eager_bytes);
  arguments.emplace_back("--cfg=network/model:SMPI");
  return arguments;
}

}  // namespace flopcast::scale
