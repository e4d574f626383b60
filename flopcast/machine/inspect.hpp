#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/installed.hpp"

namespace flopcast::machine {

/// Another choice of kernels that a library can be told to make.
struct KernelChoice {
  std::string_view library;   ///< identity's name
  std::string_view variable;  ///< environment variable that the library reads when it is loaded
  std::string_view value;
  std::string_view kernels;  ///< what the library then calls its kernels
  std::string_view feature;  ///< of the CPU that these kernels need
};
/// Choices worth trying where a library doesn't recognise a CPU, e.g. by its masked name.
const std::vector<KernelChoice>& kernel_choices();

/// What came of trying a KernelChoice.
struct KernelTrial {
  std::string setting;  ///< "OPENBLAS_CORETYPE=SkylakeX"
  std::string kernels;
  double dgemm_flops = 0;  ///< flops per second, one thread
};

/// One library as it shows itself when it is loaded.
struct LibraryReport {
  InstalledLibrary installed;
  LibraryIdentity identity;
  double dgemm_flops = 0;           ///< flops per second, one thread, with the kernels that it chose; 0 without BLAS
  std::vector<KernelTrial> trials;  ///< other kernels, the fastest first
  std::string failure;              ///< why it couldn't be inspected; empty if it could

  /// Kernels so much faster than those that it chose that it has misread the CPU; null if it chose well.
  [[nodiscard]] const KernelTrial* better() const;
};

/// A library whose dgemm is slower than it can be: the machine is restless, or was when this was timed.
struct SlowDgemm {
  std::size_t library = 0;  ///< index of its report
  double expected = 0;      ///< flops per second that its kernels are known to reach
  friend bool operator==(const SlowDgemm&, const SlowDgemm&) = default;
};

/// Which libraries are over a quarter slower than `known` (by library_key()) says, or than another build of the same version with the same
/// kernels.
std::vector<SlowDgemm> slow_libraries(const std::vector<LibraryReport>& reports, const std::map<std::string, double>& known);

/// Loads each library in a child process of its own, so that none can disturb another or end this process, and lets it say what it is.
/// `try_kernels`: also times dgemm with the kernels it chose and with others, in turns some more times if others seem nearly as good.
/// Call it before opening libraries here: children inherit what is loaded.
LibraryReport inspect(const InstalledLibrary& library, bool try_kernels);

/// Runs `work` in a child process and returns the JSON it made. Throws environment_error with the child's message, its signal, or that it
/// took longer than `limit` seconds.
nlohmann::json in_child(const std::function<nlohmann::json()>& work, Seconds limit);

}  // namespace flopcast::machine
