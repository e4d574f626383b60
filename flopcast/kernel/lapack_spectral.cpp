#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// Eigenvalues, singular values and least squares: the drivers that NumPy, Octave and R call. The number of operations depends on the data.
// The counts are the leading terms for matrices with a spread spectrum, half of them multiplications.
// Sources: Golub and Van Loan, Matrix Computations (3rd edition: 5.4.5 singular values, 7.5.6 and 8.3.3 eigenvalues); Demmel, Applied
// Numerical Linear Algebra (5.3.3: divide and conquer takes 4/3 n^3 for the vectors of a tridiagonal matrix).
// A symmetric matrix has the footprint of the whole matrix, although one triangle is given, because the eigenvectors overwrite all of it.
// Work sizes suffice for block sizes up to 512.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

constexpr const char* least = "min(m,n)";
constexpr const char* most = "max(m,n)";

Entry driver(const char* precisions, const char* family, const std::string& operation, std::vector<Item> items, const std::vector<Item>& space,
             const std::string& operations) {
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  const std::string half = operations.empty() ? "" : fmt::format("({})/2", operations);
  return {names(precisions, family), family, operation, items, half, half};
}

// --- Symmetric and Hermitian eigenvalues ---

std::vector<Item> symmetric_items() {
  return {flag("jobz", "NV"), uplo(), size("n"), update("A", full("n", "n")), ld("lda"), out("w", vec("n")).as_real()};
}

std::vector<Item> real_conquer_space() {
  return {work_of_size(), work_size("lwork", "1 + 518*n + 2*n*n"),
          work("iwork", vec("max(1,liwork)")).as_integer(), work_size("liwork", "3 + 5*n")};
}

std::vector<Item> complex_conquer_space() {
  return {work_of_size(), work_size("lwork", "1 + 514*n + n*n"), work("rwork", vec("max(1,lrwork)")).as_real(), work_size("lrwork", "1 + 5*n + 2*n*n"),
          work("iwork", vec("max(1,liwork)")).as_integer(), work_size("liwork", "3 + 5*n")};
}

/// All eigenvalues (range = A; then vl ... iu don't matter), or those from the il-th to the iu-th (range = I). In filled calls il and iu are 1,
/// and the footprint of Z and the count are those of one eigenvalue.
std::vector<Item> selected_items() {
  return {flag("jobz", "NV"), flag("range", "AI"), uplo(), size("n"), update("A", full("n", "n")), ld("lda"), real_scalar("vl"), real_scalar("vu"),
          in("il", one()).as_integer(), in("iu", one()).as_integer(), real_scalar("abstol").usually("0"),
          out("m", one()).as_integer().skipped("range=A ? n : 1"), out("w", vec("n")).as_real(),
          out("Z", full("n", "jobz=V ? (range=A ? n : 1) : 0")), ld("ldz").at_least("jobz=V ? n : 1")};
}

Entry selected_eigenvalues(const char* precisions, const char* family, const char* method, const std::vector<Item>& space, const char* all_vectors) {
  return driver(precisions, family, fmt::format("eigenvalues and, with jobz = V, eigenvectors of A, all or some, by {}", method), selected_items(), space,
                fmt::format("4*n*n*n/3 + (range=A ? (jobz=V ? {} : 0) : (jobz=V ? 2*n*n : 0))", all_vectors))
      .requiring({"range=I ? n : 1 >= 1"});
}

Entry relatively_robust(const char* precisions, const char* family, std::vector<Item> space) {
  space.insert(space.begin(), out("isuppz", vec("2*max(1,n)")).as_integer());
  space.insert(space.end(), {work("iwork", vec("max(1,liwork)")).as_integer(), work_size("liwork", "max(1,10*n)")});
  return selected_eigenvalues(precisions, family, "relatively robust representations", space, "2*n*n*n");
}

/// All vectors are those of QR iteration if abstol isn't positive; some are found by bisection and inverse iteration.
Entry bisection(const char* precisions, const char* family, std::vector<Item> space) {
  space.insert(space.end(), {work("iwork", vec("5*n")).as_integer(), out("ifail", vec("n")).as_integer()});
  return selected_eigenvalues(precisions, family, "QR iteration or bisection", space, "23*n*n*n/3");
}

// --- Eigenvalues of any square matrix ---

Entry general_eigenvalues(const char* precisions, const std::vector<Item>& values, const std::vector<Item>& space) {
  std::vector<Item> items = {flag("jobvl", "NV"), flag("jobvr", "NV"), size("n"), update("A", full("n", "n")), ld("lda")};
  items.insert(items.end(), values.begin(), values.end());
  for (const Item& item : {out("VL", full("n", "jobvl=V ? n : 0")), ld("ldvl").at_least("jobvl=V ? n : 1"),
                           out("VR", full("n", "jobvr=V ? n : 0")), ld("ldvr").at_least("jobvr=V ? n : 1")}) {
    items.push_back(item);
  }
  return driver(precisions, "geev", "eigenvalues of A and, with jobvl, jobvr = V, its left and right eigenvectors", items, space,
                "jobvl=V ? 25*n*n*n : (jobvr=V ? 25*n*n*n : 10*n*n*n)");
}

/// Balances, as in calls by Octave, and computes for sense = E, V or B the condition numbers of eigenvalues, vectors or both. For the
/// condition number of a vector the eigenvalue moves to the front of the triangle, by rotations of two rows and two columns (6 n each) for
/// every place. Some five solutions with the rest follow. The triangle without vectors, which sense = V needs, costs as much as the
/// eigenvalues alone and the other halves of rows and columns.
Entry balanced_eigenvalues(const char* precisions, const std::vector<Item>& values, const std::vector<Item>& space) {
  std::vector<Item> items = {flag("balanc", "NPSB"), flag("jobvl", "NV"), flag("jobvr", "NV"), flag("sense", "NEVB"), size("n"), update("A", full("n", "n")), ld("lda")};
  items.insert(items.end(), values.begin(), values.end());
  for (const Item& item : {out("VL", full("n", "jobvl=V ? n : 0")), ld("ldvl").at_least("jobvl=V ? n : 1"),
                           out("VR", full("n", "jobvr=V ? n : 0")), ld("ldvr").at_least("jobvr=V ? n : 1"),
                           out("ilo", one()).as_integer().skipped(1), out("ihi", one()).as_integer().skipped("n"), out("scale", vec("n")).as_real().skipped(1),
                           out("abnrm", one()).as_real().skipped(1), 
                           out("rconde", vec("sense=EB ? n : 0")).as_real(), out("rcondv", vec("sense=VB ? n : 0")).as_real()}) {
    items.push_back(item);
  }
  return driver(precisions, "geevx", "eigenvalues of A, balanced, with jobvl, jobvr = V its left and right eigenvectors, with sense their condition", items, space,
                "(jobvl=V ? 25*n*n*n : (jobvr=V ? 25*n*n*n : (sense=V ? 17*n*n*n : 10*n*n*n))) + (sense=VB ? 8*n*n*n : 0)")
      .requiring({"jobvl=V ? 1 : 0 >= sense=EB ? 1 : 0", "jobvr=V ? 1 : 0 >= sense=EB ? 1 : 0"});
}

// --- Singular values ---

/// 1 if A has more columns than rows, else 0.
constexpr const char* wide = "min(1,max(0,n-m))";
constexpr const char* bidiagonal = "(4*max(m,n)*min(m,n)*min(m,n) - 4*min(m,n)*min(m,n)*min(m,n)/3)";

std::vector<Item> singular_vectors(const std::string& left, const std::string& right, const std::string& no_left, const std::string& no_right) {
  return {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("s", vec(least)).as_real(),
          out("U", full("m", left)), ld("ldu").at_least(no_left + " ? 1 : max(1,m)"),
          out("VT", full(right, "n")), ld("ldvt").at_least(fmt::format("{} ? 1 : max(1,{})", no_right, right))};
}

Entry divide_and_conquer_svd(const char* precisions, const std::vector<Item>& space) {
  std::vector<Item> items = {flag("jobz", "ANOS")};
  // With jobz = O one set of vectors, the set with A's shape, overwrites A.
  for (const Item& item : singular_vectors(fmt::format("jobz=A ? m : (jobz=S ? {} : (jobz=O ? m*{} : 0))", least, wide),
                                           fmt::format("jobz=A ? n : (jobz=S ? {} : (jobz=O ? n*(1-{}) : 0))", least, wide), "jobz=N", "jobz=N")) {
    items.push_back(item);
  }
  const std::string vectors = fmt::format("{} + 4*{}*{}*{} + 4*{}*{}*{}/3", bidiagonal, most, least, least, least, least, least);
  const std::string square = fmt::format("{} + 4*{}*{}*{} + 4*{}*{}*{}/3", bidiagonal, most, most, least, least, least, least);
  return driver(precisions, "gesdd", "singular values and vectors, A = U diag(s) VT, by divide and conquer", items, space,
                fmt::format("jobz=N ? {} : (jobz=A ? {} : {})", bidiagonal, square, vectors));
}

Entry iterated_svd(const char* precisions, const std::vector<Item>& space) {
  std::vector<Item> items = {flag("jobu", "ANS"), flag("jobvt", "ANS")};
  for (const Item& item : singular_vectors(fmt::format("jobu=A ? m : (jobu=S ? {} : 0)", least), fmt::format("jobvt=A ? n : (jobvt=S ? {} : 0)", least),
                                           "jobu=N", "jobvt=N")) {
    items.push_back(item);
  }
  const std::string vectors = fmt::format("14*{}*{}*{} + 8*{}*{}*{}", most, least, least, least, least, least);
  return driver(precisions, "gesvd", "singular values and vectors, A = U diag(s) VT, by QR iteration", items, space,
                fmt::format("jobu=N ? (jobvt=N ? {} : {}) : {}", bidiagonal, vectors, vectors));
}

Item svd_work_size() { return work_size("lwork", "8*min(m,n)*min(m,n) + 600*(m+n) + 64"); }
Item eight_per_value() { return work("iwork", vec("8*min(m,n)")).as_integer(); }

/// Jacobi's method on one side, after QR with pivots. sigma = work(1)/work(2) sva. The count is that of six sweeps over a triangle.
Entry jacobi_svd(const char* precisions, const std::vector<Item>& space) {
  return driver(precisions, "gejsv", "singular values and vectors, A = U diag(sigma) V', by Jacobi's method, accurate for scaled columns",
                {flag("joba", "CFG"), flag("jobu", "UFN"), flag("jobv", "VN"), flag("jobr", "RN"), flag("jobt", "N"), flag("jobp", "N"), size("m"), size("n"),
                 update("A", full("m", "n")), ld("lda"), out("sva", vec("n")).as_real(), out("U", full("m", "jobu=U ? n : (jobu=F ? m : 0)")),
                 ld("ldu").at_least("jobu=N ? 1 : max(1,m)"), out("V", full("n", "jobv=V ? n : 0")), ld("ldv").at_least("jobv=N ? 1 : max(1,n)")},
                space, "2*m*n*n + (jobu=N ? (jobv=N ? 6*n*n*n : 10*n*n*n) : 12*n*n*n + 4*m*n*n)")
      .requiring({"m >= n"});
}

// --- Least squares ---

std::vector<Item> least_squares_items() {
  return {size("m"), size("n"), size("nrhs"), update("A", full("m", "n")), ld("lda"), update("B", full(most, "nrhs")), ld("ldb").at_least(fmt::format("max(1,{})", most))};
}

Entry least_squares(const char* precisions, const char* transpositions) {
  std::vector<Item> items = least_squares_items();
  items.insert(items.begin(), flag("trans", transpositions));
  return driver(precisions, "gels", "least squares or least norm solution of op(A) X = B, A of full rank, by QR or LQ", items,
                {work_of_size(), work_size("lwork", "max(1,513*(m+n+nrhs))")},
                fmt::format("2*{1}*{0}*{0} - 2*{0}*{0}*{0}/3 + nrhs*(4*{1}*{0} - {0}*{0})", least, most));
}

Entry least_squares_by_svd(const char* precisions, std::vector<Item> space) {
  std::vector<Item> items = least_squares_items();
  for (const Item& item : {out("s", vec(least)).as_real(), real_scalar("rcond"), out("rank", one()).as_integer().skipped(least)}) {
    items.push_back(item);
  }
  space.push_back(work("iwork", vec("max(1,47*min(m,n))")).as_integer());  // sufficient for orders up to 50000
  return driver(precisions, "gelsd", "least norm solution of min |A X - B|, by singular values", items, space,
                fmt::format("{} + nrhs*(4*m*n + 4*{}*{})", bidiagonal, least, least));
}

/// All columns are free to move, because jpvt is filled with zeros.
Entry pivoted_qr(const char* precisions, const std::vector<Item>& space) {
  return driver(precisions, "geqp3", "A P = Q R with column pivoting",
                {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), update("jpvt", vec("n")).as_integer().with(Fill::zero), out("tau", vec(least))}, space,
                fmt::format("2*{1}*{0}*{0} - 2*{0}*{0}*{0}/3", least, most));
}

Entry least_squares_with_pivots(const char* precisions, const std::vector<Item>& space) {
  std::vector<Item> items = least_squares_items();
  for (const Item& item : {update("jpvt", vec("n")).as_integer().with(Fill::zero), real_scalar("rcond"), out("rank", one()).as_integer().skipped(least)}) {
    items.push_back(item);
  }
  return driver(precisions, "gelsy", "least norm solution of min |A X - B|, by QR with column pivoting", items, space,
                fmt::format("2*{1}*{0}*{0} - 2*{0}*{0}*{0}/3 + 4*nrhs*m*n", least, most));
}

Item least_squares_svd_work_size() { return work_size("lwork", "700 + 400*min(m,n) + min(m,n)*nrhs + 512*(m+n+nrhs)"); }

}  // namespace

std::vector<Entry> lapack_spectral_entries() {
  const char* const by_iteration = "eigenvalues and, with jobz = V, eigenvectors of A, by QR iteration";
  const char* const by_conquering = "eigenvalues and, with jobz = V, eigenvectors of A, by divide and conquer";
  const char* const iteration_count = "jobz=V ? 9*n*n*n : 4*n*n*n/3";
  const char* const conquering_count = "jobz=V ? 14*n*n*n/3 : 4*n*n*n/3";
  return {
      driver("sd", "syev", by_iteration, symmetric_items(), {work_of_size(), work_size("lwork", "max(1,514*n)")}, iteration_count),
      driver("cz", "heev", by_iteration, symmetric_items(),
             {work_of_size(), work_size("lwork", "max(1,513*n)"), work("rwork", vec("max(1,3*n-2)")).as_real()}, iteration_count),
      driver("sd", "syevd", by_conquering, symmetric_items(), real_conquer_space(), conquering_count),
      driver("cz", "heevd", by_conquering, symmetric_items(), complex_conquer_space(), conquering_count),
      relatively_robust("sd", "syevr", {work_of_size(), work_size("lwork", "max(1,518*n)")}),
      relatively_robust("cz", "heevr", {work_of_size(), work_size("lwork", "max(1,513*n)"),
                                        work("rwork", vec("max(1,lrwork)")).as_real(), work_size("lrwork", "max(1,24*n)")}),
      bisection("sd", "syevx", {work_of_size(), work_size("lwork", "max(1,515*n)")}),
      bisection("cz", "heevx", {work_of_size(), work_size("lwork", "max(1,513*n)"), work("rwork", vec("7*n")).as_real()}),
      general_eigenvalues("sd", {out("wr", vec("n")), out("wi", vec("n"))}, {work_of_size(), work_size("lwork", "max(1,516*n)")}),
      general_eigenvalues("cz", {out("w", vec("n"))}, {work_of_size(), work_size("lwork", "max(1,514*n)"), work("rwork", vec("2*n")).as_real()}),
      balanced_eigenvalues("sd", {out("wr", vec("n")), out("wi", vec("n"))},
                           {work_of_size(), work_size("lwork", "max(1,n*(n+520))"), work("iwork", vec("max(1,2*n-2)")).as_integer()}),
      balanced_eigenvalues("cz", {out("w", vec("n"))}, {work_of_size(), work_size("lwork", "max(1,n*(n+520))"), work("rwork", vec("2*n")).as_real()}),
      divide_and_conquer_svd("sd", {work_of_size(), svd_work_size(), eight_per_value()}),
      divide_and_conquer_svd("cz", {work_of_size(), svd_work_size(),
                                    work("rwork", vec("max(1,7*min(m,n)*min(m,n) + 7*min(m,n) + 2*max(m,n)*min(m,n))")).as_real(), eight_per_value()}),
      iterated_svd("sd", {work_of_size(), svd_work_size()}),
      iterated_svd("cz", {work_of_size(), svd_work_size(), work("rwork", vec("5*min(m,n)")).as_real()}),
      jacobi_svd("sd", {work_of_size(), work_size("lwork", "7 + 2*n*n + 520*(m+n)"), work("iwork", vec("4 + m + 3*n")).as_integer()}),
      jacobi_svd("cz", {work("cwork", vec("max(1,lwork)")), work_size("lwork", "7 + 2*n*n + 520*(m+n)"),
                        work("rwork", vec("max(1,lrwork)")).as_real(), work_size("lrwork", "7 + 2*m + 3*n"), work("iwork", vec("4 + m + 3*n")).as_integer()}),
      least_squares("sd", "NT"),
      least_squares("cz", "NC"),
      least_squares_by_svd("sd", {work_of_size(), least_squares_svd_work_size()}),
      least_squares_by_svd("cz", {work_of_size(), least_squares_svd_work_size(),
                                  work("rwork", vec("800 + 160*min(m,n) + 80*nrhs + min(m,n)*nrhs")).as_real()}),
      pivoted_qr("sd", {work_of_size(), work_size("lwork", "2*n + 513*(n+1)")}),
      pivoted_qr("cz", {work_of_size(), work_size("lwork", "513*(n+1)"), work("rwork", vec("2*n")).as_real()}),
      least_squares_with_pivots("sd", {work_of_size(), work_size("lwork", "max(1,513*(2*n + m + nrhs))")}),
      least_squares_with_pivots("cz", {work_of_size(), work_size("lwork", "max(1,513*(2*n + m + nrhs))"), work("rwork", vec("2*n")).as_real()}),
  };
}

}  // namespace flopcast::kernel
