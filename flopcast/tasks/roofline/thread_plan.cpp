#include "flopcast/tasks/roofline/thread_plan.hpp"

#include <map>
#include <set>

namespace flopcast {
namespace {

/// A library with a number of threads.
struct GemmLibrary {
  std::string name;
  int threads = 1;
};

/// Returns the default library with one thread, and for more threads the first installed one that can have them.
std::vector<GemmLibrary> default_gemm_libraries(const std::vector<int>& threads, const DefaultLibraries& defaults,
                                                std::vector<std::string>& findings) {
  if (defaults.one_thread.empty()) {
    findings.emplace_back("no BLAS library is installed, so there is no gemm roof; on Debian: apt-get install libopenblas0-pthread");
    return {};
  }
  std::vector<GemmLibrary> chosen = {{defaults.one_thread, 1}};
  for (const int count : threads) {
    if (count > 1 && !defaults.several_threads.empty()) {
      chosen.push_back({defaults.several_threads, count});
    }
  }
  if (threads.size() > 1 && defaults.several_threads.empty()) {
    findings.emplace_back(
        "no BLAS library with threads is installed, so gemm was measured on one core only; on Debian: apt-get install "
        "libopenblas0-pthread");
  }
  return chosen;
}

std::vector<GemmLibrary> gemm_libraries(const RooflineRequest& request, const std::vector<int>& threads, const DefaultLibraries& defaults,
                                        std::vector<std::string>& findings) {
  if (request.blas.empty()) {
    return default_gemm_libraries(threads, defaults, findings);
  }
  std::vector<GemmLibrary> chosen;
  for (const std::string& library : request.blas) {
    for (const int count : threads) {
      chosen.push_back({library, count});
    }
  }
  return chosen;
}

}  // namespace

machine::Topology requested_cores(const RooflineRequest& request, const machine::Topology& topology) {
  if (request.cores == "all" || (request.cores.empty() && topology.kinds.empty())) {
    return topology;
  }
  return machine::restricted_to(topology, request.cores.empty() ? topology.kinds.front().name : request.cores);
}

int max_threads(const RooflineRequest& request, const machine::Topology& topology) {
  return request.threads > 0 ? request.threads : machine::busy_cores(topology.places, topology.cpu_quota);
}

std::vector<int> thread_counts(const RooflineRequest& request, const machine::Topology& topology) {
  const int max = max_threads(request, topology);
  std::set<int> counts = {1, max};
  std::map<int, std::set<int>> cores;
  for (const machine::CpuPlace& place : topology.places) {
    cores[place.socket].insert(place.core);
  }
  const int socket = cores.empty() ? max : static_cast<int>(cores.begin()->second.size());
  if (request.threads == 0 && socket < max) {
    counts.insert(socket);
  }
  return {counts.begin(), counts.end()};
}

std::vector<std::vector<int>> team_cpus(const RooflineRequest& request, const machine::Topology& topology) {
  std::vector<std::vector<int>> teams;
  for (const int threads : thread_counts(request, topology)) {
    const bool all = threads == max_threads(request, topology);
    teams.push_back(machine::choose_cpus(topology.places, threads, all ? request.affinity : machine::Affinity::close));
  }
  return teams;
}

std::vector<GemmCase> gemm_cases(const RooflineRequest& request, const std::vector<int>& threads, const DefaultLibraries& defaults,
                                 std::vector<std::string>& findings) {
  std::vector<GemmCase> cases;
  for (const GemmLibrary& library : gemm_libraries(request, threads, defaults, findings)) {
    for (const std::string& routine : request.gemm) {
      cases.push_back({routine, library.name, library.threads});
    }
  }
  return cases;
}

}  // namespace flopcast
