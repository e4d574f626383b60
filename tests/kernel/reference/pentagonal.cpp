#include <algorithm>
#include <vector>

#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/reflector.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

/// The reflectors of tpqrt: reflector c consists of a 1 at row c of A and of length(c) elements of B.
struct Pentagon {
  Matrix V;
  std::int64_t rows, l;
  [[nodiscard]] std::int64_t length(std::int64_t c) const { return rows - l + std::min(l, c + 1); }
};

/// Reflectors begin ... begin+width-1, which share a triangular factor.
struct Block {
  std::int64_t begin, width;
};

/// Computes [A; B] := op(H) [A; B] for the first n columns.
void apply(const Pentagon& V, const Block& block, const Matrix& T, char trans, const Matrix& A, const Matrix& B, std::int64_t n) {
  std::vector<Number> w(static_cast<std::size_t>(block.width));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t c = 0; c < block.width; ++c) {
      Number sum = A(block.begin + c, j);
      for (std::int64_t r = 0; r < V.length(block.begin + c); ++r) {
        sum = sum + conj(V.V(r, block.begin + c)) * B(r, j);
      }
      w[static_cast<std::size_t>(c)] = sum;
    }
    multiply(T.op(trans), trans != 'N', false, block.width, w.data());
    for (std::int64_t c = 0; c < block.width; ++c) {
      A(block.begin + c, j) -= w[static_cast<std::size_t>(c)];
      for (std::int64_t r = 0; r < V.length(block.begin + c); ++r) {
        B(r, j) -= V.V(r, block.begin + c) * w[static_cast<std::size_t>(c)];
      }
    }
  }
}

/// Computes column c of T from the earlier columns of its block.
void extend_factor(const Pentagon& V, const Block& block, std::int64_t c, Number tau, const Matrix& T) {
  for (std::int64_t i = 0; i < c; ++i) {
    Number product = 0.0;
    for (std::int64_t r = 0; r < V.length(block.begin + i); ++r) {
      product = product + conj(V.V(r, block.begin + i)) * V.V(r, block.begin + c);
    }
    T(i, c) = -(tau * product);
  }
  multiply(T, false, false, c, Column{T, c});
  T(c, c) = tau;
}

/// Computes reflector c of a block and applies it to the later columns of the block.
Number eliminate(const Pentagon& V, const Block& block, std::int64_t c, const Matrix& A, bool complex) {
  const std::int64_t k = block.begin + c;
  const Number tau = reflector(1 + V.length(k), A(k, k), Column{V.V, k}, complex);
  for (std::int64_t j = k + 1; j < block.begin + block.width; ++j) {
    Number w = A(k, j);
    for (std::int64_t r = 0; r < V.length(k); ++r) {
      w = w + conj(V.V(r, k)) * V.V(r, j);
    }
    w = conj(tau) * w;
    A(k, j) -= w;
    for (std::int64_t r = 0; r < V.length(k); ++r) {
      V.V(r, j) -= V.V(r, k) * w;
    }
  }
  return tau;
}

std::vector<Block> blocks_of(std::int64_t k, std::int64_t nb) {
  std::vector<Block> blocks;
  for (std::int64_t begin = 0; begin < k; begin += nb) {
    blocks.push_back({begin, std::min(nb, k - begin)});
  }
  return blocks;
}

}  // namespace

void tpqrt(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  if (m == 0) {
    return;
  }
  const Matrix A = a.matrix("A"), T = a.matrix("T");
  const Pentagon V = {a.matrix("B"), m, a.size("l")};
  for (const Block& block : blocks_of(n, a.size("nb"))) {
    const Matrix factor = T.from(0, block.begin);
    for (std::int64_t c = 0; c < block.width; ++c) {
      extend_factor(V, block, c, eliminate(V, block, c, A, a.complex()), factor);
    }
    const std::int64_t behind = block.begin + block.width;
    apply(V, block, factor, 'C', A.from(0, behind), V.V.from(0, behind), n - behind);
  }
}

/// [A B] op(H) is the adjoint of op(H)^H [A B]^H.
void tpmqrt(Arguments& a) {
  const bool left = a.flag("side") == 'L', plain = a.flag("trans") == 'N';
  const Pentagon V = {a.matrix("V"), a.size(left ? "m" : "n"), a.size("l")};
  if (a.size("m") == 0 || a.size("n") == 0) {
    return;
  }
  const Matrix A = left ? a.matrix("A") : a.matrix("A").adjoint(), B = left ? a.matrix("B") : a.matrix("B").adjoint();
  const char trans = plain == left ? 'N' : 'C';
  std::vector<Block> blocks = blocks_of(a.size("k"), a.size("nb"));
  if (trans == 'N') {
    std::reverse(blocks.begin(), blocks.end());
  }
  for (const Block& block : blocks) {
    apply(V, block, a.matrix("T").from(0, block.begin), trans, A, B, a.size(left ? "n" : "m"));
  }
}

void laorhr(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  const Matrix A = a.matrix("A");
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const Number sign = static_cast<Number>(A(k, k)).real() < 0 ? 1.0 : -1.0;
    a.vector("d")[k] = sign;
    A(k, k) -= sign;
    const Number reciprocal = Number(1.0) / A(k, k);
    for (std::int64_t i = k + 1; i < m; ++i) {
      A(i, k) *= reciprocal;
      for (std::int64_t j = k + 1; j < n; ++j) {
        A(i, j) -= A(i, k) * A(k, j);
      }
    }
  }
}

}  // namespace flopcast::kernel::reference
