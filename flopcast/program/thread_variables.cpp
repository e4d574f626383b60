#include "flopcast/program/recording_document.hpp"

#include <array>
#include <cstdlib>

#include "flopcast/support/process_environment.hpp"

namespace flopcast::program {
namespace {

/// A library and its variables in the order in which the library looks at them.
struct ThreadedLibrary {
  std::string_view name;
  std::array<const char*, 2> variables;
};

constexpr ThreadedLibrary libraries[] = {{"openblas", {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"}},
                                         {"blis", {"BLIS_NUM_THREADS", "BLIS_NUM_THREADS"}},
                                         {"mkl", {"MKL_NUM_THREADS", "MKL_NUM_THREADS"}}};
constexpr const char* for_all = "OMP_NUM_THREADS";

std::optional<int> threads_of(const ThreadVariables& variables, const char* name) {
  const auto found = variables.find(name);
  const int threads = found == variables.end() ? 0 : std::atoi(found->second.c_str());
  return threads > 0 ? std::optional(threads) : std::nullopt;
}

}  // namespace

ThreadVariables thread_variables(const std::vector<std::string>& environment) {
  ThreadVariables set;
  const auto add = [&](const char* name) {
    if (const std::string value = process::variable(environment, name); !value.empty()) {
      set[name] = value;
    }
  };
  for (const ThreadedLibrary& library : libraries) {
    add(library.variables[0]);
    add(library.variables[1]);
  }
  add(for_all);
  return set;
}

std::optional<int> threads_by(const ThreadVariables& variables, std::string_view blas) {
  for (const ThreadedLibrary& library : libraries) {
    if (blas.find(library.name) == std::string_view::npos) {
      continue;
    }
    for (const char* name : library.variables) {
      if (const std::optional<int> threads = threads_of(variables, name)) {
        return threads;
      }
    }
  }
  return threads_of(variables, for_all);
}

}  // namespace flopcast::program
