#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "flopcast/algorithm/script.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/recorder.hpp"

namespace flopcast::program {

inline LibraryFiles reference_over(const std::string& blas) {
  return {machine::locate(blas, machine::Role::blas), machine::locate("reference", machine::Role::lapack)};
}

/// One recorder serves all tests that don't harm it, because starting a child takes longer than most recordings.
inline Recorder& recorder() {
  static Recorder shared(reference_over("openblas-serial"));
  return shared;
}

inline Call call_of(const std::string& routine, const std::map<std::string, std::int64_t>& arguments) {
  Call call;
  call.routine = &kernel::require(routine);
  for (const auto& [name, value] : arguments) {
    call.arguments.at(algorithm::index(call, name)) = value;
  }
  return call;
}

inline Call geqrf_call(std::int64_t m, std::int64_t n, const std::string& routine = "dgeqrf", std::int64_t lwork = 0) {
  return call_of(routine, {{"m", m}, {"n", n}, {"lda", std::max<std::int64_t>(1, m + 3)}, {"lwork", lwork}});
}

inline Call potrf_call(char uplo, std::int64_t n, const std::string& routine = "dpotrf") {
  return call_of(routine, {{"uplo", uplo}, {"n", n}, {"lda", std::max<std::int64_t>(1, n + 5)}});
}

}  // namespace flopcast::program
