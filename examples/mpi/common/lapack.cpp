#include "lapack.hpp"

#include <string>
#include <vector>

#include "run.hpp"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*, std::size_t, std::size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*,
            std::size_t, std::size_t);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*, std::size_t, std::size_t, std::size_t, std::size_t);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*, std::size_t, std::size_t, std::size_t, std::size_t);
void dlacpy_(const char*, const int*, const int*, const double*, const int*, double*, const int*, std::size_t);
void dlaset_(const char*, const int*, const int*, const double*, const double*, double*, const int*, std::size_t);
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
void dtrtri_(const char*, const char*, const int*, double*, const int*, int*, std::size_t, std::size_t);
void dlaorhr_col_getrfnp_(const int*, const int*, double*, const int*, double*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dormqr_(const char*, const char*, const int*, const int*, const int*, const double*, const int*, const double*, double*, const int*,
             double*, const int*, int*, std::size_t, std::size_t);
void dgeqrt_(const int*, const int*, const int*, double*, const int*, double*, const int*, double*, int*);
void dgemqrt_(const char*, const char*, const int*, const int*, const int*, const int*, const double*, const int*, const double*,
              const int*, double*, const int*, double*, int*, std::size_t, std::size_t);
void dtpqrt_(const int*, const int*, const int*, const int*, double*, const int*, double*, const int*, double*, const int*, double*, int*);
void dtpmqrt_(const char*, const char*, const int*, const int*, const int*, const int*, const int*, const double*, const int*,
              const double*, const int*, double*, const int*, double*, const int*, double*, int*, std::size_t, std::size_t);
}

namespace subject {
namespace {

/// Returns work space that is kept from call to call.
double* work(int elements) {
  static std::vector<double> space;
  if (space.size() < static_cast<std::size_t>(elements)) {
    space.resize(static_cast<std::size_t>(elements));
  }
  return space.data();
}

/// Returns the work space for the largest block size that LAPACK chooses, which is 64.
int block_work(int lines) { return 64 * std::max(1, lines); }

void expect_success(const char* routine, int info) {
  if (info != 0) {
    stop(std::string(routine) + " failed with info " + std::to_string(info));
  }
}

}  // namespace

void gemm(char transa, char transb, double alpha, View a, View b, double beta, View c) {
  const int k = transa == 'N' ? a.columns : a.rows;
  if (!c.empty()) {
    dgemm_(&transa, &transb, &c.rows, &c.columns, &k, &alpha, a.data, &a.ld, b.data, &b.ld, &beta, c.data, &c.ld, 1, 1);
  }
}

void syrk(char uplo, char trans, double alpha, View a, double beta, View c) {
  const int k = trans == 'N' ? a.columns : a.rows;
  if (!c.empty()) {
    dsyrk_(&uplo, &trans, &c.rows, &k, &alpha, a.data, &a.ld, &beta, c.data, &c.ld, 1, 1);
  }
}

void trsm(char side, char uplo, char trans, char diag, double alpha, View a, View b) {
  if (!b.empty()) {
    dtrsm_(&side, &uplo, &trans, &diag, &b.rows, &b.columns, &alpha, a.data, &a.ld, b.data, &b.ld, 1, 1, 1, 1);
  }
}

void trmm(char side, char uplo, char trans, char diag, double alpha, View a, View b) {
  if (!b.empty()) {
    dtrmm_(&side, &uplo, &trans, &diag, &b.rows, &b.columns, &alpha, a.data, &a.ld, b.data, &b.ld, 1, 1, 1, 1);
  }
}

void lacpy(char uplo, View a, View b) {
  if (!a.empty()) {
    dlacpy_(&uplo, &a.rows, &a.columns, a.data, &a.ld, b.data, &b.ld, 1);
  }
}

void laset(char uplo, double off, double diagonal, View a) {
  if (!a.empty()) {
    dlaset_(&uplo, &a.rows, &a.columns, &off, &diagonal, a.data, &a.ld, 1);
  }
}

void potrf(char uplo, View a) {
  if (a.empty()) {
    return;
  }
  int info = 0;
  dpotrf_(&uplo, &a.rows, a.data, &a.ld, &info, 1);
  if (info > 0) {
    stop("a matrix of order " + std::to_string(a.rows) + " that must be definite isn't: its leading minor " + std::to_string(info) +
         " is not positive");
  }
  expect_success("dpotrf", info);
}

void trtri(char uplo, char diag, View a) {
  if (a.empty()) {
    return;
  }
  int info = 0;
  dtrtri_(&uplo, &diag, &a.rows, a.data, &a.ld, &info, 1, 1);
  expect_success("dtrtri", std::min(info, 0));  // a factor by potrf has no zero on its diagonal
}

void signed_lu(View a, double* signs) {
  if (a.empty()) {
    return;
  }
  int info = 0;
  dlaorhr_col_getrfnp_(&a.rows, &a.columns, a.data, &a.ld, signs, &info);
  expect_success("dlaorhr_col_getrfnp", info);
}

void geqrf(View a, double* tau) {
  if (a.empty()) {
    return;
  }
  int info = 0;
  const int size = block_work(a.columns);
  dgeqrf_(&a.rows, &a.columns, a.data, &a.ld, tau, work(size), &size, &info);
  expect_success("dgeqrf", info);
}

void ormqr(char side, char trans, View a, const double* tau, View c) {
  if (c.empty()) {
    return;
  }
  int info = 0;
  const int size = block_work(side == 'L' ? c.columns : c.rows) + 64 * 65;  // dormqr also keeps its triangular factor in the work space
  dormqr_(&side, &trans, &c.rows, &c.columns, &a.columns, a.data, &a.ld, tau, c.data, &c.ld, work(size), &size, &info, 1, 1);
  expect_success("dormqr", info);
}

void geqrt(View a, View t) {
  if (a.empty()) {
    return;
  }
  int info = 0;
  dgeqrt_(&a.rows, &a.columns, &t.rows, a.data, &a.ld, t.data, &t.ld, work(t.rows * a.columns), &info);
  expect_success("dgeqrt", info);
}

void gemqrt(char side, char trans, View v, View t, View c) {
  if (c.empty()) {
    return;
  }
  int info = 0;
  dgemqrt_(&side, &trans, &c.rows, &c.columns, &t.columns, &t.rows, v.data, &v.ld, t.data, &t.ld, c.data, &c.ld,
           work(t.rows * (side == 'L' ? c.columns : c.rows)), &info, 1, 1);
  expect_success("dgemqrt", info);
}

void tpqrt(int l, View a, View b, View t) {
  if (b.empty()) {
    return;
  }
  int info = 0;
  dtpqrt_(&b.rows, &b.columns, &l, &t.rows, a.data, &a.ld, b.data, &b.ld, t.data, &t.ld, work(t.rows * b.columns), &info);
  expect_success("dtpqrt", info);
}

void tpmqrt(char trans, int l, View v, View t, View a, View b) {
  if (b.empty()) {
    return;
  }
  int info = 0;
  const char side = 'L';
  dtpmqrt_(&side, &trans, &b.rows, &b.columns, &v.columns, &l, &t.rows, v.data, &v.ld, t.data, &t.ld, a.data, &a.ld, b.data, &b.ld,
           work(t.rows * b.columns), &info, 1, 1);
  expect_success("dtpmqrt", info);
}

}  // namespace subject
