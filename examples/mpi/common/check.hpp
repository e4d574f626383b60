#pragma once

#include "matrix.hpp"

/// The matrices that the subjects factor, and what their results are checked by. A check prints what it finds, with a checksum that tells
/// runs apart whose results differ in a single bit, and gives back whether the results are as accurate as LAPACK's would be.
namespace subject {

/// Of order n: symmetric, and definite by its diagonal.
double definite_element(int i, int j, int n);

/// Between -1 and 1, and looks random.
double random_element(int i, int j);

/// `factor`: in its lower triangle the Cholesky factor of the matrix of definite_element.
bool check_cholesky(View factor);

/// `r`: in its upper triangle R, with m rows; `q_transposed`: Q^T, m x m, so that Q R is the matrix of random_element.
bool check_qr(View r, View q_transposed);

}  // namespace subject
