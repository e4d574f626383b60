#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "flopcast/core/routine.hpp"

/// The routines whose calls get their own number of threads, as flopcast and the generator of the preloaded library's stubs see them.
namespace flopcast::protocol {

/// Families of BLAS 3, and of LAPACK's factorizations and spectral decompositions.
inline constexpr std::string_view threaded_families[] = {"gemm", "symm",  "hemm",  "syrk",  "herk",  "syr2k", "her2k", "trmm",
                                                         "trsm", "getrf", "potrf", "geqrf", "syevd", "heevd", "gesdd"};

/// Returns whether the routine's calls get their own number of threads.
inline bool is_threaded(const Routine& routine) {
  return std::find(std::begin(threaded_families), std::end(threaded_families), routine.family) != std::end(threaded_families);
}

/// Returns the routines of the catalogue whose calls get their own number of threads. Their places here are their numbers in reports.
inline std::vector<const Routine*> threaded_routines(std::span<const Routine> catalogue) {
  std::vector<const Routine*> all;
  for (const Routine& routine : catalogue) {
    if (is_threaded(routine)) {
      all.push_back(&routine);
    }
  }
  return all;
}

/// Returns the places of the flags that a table of threads distinguishes. A triangle's side and a unit diagonal change the time too little.
inline std::vector<std::size_t> distinguished_flags(const Routine& routine) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    if (argument.kind == Kind::flag && argument.name != "uplo" && argument.name != "diag") {
      places.push_back(i);
    }
  }
  return places;
}

/// Returns the places of the routine's sizes, three at most.
inline std::vector<std::size_t> size_places(const Routine& routine) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    if (routine.arguments[i].kind == Kind::size) {
      places.push_back(i);
    }
  }
  return places;
}

}  // namespace flopcast::protocol
