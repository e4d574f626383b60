#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/affinity.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// Which gemm is meant, and how it is to run.
struct GemmSetup {
  std::string library;            ///< what machine::Library::open takes
  std::string routine = "dgemm";  ///< or "sgemm"
  int threads = 1;
  std::vector<int> cpus;  ///< that its threads may run on
  machine::Affinity affinity = machine::Affinity::close;
  std::map<std::string, std::string> settings;  ///< environment variables, set before the library is loaded
  std::int64_t elements = 0;                    ///< of the largest A, B and C together
};

/// A process of its own that holds a BLAS library and times its gemm, C := A B: so libraries can't disturb each other or this process,
/// their settings and threads are theirs, and a fresh process is one constructor (paper 003 measures in fresh processes).
class GemmProcess {
 public:
  /// Throws environment_error or bad_input as machine::Library::open does, and where the library has no such gemm, can't have that many
  /// threads, or memory is short.
  explicit GemmProcess(const GemmSetup& setup);
  ~GemmProcess();
  GemmProcess(const GemmProcess&) = delete;
  GemmProcess& operator=(const GemmProcess&) = delete;
  GemmProcess(GemmProcess&& other) noexcept;
  GemmProcess& operator=(GemmProcess&&) = delete;

  [[nodiscard]] const LibraryIdentity& library() const noexcept { return library_; }
  /// Seconds per call: mean of `calls` calls one after the other, after `warm_calls` untimed ones. Throws environment_error if the process
  /// died.
  Seconds time(const GemmShape& shape, std::int64_t warm_calls, std::int64_t calls);

 private:
  LibraryIdentity library_;
  std::string routine_;
  int socket_ = -1;
  int child_ = -1;
};

/// How a shape is timed within a search: short calls in batches of about a millisecond after a warm-up call and one that tells how many that
/// are, long ones once.
struct GemmTiming {
  Seconds batch = 1e-3;
  Seconds warm_up_below = 10e-3;
  double expected_flops = 5e10;  ///< per second and thread, of the first guess
};
Seconds time_once(GemmProcess& process, const GemmShape& shape, int threads, const GemmTiming& timing = {});

}  // namespace flopcast::roofline
