#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"

namespace flopcast::machine {

/// A choice of kernels that a library makes if an environment variable says so.
struct KernelChoice {
  std::string_view library;   ///< identity's name
  std::string_view variable;  ///< environment variable that the library reads when it is loaded
  std::string_view value;
  std::string_view kernels;  ///< name of the kernels that the library then reports
  std::string_view feature;  ///< CPU feature that these kernels need
};
/// Choices worth trying where a library doesn't recognise a CPU, e.g. by its masked name.
const std::vector<KernelChoice>& kernel_choices();
/// Returns whether libraries choose their kernels by the variable `name`. A file of another user may set such variables, and no others.
bool selects_kernels(std::string_view name);

/// Outcome of trying a KernelChoice.
struct KernelTrial {
  std::string setting;  ///< "OPENBLAS_CORETYPE=SkylakeX"
  std::string kernels;
  double dgemm_flops = 0;  ///< flops per second, one thread
  friend bool operator==(const KernelTrial&, const KernelTrial&) = default;
};

/// One library as it shows itself when it is loaded.
struct LibraryReport {
  InstalledLibrary installed;
  LibraryIdentity identity;
  double dgemm_flops = 0;           ///< flops per second, one thread, with the kernels that it chose; 0 without BLAS
  std::vector<KernelTrial> trials;  ///< other kernels, the fastest first
  std::string failure;              ///< why it couldn't be inspected; empty if it could

  /// Other kernels that are so much faster than the chosen ones that the library has detected the wrong CPU; null if the library chose well.
  [[nodiscard]] const KernelTrial* better() const;
  friend bool operator==(const LibraryReport&, const LibraryReport&) = default;
};

/// A library whose dgemm is slower than expected: the machine is noisy, or was when this was timed.
struct SlowDgemm {
  std::size_t library = 0;  ///< index of its report
  double expected = 0;      ///< flops per second that its kernels are known to reach
  friend bool operator==(const SlowDgemm&, const SlowDgemm&) = default;
};

/// Returns the libraries that are over a quarter slower than `known` (by library_key()) says, or than another build of the same version
/// with the same kernels.
std::vector<SlowDgemm> slow_libraries(const std::vector<LibraryReport>& reports, const std::map<std::string, double>& known);

/// Loads the library in a child process, so that it can neither disturb another nor end this process, and lets it describe itself. With
/// `try_kernels` dgemm is also timed with the kernels that the library chose and with others. Close candidates are timed again in turns.
/// Call it before libraries are opened here, because children inherit what is loaded.
LibraryReport inspect(const InstalledLibrary& library, bool try_kernels);

}  // namespace flopcast::machine
