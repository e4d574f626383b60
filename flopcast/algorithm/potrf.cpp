#include "flopcast/algorithm/potrf.hpp"

#include <algorithm>

namespace flopcast::algorithm {
namespace {

/// One step of A = U'U: rows j ... j+jb of U.
std::int32_t upper_step(const Script& script, const Matrix& a, std::int64_t n, std::int64_t j, std::int64_t jb) {
  const std::int64_t rest = n - j - jb;
  script(script.complex() ? "herk" : "syrk", {'U', script.adjoint(), jb, j, -1.0, a.at(0, j), 1.0, a.at(j, j)});
  if (const std::int32_t info = script("potrf2", {'U', jb, a.at(j, j)}); info != 0) {
    return info;
  }
  if (rest > 0) {
    script("gemm", {script.adjoint(), 'N', jb, rest, j, -1.0, a.at(0, j), a.at(0, j + jb), 1.0, a.at(j, j + jb)});
    script("trsm", {'L', 'U', script.adjoint(), 'N', jb, rest, 1.0, a.at(j, j), a.at(j, j + jb)});
  }
  return 0;
}

/// One step of A = LL': columns j ... j+jb of L.
std::int32_t lower_step(const Script& script, const Matrix& a, std::int64_t n, std::int64_t j, std::int64_t jb) {
  const std::int64_t rest = n - j - jb;
  script(script.complex() ? "herk" : "syrk", {'L', 'N', jb, j, -1.0, a.at(j, 0), 1.0, a.at(j, j)});
  if (const std::int32_t info = script("potrf2", {'L', jb, a.at(j, j)}); info != 0) {
    return info;
  }
  if (rest > 0) {
    script("gemm", {'N', script.adjoint(), rest, jb, j, -1.0, a.at(j + jb, 0), a.at(j, 0), 1.0, a.at(j + jb, j)});
    script("trsm", {'R', 'L', script.adjoint(), 'N', rest, jb, 1.0, a.at(j, j), a.at(j + jb, j)});
  }
  return 0;
}

}  // namespace

std::int32_t potrf(const Call& call, const BlockParameters& blocks, const Script& script) {
  const char uplo = call.flag(index(call, "uplo"));
  const std::int64_t n = value(call, "n");
  const Matrix a = matrix(call, index(call, "A"));
  if (n == 0) {
    return 0;
  }
  if (blocks.nb <= 1 || blocks.nb >= n) {
    return script("potrf2", {uplo, n, a});
  }
  for (std::int64_t j = 0; j < n; j += blocks.nb) {
    const std::int64_t jb = std::min(blocks.nb, n - j);
    if (const std::int32_t info = (uplo == 'U' ? upper_step : lower_step)(script, a, n, j, jb); info != 0) {
      return info + static_cast<std::int32_t>(j);
    }
  }
  return 0;
}

}  // namespace flopcast::algorithm
