#pragma once

#include "matrix.hpp"

/// The matrices that the subjects factor, and checks of their results. A check prints its errors and a checksum, which differs between runs
/// whose results differ in a single bit. It returns whether the results are as accurate as LAPACK's.
namespace subject {

/// Returns element (i, j) of a matrix of order n that is symmetric, and positive definite because of its diagonal.
double definite_element(int i, int j, int n);

/// Returns element (i, j) of a matrix that looks random, with values between -1 and 1.
double random_element(int i, int j);

/// Checks the Cholesky factor of the matrix of definite_element, which stands in the lower triangle of `factor`.
bool check_cholesky(View factor);

/// Checks a QR factorisation of the matrix of random_element: R is the upper triangle of `r`, which has m rows, and `q_transposed` is Q^T,
/// m x m.
bool check_qr(View r, View q_transposed);

}  // namespace subject
