#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/reflector.hpp"

namespace flopcast::kernel::reference {
namespace {

void reduce_to_hessenberg(Arguments& a) {
  const std::int64_t n = a.size("n"), ihi = a.size("ihi");
  const Matrix A = a.matrix("A");
  for (std::int64_t i = a.size("ilo") - 1; i + 1 < ihi; ++i) {
    const std::int64_t length = ihi - 1 - i;
    const Number tau = reflector(length, A(i + 1, i), Column{A.from(i + 2, i)}, a.complex());
    a.vector("tau")[i] = tau;
    const ReflectorVector v{A.from(i + 2, i)};
    apply_right(A.from(0, i + 1), ihi, length, v, tau);
    apply_left(A.from(i + 1, i + 1), length, n - i - 1, v, conj(tau));
  }
}

/// Returns the sum of x(l) * y(l) over l = 0 ... n-1.
template <class X, class Y>
Number sum_of_products(std::int64_t n, X x, Y y) {
  Number sum = 0.0;
  for (std::int64_t l = 0; l < n; ++l) {
    const Number product = x(l) * y(l);
    sum = l == 0 ? product : sum + product;
  }
  return sum;
}

/// Operands of a reduction to bidiagonal form; for m < n those of the adjoint, with rows and columns exchanged.
struct Bidiagonal {
  Matrix A;
  std::int64_t m, n;
  Vector column_tau, row_tau, d, e;
  bool complex;
};

Bidiagonal bidiagonal(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  const Vector q = a.vector("tauq"), p = a.vector("taup"), d = a.vector("d"), e = a.vector("e");
  return m >= n ? Bidiagonal{a.matrix("A"), m, n, q, p, d, e, a.complex()}
                : Bidiagonal{a.matrix("A").adjoint(), n, m, p, q, d, e, a.complex()};
}

}  // namespace

void gehd2(Arguments& a) { reduce_to_hessenberg(a); }

void gehrd(Arguments& a) {
  for (std::int64_t i = 0; i + 1 < a.size("n"); ++i) {
    if (i + 1 < a.size("ilo") || i + 1 >= a.size("ihi")) {
      a.vector("tau")[i] = 0.0;
    }
  }
  reduce_to_hessenberg(a);
}

/// Applies the earlier reflectors to each column from both sides: A := (I - V T V^H)^H (A - Y V^H), Y = A V T.
void lahr2(Arguments& a) {
  const std::int64_t n = a.size("n"), k = a.size("k"), rows = n - k;
  const Matrix panel = a.matrix("A"), A = panel.from(k, 0), T = a.matrix("T"), Y = a.matrix("Y"), lower_Y = Y.from(k, 0);
  std::vector<Number> betas;
  const auto V = [&](std::int64_t i, std::int64_t j) { return i < j ? Number(0.0) : i == j ? Number(1.0) : static_cast<Number>(A(i, j)); };
  for (std::int64_t c = 0; c < a.size("nb"); ++c) {
    for (std::int64_t i = 0; c > 0 && i < rows; ++i) {
      A(i, c) -= sum_of_products(
          c, [&](std::int64_t j) { return lower_Y(i, j); }, [&](std::int64_t j) { return conj(V(c - 1, j)); });
    }
    std::vector<Number> w;
    for (std::int64_t j = 0; j < c; ++j) {
      w.push_back(sum_of_products(
          rows - j, [&](std::int64_t i) { return conj(V(j + i, j)); }, [&](std::int64_t i) { return A(j + i, c); }));
    }
    if (c > 0) {
      multiply(T.adjoint(), true, false, c, w.data());
    }
    for (std::int64_t i = 0; c > 0 && i < rows; ++i) {
      A(i, c) -= sum_of_products(
          std::min(c, i + 1), [&](std::int64_t j) { return V(i, j); }, [&](std::int64_t j) { return w[static_cast<std::size_t>(j)]; });
    }
    const Number tau = reflector(rows - c, A(c, c), Column{A.from(c + 1, c)}, a.complex());
    a.vector("tau")[c] = tau;
    for (std::int64_t i = 0; i < rows; ++i) {
      lower_Y(i, c) = sum_of_products(
          rows - c, [&](std::int64_t l) { return A(i, c + 1 + l); }, [&](std::int64_t l) { return V(c + l, c); });
    }
    for (std::int64_t j = 0; j < c; ++j) {
      T(j, c) = sum_of_products(
          rows - c, [&](std::int64_t l) { return conj(V(c + l, j)); }, [&](std::int64_t l) { return V(c + l, c); });
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      if (c > 0) {
        lower_Y(i, c) -= sum_of_products(
            c, [&](std::int64_t j) { return lower_Y(i, j); }, [&](std::int64_t j) { return T(j, c); });
      }
      lower_Y(i, c) *= tau;
    }
    for (std::int64_t j = 0; j < c; ++j) {
      T(j, c) *= -tau;
    }
    if (c > 0) {
      multiply(T, false, false, c, Column{T, c});
    }
    T(c, c) = tau;
  }
  for (std::int64_t i = 0; i < k; ++i) {
    for (std::int64_t c = 0; c < a.size("nb"); ++c) {
      Number sum = panel(i, c + 1);
      for (std::int64_t l = c + 1; l < rows; ++l) {
        sum = sum + panel(i, l + 1) * V(l, c);
      }
      Y(i, c) = sum;
    }
    multiply(T.transposed(), true, false, a.size("nb"), Column{Y.from(i, 0).transposed()});
  }
}

void gebd2(Arguments& a) {
  const auto [A, m, n, column_tau, row_tau, d, e, complex] = bidiagonal(a);
  for (std::int64_t i = 0; i < n; ++i) {
    const Number q = reflector(m - i, A(i, i), Column{A.from(i + 1, i)}, complex);
    column_tau[i] = q;
    d[i] = static_cast<Number>(A(i, i)).real();
    if (i + 1 == n) {
      row_tau[i] = 0.0;
      continue;
    }
    apply_left(A.from(i, i + 1), m - i, n - i - 1, ReflectorVector{A.from(i + 1, i)}, conj(q));
    const Matrix row = A.from(i, i + 1).adjoint();
    const Number p = reflector(n - i - 1, row(0, 0), Column{row.from(1, 0)}, complex);
    row_tau[i] = p;
    e[i] = static_cast<Number>(row(0, 0)).real();
    apply_right(A.from(i + 1, i + 1), m - i - 1, n - i - 1, ReflectorVector{row.from(1, 0)}, p);
  }
}

/// After i steps the matrix is A - V Y^H - X U^H, of which only the next column and row are computed. V's columns and U^H's rows lie in A,
/// with their ones.
void labrd(Arguments& a) {
  const auto [whole, rows, n, column_tau, row_tau, d, e, complex] = bidiagonal(a);
  const Matrix A = whole;  // clang before 16 captures no structured bindings
  const std::int64_t m = rows;
  const bool tall = a.size("m") >= a.size("n");
  const Matrix X = a.matrix(tall ? "X" : "Y"), Y = a.matrix(tall ? "Y" : "X");
  for (std::int64_t i = 0; i < a.size("nb"); ++i) {
    for (std::int64_t r = i; i > 0 && r < m; ++r) {
      A(r, i) -= sum_of_products(
          i, [&](std::int64_t j) { return A(r, j); }, [&](std::int64_t j) { return conj(Y(i, j)); });
      A(r, i) -= sum_of_products(
          i, [&](std::int64_t j) { return X(r, j); }, [&](std::int64_t j) { return A(j, i); });
    }
    const Number diagonal = A(i, i);
    const Number q = reflector(m - i, A(i, i), Column{A.from(i + 1, i)}, complex);
    column_tau[i] = q;
    d[i] = static_cast<Number>(A(i, i)).real();
    if (i + 1 == n) {
      A(i, i) = complex ? diagonal : static_cast<Number>(A(i, i));  // clabrd and zlabrd say it in d only
      continue;
    }
    A(i, i) = 1.0;
    const auto inner_with_column = [&](const Matrix& M, std::int64_t j) {
      return sum_of_products(
          m - i, [&](std::int64_t l) { return conj(M(i + l, j)); }, [&](std::int64_t l) { return A(i + l, i); });
    };
    std::vector<Number> with_v, with_x;
    for (std::int64_t j = 0; j < i; ++j) {
      with_v.push_back(inner_with_column(A, j));
      with_x.push_back(inner_with_column(X, j));
    }
    for (std::int64_t c = i + 1; c < n; ++c) {
      Number sum = inner_with_column(A, c);
      for (std::int64_t j = 0; j < i; ++j) {
        sum = sum - Y(c, j) * with_v[static_cast<std::size_t>(j)];
        sum = sum - conj(A(j, c)) * with_x[static_cast<std::size_t>(j)];
      }
      Y(c, i) = q * sum;
    }
    for (std::int64_t c = i + 1; c < n; ++c) {
      A(i, c) -= sum_of_products(
          i + 1, [&](std::int64_t j) { return A(i, j); }, [&](std::int64_t j) { return conj(Y(c, j)); });
      if (i > 0) {
        A(i, c) -= sum_of_products(
            i, [&](std::int64_t j) { return X(i, j); }, [&](std::int64_t j) { return A(j, c); });
      }
    }
    const Matrix row = A.from(i, i + 1).adjoint();
    const Number p = reflector(n - i - 1, row(0, 0), Column{row.from(1, 0)}, complex);
    row_tau[i] = p;
    e[i] = static_cast<Number>(row(0, 0)).real();
    row(0, 0) = 1.0;
    std::vector<Number> with_y, with_u;
    for (std::int64_t j = 0; j <= i; ++j) {
      with_y.push_back(sum_of_products(
          n - i - 1, [&](std::int64_t l) { return conj(Y(i + 1 + l, j)); }, [&](std::int64_t l) { return row(l, 0); }));
    }
    for (std::int64_t j = 0; j < i; ++j) {
      with_u.push_back(sum_of_products(
          n - i - 1, [&](std::int64_t l) { return A(j, i + 1 + l); }, [&](std::int64_t l) { return row(l, 0); }));
    }
    for (std::int64_t r = i + 1; r < m; ++r) {
      Number sum = sum_of_products(
          n - i - 1, [&](std::int64_t l) { return A(r, i + 1 + l); }, [&](std::int64_t l) { return row(l, 0); });
      for (std::int64_t j = 0; j <= i; ++j) {
        sum = sum - A(r, j) * with_y[static_cast<std::size_t>(j)];
      }
      for (std::int64_t j = 0; j < i; ++j) {
        sum = sum - X(r, j) * with_u[static_cast<std::size_t>(j)];
      }
      X(r, i) = p * sum;
    }
  }
}

namespace {

/// The lower triangle of a Hermitian matrix that is reduced to tridiagonal form; an upper triangle, reversed, is a lower triangle.
struct Tridiagonal {
  std::int64_t n;
  Matrix A;
  Vector e, tau;
};

Tridiagonal tridiagonal(Arguments& a) {
  const std::int64_t n = a.size("n");
  if (a.flag("uplo") == 'U') {
    return {n, a.matrix("A").reversed(n, n), a.vector("e").reversed(n - 1), a.vector("tau").reversed(n - 1)};
  }
  return {n, a.matrix("A"), a.vector("e"), a.vector("tau")};
}

/// Computes w := tau w - 1/2 tau^2 (w^H v) v. Then v w^H + w v^H is the complete two-sided update by the reflector.
template <class V, class W>
void balance(std::int64_t n, Number tau, const V& v, const W& w) {
  for (std::int64_t i = 0; i < n; ++i) {
    w[i] *= tau;
  }
  const Number alpha = -(Number(0.5) * tau *
                         sum_of_products(
                             n, [&](std::int64_t i) { return conj(w[i]); }, [&](std::int64_t i) { return v[i]; }));
  for (std::int64_t i = 0; i < n; ++i) {
    w[i] += alpha * v[i];
  }
}

/// Makes the reflector of column i of a tridiagonal matrix, and writes tau and e; returns tau.
Number reduce_column(const Arguments& a, const Matrix& A, std::int64_t i, const Vector& tau, const Vector& e) {
  const Number t = reflector(a.size("n") - i - 1, A(i + 1, i), Column{A.from(i + 2, i)}, a.complex());
  tau[i] = t;
  e[i] = static_cast<Number>(A(i + 1, i)).real();
  return t;
}

/// Numbers in a vector, with the operators of elements.
struct Storage {
  std::vector<Number>* values;
  struct Reference {
    Number* at;
    operator Number() const { return *at; }  // NOLINT(google-explicit-constructor)
    void operator*=(Number value) const { *at = *at * value; }
    void operator+=(Number value) const { *at = *at + value; }
  };
  Reference operator[](std::int64_t i) const { return {&(*values)[static_cast<std::size_t>(i)]}; }
};

}  // namespace

void sytd2(Arguments& a) {
  const auto [n, A, e, tau] = tridiagonal(a);
  const Vector d = a.flag("uplo") == 'U' ? a.vector("d").reversed(n) : a.vector("d");
  for (std::int64_t i = 0; i < n; ++i) {
    make_real(A(i, i), a.complex());
    d[i] = static_cast<Number>(A(i, i)).real();
    const std::int64_t length = n - i - 1;
    if (length == 0) {
      break;
    }
    const Number t = reduce_column(a, A, i, tau, e);
    const ReflectorVector v{A.from(i + 2, i)};
    const Matrix rest = A.from(i + 1, i + 1);
    std::vector<Number> w;
    for (std::int64_t r = 0; r < length; ++r) {
      w.push_back(sum_of_products(
          length, [&](std::int64_t c) { return symmetric_element(rest, 'L', a.complex(), r, c); }, [&](std::int64_t c) { return v[c]; }));
    }
    balance(length, t, v, Storage{&w});
    for (std::int64_t c = 0; c < length; ++c) {
      for (std::int64_t r = c; r < length; ++r) {
        rest(r, c) -= v[r] * conj(w[static_cast<std::size_t>(c)]);
        rest(r, c) -= w[static_cast<std::size_t>(r)] * conj(v[c]);
      }
    }
  }
}

/// After i columns the matrix is A - V W^H - W V^H, of which only the next column is computed.
void latrd(Arguments& a) {
  const auto [n, whole, e, tau] = tridiagonal(a);
  const Matrix A = whole;  // as in labrd
  const std::int64_t nb = a.size("nb");
  const Matrix W = a.flag("uplo") == 'U' ? a.matrix("W").reversed(n, nb) : a.matrix("W");
  for (std::int64_t i = 0; i < nb; ++i) {
    make_real(A(i, i), a.complex());
    for (std::int64_t r = i; i > 0 && r < n; ++r) {
      A(r, i) -= sum_of_products(
          i, [&](std::int64_t j) { return A(r, j); }, [&](std::int64_t j) { return conj(W(i, j)); });
      A(r, i) -= sum_of_products(
          i, [&](std::int64_t j) { return W(r, j); }, [&](std::int64_t j) { return conj(A(i, j)); });
    }
    make_real(A(i, i), a.complex());
    const std::int64_t length = n - i - 1;
    if (length == 0) {
      break;
    }
    const Number t = reduce_column(a, A, i, tau, e);
    A(i + 1, i) = 1.0;
    const Column v{A.from(i + 1, i)}, w{W.from(i + 1, i)};
    std::vector<Number> with_v, with_w;
    for (std::int64_t j = 0; j < i; ++j) {
      with_v.push_back(sum_of_products(
          length, [&](std::int64_t l) { return conj(A(i + 1 + l, j)); }, [&](std::int64_t l) { return v[l]; }));
      with_w.push_back(sum_of_products(
          length, [&](std::int64_t l) { return conj(W(i + 1 + l, j)); }, [&](std::int64_t l) { return v[l]; }));
    }
    const Matrix rest = A.from(i + 1, i + 1);
    for (std::int64_t r = 0; r < length; ++r) {
      Number sum = sum_of_products(
          length, [&](std::int64_t c) { return symmetric_element(rest, 'L', a.complex(), r, c); }, [&](std::int64_t c) { return v[c]; });
      for (std::int64_t j = 0; j < i; ++j) {
        sum = sum - A(i + 1 + r, j) * with_w[static_cast<std::size_t>(j)];
        sum = sum - W(i + 1 + r, j) * with_v[static_cast<std::size_t>(j)];
      }
      w[r] = sum;
    }
    balance(length, t, v, w);
  }
}

}  // namespace flopcast::kernel::reference
