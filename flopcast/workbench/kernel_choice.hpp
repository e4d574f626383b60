#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast {

using machine::KernelSettings;

/// As one would type it before a command: "OPENBLAS_CORETYPE=SkylakeX".
std::string text_of(const KernelSettings& settings);

/// What trying the kernels of a BLAS has shown on this CPU.
struct KernelFinding {
  std::string kernels;     ///< that it chooses by itself; empty: it doesn't say
  double dgemm_flops = 0;  ///< flops per second of these, one thread; 0: it couldn't be tried
  KernelSettings better;   ///< variables that select much faster ones; empty: it chooses well
  double better_flops = 0;
};

/// Tries the kernels of the BLAS in `file` unless that was done before; what was found is kept in the store. Variables that the user has set
/// are not in force meanwhile.
KernelFinding find_kernels(const std::filesystem::path& file, const RunContext& context);

/// Tells this build of a library on this CPU from others.
std::string library_key(const std::filesystem::path& file);

/// Variables that make the BLAS in `file` take `kernels` ("Haswell"); empty if none are known.
KernelSettings settings_for(const std::filesystem::path& file, const std::string& kernels);

/// Gives the variables that select kernels their present values back when it is destroyed.
class KernelVariables {
 public:
  KernelVariables();
  KernelVariables(const KernelVariables&) = delete;
  KernelVariables& operator=(const KernelVariables&) = delete;
  ~KernelVariables();

  /// No library finds one of them set.
  static void clear();

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

/// Before a library is opened: where it doesn't recognise the CPU and other kernels of its own make dgemm much faster, sets the variable
/// that selects them in this process (and so in its children) and tells the user. A variable that the user has set is left alone. What was
/// found by trying is kept in the store. Returns the variables in force that this library reads, for `flopcast run` to set them too.
/// `options.kernels` = "library" leaves the choice to the library, `options.kernel_settings` are set in any case. Where several libraries are to be opened, call it for each before the
/// first is: trying happens in children, which inherit what is loaded.
KernelSettings choose_kernels(const machine::LibraryChoice& options, const RunContext& context);

/// The variable that selects kernels which make the dgemm of the library in `file` much faster; empty if there are none, or the user has set
/// one. Tries them unless that was done before, and tells the user what was found, with the `consequence`.
KernelSettings better_kernels(const std::filesystem::path& file, std::string_view consequence, const RunContext& context);

/// What was found before for any installed library but `but`, without trying; variables that the user has set are left out.
KernelSettings known_kernels(const std::filesystem::path& but);

}  // namespace flopcast
