#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::machine {

/// A hardware thread and where it sits; numbers of cores and sockets are the logical ones of hwloc, over the whole machine.
struct CpuPlace {
  int cpu = 0;
  int core = 0;
  int socket = 0;
  int kind = 0;  ///< 0 is the fastest kind of cores, others follow in the order of their speed
  friend bool operator==(const CpuPlace&, const CpuPlace&) = default;
};

/// Distribution of threads over a machine of several sockets (Tørring et al. 2021, sections III-A and III-B): close fills one socket after
/// the other, spread takes turns.
enum class Affinity : std::uint8_t { close, spread };

/// Returns "close" or "spread".
std::string_view to_string(Affinity affinity) noexcept;

/// Chooses CPUs for `threads` threads: one per core as long as cores last, the fastest kind of cores first, then hyperthreads. Throws
/// bad_input if there are fewer places than threads, or no thread.
std::vector<int> choose_cpus(std::vector<CpuPlace> places, int threads, Affinity affinity);

/// Number of cores that may be kept busy: those of `places`, but no more than `cpu_quota` CPUs' worth of time (0: no limit).
int busy_cores(const std::vector<CpuPlace>& places, double cpu_quota);

/// Binds the calling thread to `cpus`; throws environment_error if the system doesn't permit it.
void pin_this_thread(const std::vector<int>& cpus);

/// Binds the calling thread to `cpus` while it lives; an empty list binds it to nothing. Throws as pin_this_thread.
class PinnedFor {
 public:
  explicit PinnedFor(const std::vector<int>& cpus);
  ~PinnedFor();
  PinnedFor(const PinnedFor&) = delete;
  PinnedFor& operator=(const PinnedFor&) = delete;

 private:
  std::vector<int> before_;
};

/// A data or unified cache as the system reports it; in virtual machines the report is often wrong.
struct ReportedCache {
  int level = 0;
  std::int64_t bytes = 0;
  int line_bytes = 0;     ///< 0: not reported
  int associativity = 0;  ///< 0: not reported
  int cores = 1;          ///< cores that share one instance
  friend bool operator==(const ReportedCache&, const ReportedCache&) = default;
};

/// Cores that are built alike, on a CPU that has several kinds of them.
struct CoreKind {
  std::string name;                   ///< "performance" and "efficiency"; of more kinds "kind 1", "kind 2", the fastest first
  std::vector<int> cpus;              ///< usable hardware threads
  int cores = 0;                      ///< cores that these belong to
  double max_hertz = 0;               ///< highest clock; 0: not reported
  std::vector<ReportedCache> caches;  ///< caches of its first core, from L1 outwards
  friend bool operator==(const CoreKind&, const CoreKind&) = default;
};

/// Properties that the system reports of the machine.
struct Topology {
  std::string cpu;  ///< model name with family, model and stepping where they are reported: names are masked in virtual machines
  int sockets = 1;
  int cores = 1;  ///< hyperthreads of one core count once
  int hardware_threads = 1;
  int numa_nodes = 1;
  std::vector<int> usable;       ///< hardware threads that this process may run on (affinity, cpuset)
  std::vector<CpuPlace> places;  ///< places of the usable hardware threads, in their order
  int usable_cores = 1;          ///< cores that these belong to
  std::vector<CoreKind> kinds;   ///< kinds of the usable cores, the fastest first; empty where all are alike
  double cpu_quota = 0;          ///< CPUs' worth of time that the control group grants; 0: no limit
  std::int64_t memory_bytes = 0;
  std::vector<ReportedCache> caches;  ///< caches of the first usable core of the fastest kind, from L1 outwards
  bool this_system = true;            ///< false: read from a file (HWLOC_XMLFILE), so that no thread can be bound to its CPUs
  bool invariant_tsc = false;         ///< the time stamp counter ticks evenly whatever the clock does
  double nominal_hertz = 0;           ///< 0: not reported
  friend bool operator==(const Topology&, const Topology&) = default;
};

/// Returns the machine with the cores of one kind only, as if a process might run on no others. Throws bad_input if no kind has that name.
Topology restricted_to(const Topology& topology, const std::string& kind);

/// CPUs to which measurements of this topology are bound: those of the fastest kind. Empty where all are alike or it is another system.
std::vector<int> cpus_to_measure_on(const Topology& topology);

/// CPUs' worth of time that this process may use: its cores, or less where its control group grants less.
double usable_cpus(const Topology& topology);

/// Asks hwloc and the CPU. Throws environment_error if hwloc fails.
Topology detect_topology();

/// "0-3,8" of {0, 1, 2, 3, 8}.
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace flopcast::machine
