#include "flopcast/kernel/entry.hpp"

// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

Item trans() { return flag("trans", "NTC"); }

/// Returns the formula of the number of elements in the band of an m x n matrix, for any m, n, kl and ku. For m = n the number is that of
/// LAPACK working note 41.
std::string band_elements() {
  const std::string below = "max(0,m-kl-1)";  // rows that lack elements on the left: each lacks one more than the row before, at most n
  const std::string right = "max(0,n-ku-1)";
  const auto missing = [](const std::string& lines, const std::string& most) {
    const std::string growing = "min(" + lines + "," + most + ")";
    return "(" + growing + "*(" + growing + "+1)/2 + (" + lines + "-" + growing + ")*" + most + ")";
  };
  return "m*n - " + missing(below, "n") + " - " + missing(right, "m");
}

/// y := alpha A x + beta y with a symmetric or Hermitian A, whose arguments are `matrix`.
Entry symmetric_times_vector(const char* precisions, const char* family, std::vector<Item> sizes, std::vector<Item> matrix,
                             const char* operations) {
  std::vector<Item> items = {uplo()};
  items.insert(items.end(), sizes.begin(), sizes.end());
  items.push_back(scalar("alpha"));
  items.insert(items.end(), matrix.begin(), matrix.end());
  for (const Item& item : {in("x", vec("n")), inc("incx"), scalar("beta"), update("y", vec("n")), inc("incy")}) {
    items.push_back(item);
  }
  return {names(precisions, family), family, "y := alpha A x + beta y, A = A'", items, operations, operations};
}

/// x := op(A) x or op(A)^-1 x with a triangular A; a unit diagonal saves a multiplication or division per row.
Entry triangular_vector(const char* family, const char* operation, std::vector<Item> sizes, std::vector<Item> matrix,
                        const char* off_diagonal) {
  std::vector<Item> items = {uplo(), trans(), diag()};
  items.insert(items.end(), sizes.begin(), sizes.end());
  items.insert(items.end(), matrix.begin(), matrix.end());
  items.push_back(update("x", vec("n")));
  items.push_back(inc("incx"));
  return {names("sdcz", family), family, operation, items, std::string(off_diagonal) + " + (diag=U ? 0 : n)", off_diagonal};
}

/// A := alpha x y' + A for a general A.
Entry general_rank_one(const char* precisions, const char* family, const char* operation) {
  return {names(precisions, family), family, operation,
          {size("m"), size("n"), scalar("alpha"), in("x", vec("m")), inc("incx"), in("y", vec("n")), inc("incy"),
           update("A", full("m", "n")), ld("lda")},
          "m*n", "m*n"};
}

/// A := alpha x x' + A on one triangle of A; alpha is real for a Hermitian A.
Entry rank_one(const char* precisions, const char* family, Item alpha, std::vector<Item> matrix) {
  std::vector<Item> items = {uplo(), size("n"), std::move(alpha), in("x", vec("n")), inc("incx")};
  items.insert(items.end(), matrix.begin(), matrix.end());
  return {names(precisions, family), family, "A := alpha x x' + A, A = A'", items, "n*(n+1)/2", "n*(n+1)/2"};
}

Entry rank_two(const char* precisions, const char* family, std::vector<Item> matrix) {
  std::vector<Item> items = {uplo(), size("n"), scalar("alpha"), in("x", vec("n")), inc("incx"), in("y", vec("n")), inc("incy")};
  items.insert(items.end(), matrix.begin(), matrix.end());
  return {names(precisions, family), family, "A := alpha x y' + alpha' y x' + A, A = A'", items, "n*(n+1)", "n*(n+1)"};
}

}  // namespace

// Counts are those of LAPACK working note 41: scaling by alpha and beta is not counted. Bands wider than the matrix are cut to the matrix.
std::vector<Entry> blas2_entries() {
  const std::vector<Item> n = {size("n")}, n_k = {size("n"), size("k")};
  const std::vector<Item> full_triangle = {in("A", triangle("n")), ld("lda")}, packed_triangle = {in("AP", packed("n"))},
                          banded_triangle = {in("A", band_triangle("n", "k")), ld("lda")};
  const std::vector<Item> full_factor = {in("A", triangle("n", "uplo", "diag")).with(Fill::triangular), ld("lda")},
                          packed_factor = {in("AP", packed("n", "uplo", "diag")).with(Fill::triangular)},
                          banded_factor = {in("A", band_triangle("n", "k", "uplo", "diag")).with(Fill::triangular), ld("lda")};
  const std::vector<Item> full_update = {update("A", triangle("n")), ld("lda")}, packed_update = {update("AP", packed("n"))};
  static constexpr const char* symmetric_band = "n*(2*min(k,n-1)+1) - min(k,n-1)*(min(k,n-1)+1)";
  static constexpr const char* off_diagonal = "n*(n-1)/2";
  static constexpr const char* off_diagonal_band = "n*min(k,n-1) - min(k,n-1)*(min(k,n-1)+1)/2";
  return {
      {names("sdcz", "gemv"), "gemv", "y := alpha op(A) x + beta y",
       {trans(), size("m"), size("n"), scalar("alpha"), in("A", full("m", "n")), ld("lda"), in("x", vec("trans=N ? n : m")), inc("incx"),
        scalar("beta"), update("y", vec("trans=N ? m : n")), inc("incy")},
       "m*n", "m*n"},
      {names("sdcz", "gbmv"), "gbmv", "y := alpha op(A) x + beta y, A a band matrix",
       {trans(), size("m"), size("n"), size("kl"), size("ku"), scalar("alpha"), in("A", band("m", "n", "kl", "ku")), ld("lda"),
        in("x", vec("trans=N ? n : m")), inc("incx"), scalar("beta"), update("y", vec("trans=N ? m : n")), inc("incy")},
       band_elements(), band_elements()},

      symmetric_times_vector("sd", "symv", n, full_triangle, "n*n"),
      symmetric_times_vector("cz", "hemv", n, full_triangle, "n*n"),
      symmetric_times_vector("sd", "sbmv", n_k, banded_triangle, symmetric_band),
      symmetric_times_vector("cz", "hbmv", n_k, banded_triangle, symmetric_band),
      symmetric_times_vector("sd", "spmv", n, packed_triangle, "n*n"),
      symmetric_times_vector("cz", "hpmv", n, packed_triangle, "n*n"),

      triangular_vector("trmv", "x := op(A) x", n, full_factor, off_diagonal),
      triangular_vector("tbmv", "x := op(A) x, A a band matrix", n_k, banded_factor, off_diagonal_band),
      triangular_vector("tpmv", "x := op(A) x, A packed", n, packed_factor, off_diagonal),
      triangular_vector("trsv", "x := op(A)^-1 x", n, full_factor, off_diagonal),
      triangular_vector("tbsv", "x := op(A)^-1 x, A a band matrix", n_k, banded_factor, off_diagonal_band),
      triangular_vector("tpsv", "x := op(A)^-1 x, A packed", n, packed_factor, off_diagonal),

      general_rank_one("sd", "ger", "A := alpha x y' + A"),
      general_rank_one("cz", "geru", "A := alpha x y^T + A"),
      general_rank_one("cz", "gerc", "A := alpha x y^H + A"),
      rank_one("sd", "syr", scalar("alpha"), full_update),
      rank_one("cz", "her", real_scalar("alpha"), full_update),
      rank_one("sd", "spr", scalar("alpha"), packed_update),
      rank_one("cz", "hpr", real_scalar("alpha"), packed_update),
      rank_two("sd", "syr2", full_update),
      rank_two("cz", "her2", full_update),
      rank_two("sd", "spr2", packed_update),
      rank_two("cz", "hpr2", packed_update),
  };
}

}  // namespace flopcast::kernel
