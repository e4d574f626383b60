#pragma once

#include <cstdint>
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

/// Distribution of threads over a machine of several sockets (paper 003, sections III-A and III-B): close fills one socket after the other,
/// spread takes turns.
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

}  // namespace flopcast::machine
