#include "flopcast/kernel/catalogue.hpp"

#include <pthread.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>

#include "flopcast/kernel/entry.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::kernel {
namespace {

/// Throws environment_error if this thread's stack has too little room for the tables of build(), which would end the process.
void require_stack() {
  static constexpr std::size_t needed = std::size_t{192} << 10U;
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return;
  }
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<std::uintptr_t>(&attributes), begin = reinterpret_cast<std::uintptr_t>(lowest);
  if (here >= begin && here - begin < std::min(size, needed)) {  // else this is a stack of the program's own, such as a coroutine's
    throw environment_error("the catalogue of routines needs {} of stack, and {} are left; allow more (ulimit -s)",
                            format_bytes(static_cast<double>(needed)), format_bytes(static_cast<double>(here - begin)));
  }
}

std::vector<Routine> build() {
  require_stack();
  std::vector<Routine> all;
  for (const auto& table : {blas1_entries(), blas2_entries(), blas3_entries(), lapack_entries(), lapack_qr_entries(),
                            lapack_pentagonal_entries(), lapack_orthogonal_entries(), lapack_symmetric_entries(), lapack_twosided_entries(),
                            lapack_norm_entries(), lapack_pivoting_entries(), lapack_spectral_entries()}) {
    for (const Entry& entry : table) {
      std::vector<Routine> some = routines(entry);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
  }
  std::sort(all.begin(), all.end(), [](const Routine& a, const Routine& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const std::vector<Routine>& catalogue() {
  static const std::vector<Routine> table = build();
  return table;
}

const Routine* find(std::string_view name) {
  const std::vector<Routine>& table = catalogue();
  const auto found = std::lower_bound(table.begin(), table.end(), name, [](const Routine& r, std::string_view n) { return r.name < n; });
  return found != table.end() && found->name == name ? &*found : nullptr;
}

const Routine& require(std::string_view name) {
  std::string key(name);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!key.empty() && key.back() == '_') {
    key.pop_back();
  }
  if (const Routine* routine = find(key)) {
    return *routine;
  }
  std::vector<std::string> candidates;
  for (const Routine& routine : catalogue()) {
    candidates.push_back(routine.name);
  }
  const std::vector<std::string> nearest = nearest_names(key, candidates);
  throw bad_input("unknown routine '{}'{}", name,
                  nearest.empty() ? "; expected a BLAS or LAPACK name such as dgemm or dgeqr2"
                                  : fmt::format("; did you mean {}?", fmt::join(nearest, ", ")));
}

std::map<std::string, std::string> named_sizes(std::string_view routine, const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> names;
  if (const Routine* known = find(routine)) {
    for (const Argument& argument : known->arguments) {
      if (argument.kind == Kind::size) {
        names.push_back(argument.name);
      }
    }
  }
  std::map<std::string, std::string> named;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    named[names.size() == sizes.size() ? names[i] : fmt::format("n{}", i + 1)] = std::to_string(sizes[i]);
  }
  return named;
}

}  // namespace flopcast::kernel
