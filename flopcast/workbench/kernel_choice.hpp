#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast {

namespace model {
class Store;
}

using machine::KernelSettings;
/// Returns an open store, which is opened when it is first asked for.
using GetStore = std::function<model::Store&()>;

/// Returns the settings as a user types them before a command: "OPENBLAS_CORETYPE=SkylakeX".
std::string format_settings(const KernelSettings& settings);

/// Returns the variables that are set and that the library in `file` reads. The path tells which library that is:
/// `openblas-pthread/libblas.so.3`.
KernelSettings in_force(const std::filesystem::path& file);

/// Result of trying the kernels of a BLAS on this CPU.
struct KernelFinding {
  std::string kernels;     ///< kernels that the library chooses by itself; empty: it doesn't say
  double dgemm_flops = 0;  ///< flops per second of these kernels, one thread; 0: they couldn't be tried
  KernelSettings better;   ///< variables that select much faster kernels; empty: the library chooses well
  double better_flops = 0;
};

/// Tries the kernels of the BLAS in `file` unless that was done before, and keeps the result in the store. Variables that the user has set
/// have no effect meanwhile.
KernelFinding find_kernels(const std::filesystem::path& file, const RunContext& context);

/// Returns a text that differs between builds of a library and between CPUs.
std::string library_key(const std::filesystem::path& file);

/// A library whose kernels were tried, as library_key() names it.
struct TriedLibrary {
  std::string cpu, file;
  std::uintmax_t bytes = 0;
};
/// Reads a text that library_key() made on this CPU; nothing for other texts and CPUs.
std::optional<TriedLibrary> tried_library(const std::string& key, const std::string& cpu);
/// Checks a stored result of trying kernels. Throws MemberError for a member that is missing or wrong.
void require_kernel_choice(const nlohmann::json& document);
/// Returns the kernels of a stored result: "Haswell, better with OPENBLAS_CORETYPE=SkylakeX".
std::string kernel_choice_text(const nlohmann::json& document);

/// Returns variables that make the BLAS in `file` take `kernels` ("Haswell"); nothing if none are known.
KernelSettings settings_for(const std::filesystem::path& file, const std::string& kernels);

/// Restores the variables that select kernels at the end of the scope.
class KernelVariables {
 public:
  KernelVariables();
  KernelVariables(const KernelVariables&) = delete;
  KernelVariables& operator=(const KernelVariables&) = delete;
  ~KernelVariables();

  /// Unsets the variables, so that every library chooses its kernels by itself.
  static void clear();

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

/// Selects the kernels of a library before the library is opened. If the library detects the wrong CPU, and others of its kernels make dgemm
/// much faster, the variable that selects them is set in this process, and the user is told. A variable that the user has set stays.
/// Results of trials are kept in `store`, or without one in that of open_store(). Returns the variables in force that the library reads, which `flopcast run` sets as well.
/// `options.kernels` = "library" leaves the choice to the library; `options.kernel_settings` are set in any case. If several libraries are to
/// be opened, call this function for each before the first is opened, because trials run in children, which inherit loaded libraries.
KernelSettings choose_kernels(const machine::LibraryChoice& options, const RunContext& context, const GetStore& store = {});

/// Returns the variable that selects kernels with which dgemm of the library in `file` is much faster. Returns nothing if there are no such
/// kernels or the user has set a variable. Tries the kernels unless that was done before. Tells the user the result and its `consequence`.
/// Results are kept as those of choose_kernels().
KernelSettings better_kernels(const std::filesystem::path& file, std::string_view consequence, const RunContext& context,
                              const GetStore& store = {});

/// Returns the stored results of earlier trials for all installed libraries but `but`, without variables that the user has set.
KernelSettings known_kernels(const std::filesystem::path& but);

}  // namespace flopcast
