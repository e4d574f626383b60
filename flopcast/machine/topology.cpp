#include "flopcast/machine/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>

#include "flopcast/core/error.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/machine/control_group.hpp"

namespace flopcast::machine {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

HwlocTopology load_hwloc() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    throw environment_error("hwloc can't be initialised: {}", std::strerror(errno));
  }
  HwlocTopology topology(raw);
  if (hwloc_topology_load(raw) != 0) {
    throw environment_error("hwloc can't read this machine's topology: {}", std::strerror(errno));
  }
  return topology;
}

std::string info(hwloc_obj_t object, const char* name) {
  const char* value = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, name);
  return value == nullptr ? "" : value;
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
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
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

int distinct_cores(hwloc_topology_t topology, const std::vector<int>& cpus) {
  std::set<hwloc_obj_t> cores;
  for (const int cpu : cpus) {
    cores.insert(core_of(topology, cpu));
  }
  return std::max(1, static_cast<int>(cores.size()));
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

/// hwloc's figure comes from the memory nodes, which some virtual machines understate: the kernel's own counts where this machine is meant.
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
  result.usable_cores = distinct_cores(topology, result.usable);
  result.cpu_quota = control_group_limits().cpus;
  result.memory_bytes = memory_bytes(topology);
  result.caches = caches_above(topology, core_of(topology, result.usable.empty() ? 0 : result.usable.front()));
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
