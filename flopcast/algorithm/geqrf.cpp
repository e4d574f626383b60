#include "flopcast/algorithm/geqrf.hpp"

#include <algorithm>

namespace flopcast::algorithm {
namespace {

/// Block size and crossover after LAPACK's rules for short workspaces and small matrices; nb = 0 means unblocked.
struct Blocking {
  std::int64_t nb = 0, nx = 0;
};

Blocking blocking(const BlockParameters& asked, std::int64_t order, std::int64_t ldwork, std::int64_t lwork) {
  std::int64_t nb = asked.nb;
  std::int64_t nbmin = 2;
  std::int64_t nx = 0;
  if (nb > 1 && nb < order) {
    nx = std::max<std::int64_t>(0, asked.nx);
    if (nx < order && lwork < ldwork * nb) {
      nb = lwork / ldwork;
      nbmin = std::max<std::int64_t>(2, asked.nbmin);
    }
  }
  const bool blocked = nb >= nbmin && nb < order && nx < order;
  return blocked ? Blocking{nb, nx} : Blocking{};
}

}  // namespace

std::int32_t geqrf(const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t m = value(call, "m");
  const std::int64_t n = value(call, "n");
  const std::int64_t order = std::min(m, n);
  const Matrix a = matrix(call, index(call, "A"));
  const Matrix tau = matrix(call, index(call, "tau"));
  Matrix work = matrix(call, index(call, "work"));
  work.ld = n;
  const auto [nb, nx] = blocking(blocks, order, work.ld, value(call, "lwork"));

  std::int64_t i = 0;
  for (; nb > 0 && i < order - nx; i += nb) {
    const std::int64_t ib = std::min(order - i, nb);
    script("geqr2", {m - i, ib, a.at(i, i), tau.at(i), work});
    if (i + ib < n) {
      script("larft", {'F', 'C', m - i, ib, a.at(i, i), tau.at(i), work});
      script("larfb", {'L', script.adjoint(), 'F', 'C', m - i, n - i - ib, ib, a.at(i, i), work, a.at(i, i + ib), work.at(ib)});
    }
  }
  if (i < order) {
    script("geqr2", {m - i, n - i, a.at(i, i), tau.at(i), work});
  }
  return 0;
}

}  // namespace flopcast::algorithm
