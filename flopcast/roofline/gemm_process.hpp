#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/socket_bytes.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

/// The gemm to be timed, and the way it runs.
struct GemmSetup {
  std::string library;            ///< name or path for machine::Library::open
  std::string routine = "dgemm";  ///< or "sgemm"
  int threads = 1;
  std::vector<int> cpus;  ///< CPUs that its threads may use
  machine::Affinity affinity = machine::Affinity::close;
  std::map<std::string, std::string> settings;  ///< environment variables, set before the library is loaded
  std::int64_t elements = 0;                    ///< number of elements of the largest A, B and C together
};

/// A process with a BLAS library that times the library's gemm, C := A B. Libraries can't disturb each other or this process, and each has
/// its settings and threads. Tørring et al. (2021) measure in fresh processes; a fresh process is one constructor.
class GemmProcess {
 public:
  /// Throws environment_error or bad_input as machine::Library::open does, and also if the library lacks this gemm, can't use that many
  /// threads, or memory is short.
  explicit GemmProcess(const GemmSetup& setup);

  [[nodiscard]] const LibraryIdentity& library() const noexcept { return library_; }
  /// Returns the seconds per call as the mean of `calls` successive calls after `warm_calls` untimed ones. Throws environment_error if the
  /// process died.
  Seconds time(const GemmShape& shape, std::int64_t warm_calls, std::int64_t calls);

 private:
  GemmProcess(const GemmSetup& setup, SocketPair sockets);

  LibraryIdentity library_;
  std::string routine_;
  ChildProcess child_;
  Descriptor socket_;
};

/// Timing of a shape within a search. Short calls run in batches of about a millisecond, after a warm-up call and a call that determines
/// their number. Long calls run once.
struct GemmTiming {
  Seconds batch = 1e-3;
  Seconds warm_up_below = 10e-3;
  double expected_flops = 5e10;  ///< flops per second and thread for the first guess
};
Seconds time_once(GemmProcess& process, const GemmShape& shape, int threads, const GemmTiming& timing = {});

}  // namespace flopcast::roofline
