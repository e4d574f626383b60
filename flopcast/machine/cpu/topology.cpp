#include "flopcast/machine/cpu/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/control_group.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, TopologyDeleter>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

/// Returns the whole machine, with cores that a control group withholds. So jobs on a part of a node have the fingerprint of the whole node.
HwlocTopology load_hwloc() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    throw environment_error("hwloc can't be initialised: {}", std::strerror(errno));
  }
  HwlocTopology topology(raw);
  if (hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 || hwloc_topology_load(raw) != 0) {
    throw environment_error("hwloc can't read this machine's topology: {}", std::strerror(errno));
  }
  return topology;
}

/// Returns the text without the spaces by which some CPUs fill up their names; empty if the object has none.
std::string info(hwloc_obj_t object, const char* name) {
  const char* value = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, name);
  const std::string text = value == nullptr ? "" : value;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string cpu_name(hwloc_topology_t topology) {
  hwloc_obj_t source = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  if (info(source, "CPUModel").empty()) {
    source = hwloc_get_root_obj(topology);
  }
  std::string name = info(source, "CPUModel");
  if (name.empty()) {
    name = info(source, "Architecture").empty() ? "unknown CPU" : info(source, "Architecture");
  }
  const std::string family = info(source, "CPUFamilyNumber");
  return family.empty() ? name
                        : fmt::format("{} (family {}, model {}, stepping {})", name, family, info(source, "CPUModelNumber"),
                                      info(source, "CPUStepping"));
}

std::vector<int> allowed_cpus(hwloc_topology_t topology) {
  const Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (hwloc_topology_is_thissystem(topology) == 0 || hwloc_get_cpubind(topology, set.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(topology));
  }
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_allowed_cpuset(topology));
  std::vector<int> cpus;
  for (int cpu = hwloc_bitmap_first(set.get()); cpu >= 0; cpu = hwloc_bitmap_next(set.get(), cpu)) {
    cpus.push_back(cpu);
  }
  return cpus;
}

hwloc_obj_t core_of(hwloc_topology_t topology, int cpu) {
  hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
  hwloc_obj_t core = unit == nullptr ? nullptr : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
  return core == nullptr ? unit : core;  // some machines report no cores
}

std::vector<CpuPlace> places_of(hwloc_topology_t topology, const std::vector<int>& cpus) {
  std::vector<CpuPlace> places;
  for (const int cpu : cpus) {
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
    hwloc_obj_t core = core_of(topology, cpu);
    hwloc_obj_t socket = unit == nullptr ? nullptr : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, unit);
    places.push_back({cpu, core == nullptr ? cpu : static_cast<int>(core->logical_index),
                      socket == nullptr ? 0 : static_cast<int>(socket->logical_index)});
  }
  return places;
}

std::vector<ReportedCache> caches_above(hwloc_topology_t topology, hwloc_obj_t core) {
  std::vector<ReportedCache> caches;
  for (hwloc_obj_t object = core; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) == 0) {
      continue;
    }
    const auto& cache = object->attr->cache;
    const int shared_by = hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
    caches.push_back({static_cast<int>(cache.depth), static_cast<std::int64_t>(cache.size), static_cast<int>(cache.linesize),
                      std::max(0, cache.associativity), std::max(1, shared_by)});
  }
  return caches;
}

/// hwloc's description of a kind of cores.
struct ReportedCores {
  CoreKind kind;
  int efficiency = -1;  ///< large is fast; -1: not reported
  std::string type;     ///< such as IntelAtom
};

/// Returns true if the clocks differ by some percent only: of cores that are built alike, the best ones are chosen for the highest turbo.
bool are_alike(const ReportedCores& a, const ReportedCores& b) {
  constexpr double turbo = 1.15;
  const double low = std::min(a.kind.max_hertz, b.kind.max_hertz), high = std::max(a.kind.max_hertz, b.kind.max_hertz);
  return a.type == b.type && a.kind.caches == b.kind.caches && (low <= 0 || high <= turbo * low);
}

ReportedCores reported_kind(hwloc_topology_t topology, unsigned number, const std::vector<int>& usable) {
  constexpr double mega = 1e6;
  const Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  ReportedCores reported;
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  hwloc_cpukinds_get_info(topology, number, set.get(), &reported.efficiency, &count, &infos, 0);
  for (unsigned i = 0; i < count; ++i) {
    const std::string_view name = infos[i].name;
    if (name == "FrequencyMaxMHz") {
      reported.kind.max_hertz = mega * std::strtod(infos[i].value, nullptr);
    } else if (name == "CoreType") {
      reported.type = infos[i].value;
    }
  }
  for (const int cpu : usable) {
    if (hwloc_bitmap_isset(set.get(), static_cast<unsigned>(cpu)) != 0) {
      reported.kind.cpus.push_back(cpu);
    }
  }
  if (const int first = hwloc_bitmap_first(set.get()); first >= 0) {
    reported.kind.caches = caches_above(topology, core_of(topology, first));
  }
  return reported;
}

/// The kinds of the usable cores, the fastest first; none if all cores of the machine are alike.
std::vector<CoreKind> kinds_of(hwloc_topology_t topology, const std::vector<int>& usable) {
  std::vector<ReportedCores> reported;
  for (int i = 0; i < hwloc_cpukinds_get_nr(topology, 0); ++i) {
    ReportedCores one = reported_kind(topology, static_cast<unsigned>(i), usable);
    const auto alike = std::find_if(reported.begin(), reported.end(), [&](const ReportedCores& other) { return are_alike(one, other); });
    if (alike != reported.end()) {
      alike->kind.cpus.insert(alike->kind.cpus.end(), one.kind.cpus.begin(), one.kind.cpus.end());
      std::sort(alike->kind.cpus.begin(), alike->kind.cpus.end());
    } else {
      reported.push_back(std::move(one));
    }
  }
  if (reported.size() < 2) {
    return {};
  }
  std::stable_sort(reported.begin(), reported.end(), [](const ReportedCores& a, const ReportedCores& b) {
    return std::pair(a.efficiency, a.kind.max_hertz) > std::pair(b.efficiency, b.kind.max_hertz);
  });
  std::vector<CoreKind> kinds;
  for (std::size_t i = 0; i < reported.size(); ++i) {
    CoreKind& kind = reported[i].kind;
    kind.name = reported.size() > 2 ? fmt::format("kind {}", i + 1) : i == 0 ? "performance" : "efficiency";
    if (!kind.cpus.empty()) {
      kind.cores = busy_cores(places_of(topology, kind.cpus), 0);
      kinds.push_back(std::move(kind));
    }
  }
  return kinds;
}

/// Sets the kind of each place.
void set_kinds(std::vector<CpuPlace>& places, const std::vector<CoreKind>& kinds) {
  for (CpuPlace& place : places) {
    const auto of_place = [&](const CoreKind& kind) { return std::find(kind.cpus.begin(), kind.cpus.end(), place.cpu) != kind.cpus.end(); };
    place.kind = static_cast<int>(std::find_if(kinds.begin(), kinds.end(), of_place) - kinds.begin());
  }
}

/// Bytes of memory. hwloc sums the memory nodes, which some virtual machines understate, so that the kernel's figure counts for this
/// machine.
std::int64_t memory_bytes(hwloc_topology_t topology) {
  const std::int64_t kernel = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return hwloc_topology_is_thissystem(topology) != 0 ? kernel : static_cast<std::int64_t>(hwloc_get_root_obj(topology)->total_memory);
}

#if defined(__x86_64__)
double nominal_hertz() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x16U, &a, &b, &c, &d) != 0 ? (a & 0xFFFFU) * 1e6 : 0;
}
#else
double nominal_hertz() { return 0; }
#endif

double base_frequency_hertz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency");
  double kilohertz = 0;
  return file >> kilohertz ? kilohertz * 1e3 : nominal_hertz();
}

}  // namespace

Topology restricted_to(const Topology& topology, const std::string& kind) {
  const auto found = std::find_if(topology.kinds.begin(), topology.kinds.end(), [&](const CoreKind& one) { return one.name == kind; });
  if (found == topology.kinds.end()) {
    std::vector<std::string> names;
    for (const CoreKind& one : topology.kinds) {
      names.push_back(one.name);
    }
    throw bad_input("'{}' is no kind of cores that this process may use; {}", kind,
                    names.empty() ? "all are alike" : fmt::format("there are {}", fmt::join(names, ", ")));
  }
  Topology result = topology;
  result.kinds = {*found};
  result.usable = found->cpus;
  result.usable_cores = found->cores;
  result.caches = found->caches;
  const auto other = [&](const CpuPlace& place) {
    return std::find(found->cpus.begin(), found->cpus.end(), place.cpu) == found->cpus.end();
  };
  result.places.erase(std::remove_if(result.places.begin(), result.places.end(), other), result.places.end());
  return result;
}

std::vector<int> cpus_to_measure_on(const Topology& topology) {
  return topology.this_system && !topology.kinds.empty() ? topology.kinds.front().cpus : std::vector<int>();
}

double usable_cpus(const Topology& topology) {
  const auto cores = static_cast<double>(topology.usable_cores);
  return topology.cpu_quota > 0 ? std::min(topology.cpu_quota, cores) : cores;
}

Topology detect_topology() {
  const HwlocTopology loaded = load_hwloc();
  hwloc_topology_t topology = loaded.get();
  const auto count = [&](hwloc_obj_type_t type) { return std::max(1, hwloc_get_nbobjs_by_type(topology, type)); };
  Topology result;
  result.cpu = cpu_name(topology);
  result.sockets = count(HWLOC_OBJ_PACKAGE);
  result.cores = count(HWLOC_OBJ_CORE);
  result.hardware_threads = count(HWLOC_OBJ_PU);
  result.numa_nodes = count(HWLOC_OBJ_NUMANODE);
  result.usable = allowed_cpus(topology);
  result.places = places_of(topology, result.usable);
  result.kinds = kinds_of(topology, result.usable);
  set_kinds(result.places, result.kinds);
  result.usable_cores = busy_cores(result.places, 0);
  result.cpu_quota = control_group_limits().cpus;
  result.memory_bytes = memory_bytes(topology);
  const std::vector<int>& fastest = result.kinds.empty() ? result.usable : result.kinds.front().cpus;
  result.caches = caches_above(topology, core_of(topology, fastest.empty() ? 0 : fastest.front()));
  result.this_system = hwloc_topology_is_thissystem(topology) != 0;
  result.invariant_tsc = has_invariant_counter();
  result.nominal_hertz = base_frequency_hertz();
  return result;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
      ++last;
    }
    text += text.empty() ? "" : ",";
    text += first == last ? fmt::format("{}", cpus[first]) : fmt::format("{}-{}", cpus[first], cpus[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace flopcast::machine
