#pragma once

#include "matrix.hpp"

/// The BLAS and LAPACK routines that the subjects call, with sizes taken from the operands. Nothing is called for empty ones. An illegal
/// argument would be the subject's own mistake and ends the program, as do matrices that aren't definite.
namespace subject {

void gemm(char transa, char transb, double alpha, View a, View b, double beta, View c);
/// The triangle `uplo` of C := alpha A A^T + beta C, or of A^T A with trans = T.
void syrk(char uplo, char trans, double alpha, View a, double beta, View c);
void trsm(char side, char uplo, char trans, char diag, double alpha, View a, View b);
void trmm(char side, char uplo, char trans, char diag, double alpha, View a, View b);
/// B := A: all of it, or its triangle U or L.
void lacpy(char uplo, View a, View b);
/// A := `off` beside and `diagonal` on the diagonal, in all of A (uplo A) or its triangle U or L.
void laset(char uplo, double off, double diagonal, View a);

void potrf(char uplo, View a);
void trtri(char uplo, char diag, View a);
/// A - S = L U without pivots, S = diag(signs) chosen so that no pivot is below 1 if A's columns are orthonormal.
void signed_lu(View a, double* signs);

void geqrf(View a, double* tau);
void ormqr(char side, char trans, View a, const double* tau, View c);
/// QR with the triangular factors of its blocks in T, which has as many rows as blocks have columns.
void geqrt(View a, View t);
void gemqrt(char side, char trans, View v, View t, View c);
/// QR of the triangle A on top of B, whose last l rows are upper trapezoidal.
void tpqrt(int l, View a, View b, View t);
/// [A; B] := op(Q) [A; B] with Q from tpqrt.
void tpmqrt(char trans, int l, View v, View t, View a, View b);

}  // namespace subject
