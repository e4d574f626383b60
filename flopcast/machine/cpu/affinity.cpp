#include "flopcast/machine/cpu/topology.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Keys by which places are ordered: the number of the thread within its core comes first, then the kind, then the socket or taking turns.
struct Rank {
  int thread_of_core = 0, core_of_socket = 0;
};

std::map<int, Rank> ranks(const std::vector<CpuPlace>& places) {
  std::map<int, Rank> ranks;
  std::map<int, int> threads;               // by core
  std::map<int, std::map<int, int>> cores;  // by socket, then core
  for (const CpuPlace& place : places) {
    auto& numbers = cores[place.socket];
    const int number = numbers.try_emplace(place.core, static_cast<int>(numbers.size())).first->second;
    ranks[place.cpu] = {threads[place.core]++, number};
  }
  return ranks;
}

}  // namespace

std::string_view to_string(Affinity affinity) noexcept { return affinity == Affinity::close ? "close" : "spread"; }

std::vector<int> choose_cpus(std::vector<CpuPlace> places, int threads, Affinity affinity) {
  if (threads < 1 || static_cast<std::size_t>(threads) > places.size()) {
    throw bad_input("{} threads given, expected 1 to {}, the hardware threads that this process may run on", threads, places.size());
  }
  const std::map<int, Rank> by_cpu = ranks(places);
  const auto key = [&](const CpuPlace& place) {
    const Rank& rank = by_cpu.at(place.cpu);
    return affinity == Affinity::close ? std::tuple(rank.thread_of_core, place.kind, place.socket, rank.core_of_socket)
                                       : std::tuple(rank.thread_of_core, place.kind, rank.core_of_socket, place.socket);
  };
  std::stable_sort(places.begin(), places.end(), [&](const CpuPlace& a, const CpuPlace& b) { return key(a) < key(b); });
  std::vector<int> cpus;
  cpus.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    cpus.push_back(places[static_cast<std::size_t>(i)].cpu);
  }
  return cpus;
}

int busy_cores(const std::vector<CpuPlace>& places, double cpu_quota) {
  std::set<int> cores;
  for (const CpuPlace& place : places) {
    cores.insert(place.core);
  }
  const int count = std::max(1, static_cast<int>(cores.size()));
  return cpu_quota > 0 ? std::clamp(static_cast<int>(std::floor(cpu_quota)), 1, count) : count;
}

namespace {

/// The CPUs that the calling thread may run on; none where the system doesn't say.
std::vector<int> cpus_of_this_thread() {
  static constexpr int most = 1 << 16;
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
  std::vector<unsigned long> words(bytes / sizeof(unsigned long), 0);
  auto* set = reinterpret_cast<cpu_set_t*>(words.data());
  std::vector<int> cpus;
  if (pthread_getaffinity_np(pthread_self(), bytes, set) == 0) {
    for (int cpu = 0; cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

}  // namespace

PinnedFor::PinnedFor(const std::vector<int>& cpus) {
  if (!cpus.empty()) {
    before_ = cpus_of_this_thread();
    pin_this_thread(cpus);
  }
}

PinnedFor::~PinnedFor() {
  if (!before_.empty()) {
    try {
      pin_this_thread(before_);
    } catch (const Error&) {  // the process lost CPUs meanwhile: the thread stays where it is
    }
  }
}

void pin_this_thread(const std::vector<int>& cpus) {
  const int most = cpus.empty() ? 0 : *std::max_element(cpus.begin(), cpus.end()) + 1;
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
  std::vector<unsigned long> words(bytes / sizeof(unsigned long) + 1, 0);
  auto* set = reinterpret_cast<cpu_set_t*>(words.data());
  for (const int cpu : cpus) {
    CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  }
  if (const int failure = pthread_setaffinity_np(pthread_self(), bytes, set); failure != 0) {
    throw environment_error("the system doesn't let a thread be pinned to CPU {}: {}", format_cpu_list(cpus), std::strerror(failure));
  }
}

}  // namespace flopcast::machine
