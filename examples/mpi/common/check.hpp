#pragma once

#include <cstdint>
#include <cstdlib>

#include "matrix.hpp"

/// The matrices that the subjects factor, and checks of their results. A check prints its errors and a checksum, which differs between runs
/// whose results differ in a single bit. It returns whether the results are as accurate as LAPACK's.
namespace subject {

/// Returns element (i, j) of a matrix of order n that is symmetric, and positive definite because of its diagonal.
inline double definite_element(int i, int j, int n) { return i == j ? n : 1.0 / (1 + std::abs(i - j)); }

/// Returns element (i, j) of a matrix that looks random, with values between -1 and 1.
inline double random_element(int i, int j) {
  // Finaliser of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
  std::uint64_t x = (static_cast<std::uint64_t>(i) << 32) + static_cast<std::uint64_t>(j) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

/// Checks the Cholesky factor of the matrix of definite_element, which stands in the lower triangle of `factor`.
bool check_cholesky(View factor);

/// Checks a QR factorisation of the matrix of random_element: R is the upper triangle of `r`, which has m rows, and `q_transposed` is Q^T,
/// m x m.
bool check_qr(View r, View q_transposed);

}  // namespace subject
