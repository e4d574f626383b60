#pragma once

#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// LAPACK algorithms that are sequences of other algorithms. These run as LAPACK's variants with the same block size. A sequence ends at
/// the first info that isn't 0.
/// The sequences: potrs (two trsm), getrs (laswp, two trsm), potri (trtri, lauum), getri (trtri, then U^-1 L^-1 by columns, swaps), posv
/// (potrf, potrs), gesv (getrf, getrs), and potrf_sygst.
std::vector<Algorithm> composed_algorithms();

/// Reduction of A x = lambda B x (itype 1), A B x = lambda x (2) or B A x = lambda x (3) to standard form. B := L by potrf, then sygst or
/// hegst follow, as in the first two calls of LAPACK's sygv. Returns the info of potrf.
const Routine& potrf_sygst(Precision precision);

/// QR factorisation (geqrf), any shape. right-looking is LAPACK's: panels of nb columns (geqr2), each applied to the columns on its right
/// (larft, larfb), the last nx columns or more unblocked. recursive-panel: the same with geqrt3, which gives the triangular factor with the
/// panel. left-looking: all earlier panels are applied to a panel before it is factored; their triangular factors stay in work, nb (n + nb)
/// elements for full blocks.
std::vector<Algorithm> geqrf_algorithms();

/// LU factorisation (getrf) in FLAME's numbering. With partial pivoting A = P L U: 3 (left-looking), 4 (Crout), 5 (right-looking, LAPACK's)
/// and the recursion. The row swaps of a panel are applied to the other columns, and a recording takes every pivot to lie on the diagonal.
/// Without pivoting A = L U: nopivot-1 ... nopivot-5, with diagonal blocks by scal and ger; they leave ipiv[i] = i and end at a zero pivot.
/// Info is 0, or the number of the first pivot that is zero.
std::vector<Algorithm> getrf_algorithms();

/// A := L' L or U U' (lauum): three blocked variants in FLAME's numbering; 2 is LAPACK's.
std::vector<Algorithm> lauum_algorithms();

/// Cholesky factorisation A = L L' or U' U (potrf): three blocked variants in FLAME's numbering (Peise and Bientinesi 2014, section 1) and
/// the recursion. Variant 2, left-looking on the diagonal block, is LAPACK's (syrk or herk, potrf2, gemm, trsm). Info: 0, or the order of
/// the leading minor that is not positive definite.
std::vector<Algorithm> potrf_algorithms();

/// Generalised symmetric-definite eigenproblem to standard form (sygst; hegst in complex precisions, as `family` says), B from potrf. itype
/// 1, A := L^-1 A L'^-1: five blocked variants in FLAME's numbering; 5 is LAPACK's (symm twice instead of an intermediate matrix). itype 2
/// and 3, A := L' A L: LAPACK's, under variant 5; the others throw bad_input. 1 and 2 need local memory for nb rows, 3 for a matrix, 4 for
/// nb columns.
std::vector<Algorithm> sygst_algorithms(std::string_view family);

/// Sylvester equation op(A) X + isgn X op(B) = scale C (trsyl) with (quasi-)triangular A and B. FLAME's updates 15 (lazy) and 16 (eager) go
/// along A, 17 (lazy) and 18 (eager) along B, one inside the other. "15-17" goes through A outside and through B inside, "17-15" the other
/// way round. There are 8 complete algorithms, and the recursion. LAPACK's trsyl isn't blocked; the default 16-18 has the updates of its
/// trsyl3. Blocks never cut through a 2 x 2 block of a real Schur form, which is one row longer then; a recording takes A and B for
/// triangular. Info: 1 if eigenvalues were perturbed.
std::vector<Algorithm> trsyl_algorithms();

/// Inverse of a triangular matrix (trtri): eight blocked variants in FLAME's numbering (Peise and Bientinesi 2014, section 4) and the
/// recursion. The upper triangle is the lower one seen from its end. Variant 5 is LAPACK's; 4 and 8 do three times the operations. Info: 0,
/// or the first zero on the diagonal, counted from 1.
std::vector<Algorithm> trtri_algorithms();

}  // namespace flopcast::algorithm
