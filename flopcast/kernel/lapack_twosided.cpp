#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// Reductions to Hessenberg, bidiagonal and tridiagonal form. Counts are sums over the calls of the unblocked algorithms (gehd2, gebd2,
// sytd2) or of the panel factorizations lahr2, labrd and latrd of LAPACK 3.11; their leading terms are those of LAPACK working note 41. A
// reflector of length 1 counts like the others, as in the working note. h stands for ihi - ilo.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

std::vector<Item> hessenberg_items() {
  return {size("n"), size("ilo").usually("1"), size("ihi").usually("n"),
          update("A", hessenberg("ilo", "ihi", "n-ilo+1").from("", "ilo-1")), ld("lda").at_least("n")};
}

/// The count has reflectors of length l = 1 ... h, each applied to ihi x l elements from the right and to l x (n-ihi+l) from the left.
Entry hessenberg_form(const char* family, const char* operation, const std::vector<Item>& rest) {
  std::vector<Item> items = hessenberg_items();
  items.insert(items.end(), rest.begin(), rest.end());
  const std::string squares = "(ihi-ilo)*(ihi-ilo+1)*(2*(ihi-ilo)+1)/3";
  return Entry{names("sdcz", family), family, operation, items,
               "(ihi-ilo)*(ihi-ilo+1)*(n+2) + " + squares + " + (ihi-ilo)*(n-ihi+4)",
               "(ihi-ilo)*(ihi-ilo+1)*(n+1/2) + " + squares + " + (ihi-ilo)"}
      .requiring({"ilo >= 1", "max(1,n) >= ilo", "ihi >= min(ilo,n)", "n >= ihi"});
}

/// Counts nb of the h reflectors, without their application to the columns right of the panel; Y = A V T. The rows above k and the columns
/// right of the panel are only read. A begins with the panel. T is an upper triangle, whose last column is scratch space of nb elements.
Entry hessenberg_panel() {
  return Entry{names("sdcz", "lahr2"), "lahr2", "first nb columns of a reduction to Hessenberg form, with T and Y = A V T",
               {size("n"), size("k"), size("nb"), update("A", hessenberg("k", "n", "n-k+1")), ld("lda").at_least("n"), out("tau", vec("nb")),
                out("T", triangle("nb", "U")), ld("ldt"), out("Y", full("n", "nb")), ld("ldy")},
               "nb*((n-k)*n + 3*(n-k) + 4 + (4*(n-k)-1)*(nb-1)/2 - (nb-1)*(2*nb-1)/6)",
               "nb*((n-k)*n - k + 1 + (4*(n-k)-3)*(nb-1)/2 - (nb-1)*(2*nb-1)/6)"}
      .requiring({"k >= 1", "nb >= 1", "n-k >= nb"});
}

/// The count has a reflector for each of min(m,n) columns and rows. For m < n the count is that of the adjoint.
Entry bidiagonal_form(const char* family, const char* operation, const std::vector<Item>& space) {
  std::vector<Item> items = {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("d", vec("min(m,n)")).as_real(),
                             out("e", vec("min(m,n)-1")).as_real(), out("tauq", vec("min(m,n)")), out("taup", vec("min(m,n)"))};
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  const std::string products = "2*min(m,n)*(min(m,n)-1)*(max(m,n)-min(m,n)+1) + 2*min(m,n)*(min(m,n)-1)*(2*min(m,n)-1)/3";
  return {names("sdcz", family), family, operation, items,
          "2*m*n + 8*min(m,n) - 4 + " + products,
          "m*n - min(m,n)*(min(m,n)-1) + 2*min(m,n) - 1 + " + products};
}

/// The trailing matrix is only read. Every second element above the diagonals of X and Y is scratch space. A few elements on the diagonals
/// aren't touched, but belong to the footprint.
Entry bidiagonal_panel() {
  const std::string sum = "(m+n-1)", product = "max(m,n)*(min(m,n)-1)";
  return Entry{names("sdcz", "labrd"), "labrd", "first nb rows and columns of a reduction to bidiagonal form, with X and Y to update the others",
               {size("m"), size("n"), size("nb"), update("A", full("m", "n")), ld("lda"), out("d", vec("nb")).as_real(),
                out("e", vec("min(nb,min(m,n)-1)")).as_real(), out("tauq", vec("nb")),
                out("taup", vec("nb")), out("X", full("m", "nb")), ld("ldx"), out("Y", full("n", "nb")), ld("ldy")},
               fmt::format("nb*(2*{1} + 4*{0} + 6 + (nb-1)*(2*{0} - 5 - 5*(2*nb-1)/3))", sum, product),
               fmt::format("nb*(2*{1} + {0} + 1 + (nb-1)*(2*{0} - 4 - 5*(2*nb-1)/3))", sum, product)}
      .requiring({"nb >= 1", "min(m,n) >= nb"});
}

std::vector<Item> tridiagonal_items() {
  return {uplo(), size("n"), update("A", triangle("n")), ld("lda"), out("d", vec("n")).as_real(), out("e", vec("n-1")).as_real(),
          out("tau", vec("n-1"))};
}

/// The count has reflectors of length l = 1 ... n-1, each with a product with the l x l triangle and the rank-2 update of the triangle.
Entry tridiagonal_form(const char* precisions, const char* family, const char* operation, const std::vector<Item>& rest) {
  std::vector<Item> items = tridiagonal_items();
  items.insert(items.end(), rest.begin(), rest.end());
  items.push_back(info());
  return {names(precisions, family), family, operation, items,
          "2*n*n*n/3 + 2*n*n + 10*n/3 - 6", "2*n*n*n/3 + n*n/2 - 7*n/6"};
}

/// The panel is the first (lower) or last (upper) nb columns; the rest of the triangle is only read. W is n x nb; a few of its elements
/// aren't touched.
Entry tridiagonal_panel() {
  return Entry{names("sdcz", "latrd"), "latrd", "nb columns of a reduction to tridiagonal form, with W to update the others",
               {uplo(), size("n"), size("nb"), update("A", triangle("n")), ld("lda"),
                out("e", vec("min(nb,n-1)").from("uplo=U ? max(0,n-nb-1) : 0")).as_real(),
                out("tau", vec("min(nb,n-1)").from("uplo=U ? max(0,n-nb-1) : 0")), out("W", full("n", "nb")), ld("ldw")},
               "nb*((n-1)*(n-1) + 5*(n-1) + 6 + (nb-1)*((4*n-7)/2 - 5*(2*nb-1)/6))",
               "nb*((n-1)*(n-1) + 2*(n-1) + (nb-1)*((4*n-6)/2 - 5*(2*nb-1)/6))"}
      .requiring({"nb >= 1", "n >= nb"});
}

}  // namespace

std::vector<Entry> lapack_twosided_entries() {
  return {
      hessenberg_form("gehd2", "A = Q H Q', unblocked", {out("tau", vec("ihi-ilo").from("ilo-1")), work("work", vec("n")), info()}),
      hessenberg_panel(),
      // Besides the blocks, gehrd keeps the triangular factor (64 columns with leading dimension 65 in LAPACK 3.11) in work. Here and
      // below, 512 columns suffice for any reasonable block size. gehrd writes all of tau.
      hessenberg_form("gehrd", "A = Q H Q', blocked",
                      {out("tau", vec("n-1")), work_of_size(), work_size("lwork", "512*max(1,n) + 4160"), info()}),

      bidiagonal_form("gebd2", "A = Q B P', unblocked", {work("work", vec("max(m,n)"))}),
      bidiagonal_panel(),
      bidiagonal_form("gebrd", "A = Q B P', blocked", {work_of_size(), work_size("lwork", "512*max(1,m+n)")}),

      tridiagonal_form("sd", "sytd2", "A = Q T Q', unblocked", {}),
      tridiagonal_form("cz", "hetd2", "A = Q T Q', unblocked", {}),
      tridiagonal_panel(),
      tridiagonal_form("sd", "sytrd", "A = Q T Q', blocked", {work_of_size(), work_size("lwork", "512*max(1,n)")}),
      tridiagonal_form("cz", "hetrd", "A = Q T Q', blocked", {work_of_size(), work_size("lwork", "512*max(1,n)")}),
  };
}

}  // namespace flopcast::kernel
