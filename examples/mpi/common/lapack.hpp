#pragma once

#include "matrix.hpp"

/// The BLAS and LAPACK routines of the subjects, with sizes taken from the operands. Empty operands lead to no call. The program ends on an
/// illegal argument, which is a mistake of the subject, and on matrices that aren't positive definite.
namespace subject {

void gemm(char transa, char transb, double alpha, View a, View b, double beta, View c);
/// Computes the triangle `uplo` of C := alpha A A^T + beta C, or with A^T A if trans = T.
void syrk(char uplo, char trans, double alpha, View a, double beta, View c);
void trsm(char side, char uplo, char trans, char diag, double alpha, View a, View b);
void trmm(char side, char uplo, char trans, char diag, double alpha, View a, View b);
/// Copies B := A: the whole matrix, or its triangle U or L.
void lacpy(char uplo, View a, View b);
/// Sets A to `off` outside of the diagonal and to `diagonal` on it, in the whole matrix (uplo A) or its triangle U or L.
void laset(char uplo, double off, double diagonal, View a);

void potrf(char uplo, View a);
void trtri(char uplo, char diag, View a);
/// Factors A - S = L U without pivots. S = diag(signs) is chosen so that no pivot is below 1 if A's columns are orthonormal.
void signed_lu(View a, double* signs);

void geqrf(View a, double* tau);
void ormqr(char side, char trans, View a, const double* tau, View c);
/// Computes a QR factorisation and the triangular factors of its blocks in T, which has as many rows as blocks have columns.
void geqrt(View a, View t);
void gemqrt(char side, char trans, View v, View t, View c);
/// Computes the QR factorisation of the triangle A on top of B, whose last l rows are upper trapezoidal.
void tpqrt(int l, View a, View b, View t);
/// Computes [A; B] := op(Q) [A; B] with Q from tpqrt.
void tpmqrt(char trans, int l, View v, View t, View a, View b);

}  // namespace subject
