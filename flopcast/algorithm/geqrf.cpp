#include "flopcast/algorithm/variants.hpp"

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

/// Computes the reflectors of an m x ib panel and, if `is_applied`, their triangular factor T in work. A panel that isn't applied is the last
/// one of A.
using Panel = void (*)(const Script& script, std::int64_t m, std::int64_t ib, const Matrix& a, const Matrix& tau, const Matrix& work,
                       bool is_applied);

void plain_panel(const Script& script, std::int64_t m, std::int64_t ib, const Matrix& a, const Matrix& tau, const Matrix& work,
                 bool is_applied) {
  script("geqr2", {m, ib, a, tau, work});
  if (is_applied) {
    script("larft", {'F', 'C', m, ib, a, tau, work});
  }
}

/// The diagonal of T is tau.
void recursive_panel(const Script& script, std::int64_t m, std::int64_t ib, const Matrix& a, const Matrix& tau, const Matrix& work,
                     bool /*is_applied*/) {
  script("geqrt3", {m, ib, a, work});
  script("copy", {ib, work, work.ld + 1, tau, std::int64_t{1}});
}

std::int32_t right_looking(Panel panel, const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t m = value(call, "m");
  const std::int64_t n = value(call, "n");
  const std::int64_t order = std::min(m, n);
  const Matrix a = matrix(call, "A");
  const Matrix tau = matrix(call, "tau");
  Matrix work = matrix(call, "work");
  work.ld = n;
  const auto [nb, nx] = blocking(blocks, order, work.ld, value(call, "lwork"));

  std::int64_t i = 0;
  for (; nb > 0 && i < order - nx; i += nb) {
    const std::int64_t ib = std::min(order - i, nb);
    panel(script, m - i, ib, a.at(i, i), tau.at(i), work, i + ib < n);
    if (i + ib < n) {
      script("larfb", {'L', script.adjoint(), 'F', 'C', m - i, n - i - ib, ib, a.at(i, i), work, a.at(i, i + ib), work.at(ib)});
    }
  }
  if (i < order) {
    script("geqr2", {m - i, n - i, a.at(i, i), tau.at(i), work});
  }
  return 0;
}

/// Returns the largest block size up to nb for which nb x n triangular factors and the nb x nb array of larfb fit into work.
std::int64_t fitting_block(std::int64_t nb, std::int64_t n, std::int64_t lwork) {
  while (nb > 1 && nb * (n + nb) > lwork) {
    --nb;
  }
  return nb;
}

std::int32_t left_looking(const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t m = value(call, "m");
  const std::int64_t n = value(call, "n");
  const std::int64_t order = std::min(m, n);
  const Matrix a = matrix(call, "A");
  const Matrix tau = matrix(call, "tau");
  const Matrix work = matrix(call, "work");
  const std::int64_t nb = blocks.nb >= order ? order : fitting_block(blocks.nb, n, value(call, "lwork"));
  if (nb <= 1 || nb >= order) {
    return order == 0 ? 0 : script("geqr2", {m, n, a, tau, work});
  }
  const Matrix factors{work.address, nb, work.element_bytes};
  const Matrix space = factors.at(0, n);
  for (std::int64_t j = 0; j < n; j += nb) {
    const std::int64_t jb = std::min(nb, n - j);
    for (std::int64_t i = 0; i < std::min(j, order); i += nb) {
      const std::int64_t ib = std::min(nb, order - i);
      script("larfb", {'L', script.adjoint(), 'F', 'C', m - i, jb, ib, a.at(i, i), factors.at(0, i), a.at(i, j), space});
    }
    if (j < order) {
      script("geqr2", {m - j, jb, a.at(j, j), tau.at(j), space});
    }
    if (j < order && j + jb < n) {
      script("larft", {'F', 'C', m - j, std::min(jb, order - j), a.at(j, j), tau.at(j), factors.at(0, j)});
    }
  }
  return 0;
}

/// Returns the elements of work for blocks of nb columns; 1 for empty problems.
std::int64_t right_workspace(const Call& call, const BlockParameters& blocks) {
  const std::int64_t n = value(call, "n");
  return value(call, "m") == 0 || n == 0 ? 1 : n * std::max<std::int64_t>(1, blocks.nb);
}
std::int64_t left_workspace(const Call& call, const BlockParameters& blocks) {
  const std::int64_t nb = std::clamp<std::int64_t>(blocks.nb, 1, std::max<std::int64_t>(1, value(call, "n")));
  return std::max(right_workspace(call, {.nb = nb}), nb * (value(call, "n") + nb));
}

Algorithm right_variant(const char* name, const char* description, Panel panel, bool is_default = false) {
  return {"geqrf", name, description, std::bind_front(right_looking, panel), is_default, right_workspace};
}

}  // namespace

std::vector<Algorithm> geqrf_algorithms() {
  return {right_variant("right-looking", "panels by geqr2, larft; larfb on all columns to the right", plain_panel, true),
          right_variant("recursive-panel", "panels by geqrt3; larfb on all columns to the right", recursive_panel),
          {"geqrf", "left-looking", "larfb of all earlier panels before each panel", left_looking, false, left_workspace}};
}

}  // namespace flopcast::algorithm
