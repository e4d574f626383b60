#pragma once

#include <map>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace flopcast::cli {

/// Options by which a user says which libraries are meant.
struct LibraryOptions {
  std::string blas;    ///< empty: machine::default_blas()
  std::string lapack;  ///< empty: machine::default_lapack()
  int threads = 1;
  std::string kernels = "auto";  ///< "auto": choose_kernels; "library": whatever the library takes by itself
  /// Variables that select kernels (name and value), whatever `kernels` says.
  std::map<std::string, std::string> kernel_settings = {};
};
void add_library_options(CLI::App& command, LibraryOptions& options);
/// The same where several BLAS and numbers of threads may be given: lists separated by commas.
void add_library_lists(CLI::App& command, LibraryOptions& options, std::string& blas, std::string& threads);

}  // namespace flopcast::cli
