#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "flopcast/kernel/entry.hpp"

// The factors Q of QR, LQ, QL and RQ, and of the reductions to Hessenberg, bidiagonal and tridiagonal form. Counts are those of LAPACK working note 41 (its tables of ormqr and orgqr hold for ormql and orgql, that of orglq for
// orgrq) and of the unblocked algorithms. The Q of a reduction has the counts of the ormqr, orgqr, ... that it calls.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

/// The real or the complex routines of a family, whose names begin alike: "or" and "un".
struct NumberField {
  const char* precisions;
  const char* beginning;
  const char* transpositions;
  [[nodiscard]] std::string family(const char* end) const { return std::string(beginning) + end; }
};
constexpr std::array<NumberField, 2> fields = {{{"sd", "or", "NT"}, {"cz", "un", "NC"}}};

std::vector<Item> line_work() { return {work("work", vec("side=L ? n : m"))}; }
std::vector<Item> side_work() {
  // Besides the blocks, ormlq keeps the triangular factor (64 columns with leading dimension 65 in LAPACK 3.11) in work.
  return {work_of_size(), work_size("lwork", "512*max(1,side=L ? n : m) + 4160")};
}

struct Counts {
  std::string multiplications, additions;
};

/// Returns the counts of applying k reflectors from side L or R to C, which is `m` x `n`.
Counts multiply_counts(const std::string& m, const std::string& n, const std::string& k) {
  const std::string left = fmt::format("2*({0})*({1})*({2}) - ({1})*({2})*({2})", m, n, k);
  const std::string right = fmt::format("2*({0})*({1})*({2}) - ({0})*({2})*({2})", m, n, k);
  return {fmt::format("side=L ? {3} + 2*({1})*({2}) : {4} + ({0})*({2}) + ({1})*({2}) - ({2})*({2})/2 + ({2})/2", m, n, k, left, right),
          fmt::format("side=L ? {3} + ({1})*({2}) : {4} + ({0})*({2})", m, n, k, left, right)};
}

/// `columns` for orgqr and orgql, `rows` for orglq and orgrq.
enum class Lines { columns, rows };
Counts generate_counts(Lines lines, const std::string& m, const std::string& n, const std::string& k) {
  const std::string shared = fmt::format("2*({0})*({1})*({2}) - (({0})+({1}))*({2})*({2}) + 2*({2})*({2})*({2})/3", m, n, k);
  return lines == Lines::columns
             ? Counts{fmt::format("{3} + 2*({1})*({2}) - ({2})*({2}) - 5*({2})/3", m, n, k, shared),
                      fmt::format("{3} + ({1})*({2}) - ({0})*({2}) + ({2})/3", m, n, k, shared)}
             : Counts{fmt::format("{3} + ({0})*({2}) + ({1})*({2}) - ({2})*({2}) - 2*({2})/3", m, n, k, shared),
                      fmt::format("{3} + ({0})*({2}) - ({1})*({2}) + ({2})/3", m, n, k, shared)};
}

/// C := op(Q) C or C op(Q). The routine overwrites the diagonal beside the reflectors temporarily, so that the diagonal is touched.
Entry multiply_by_q(const NumberField& field, const char* end, const char* from, OperandLayout reflectors, const std::vector<Item>& space) {
  const Counts counts = multiply_counts("m", "n", "k");
  std::vector<Item> items = {side(), flag("trans", field.transpositions), size("m"), size("n"), size("k"),
                             in("A", std::move(reflectors)).with(Fill::reflectors), ld("lda"), in("tau", vec("k")).with(Fill::factors),
                             update("C", full("m", "n")), ld("ldc")};
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  return Entry{names(field.precisions, field.family(end)), field.family(end), fmt::format("C := op(Q) C, or C op(Q), with Q from {}", from), items,
               counts.multiplications, counts.additions}.requiring({"side=L ? m : n >= k"});
}

Entry generate_q(const NumberField& field, const char* end, const char* operation, Lines lines, std::vector<Item> space) {
  const Counts counts = generate_counts(lines, "m", "n", "k");
  std::vector<Item> items = {size("m"), size("n"), size("k"), update("A", full("m", "n")).with(Fill::reflectors), ld("lda"),
                             in("tau", vec("k")).with(Fill::factors)};
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  return Entry{names(field.precisions, field.family(end)), field.family(end), operation, items, counts.multiplications, counts.additions}
      .requiring(lines == Lines::columns ? std::vector<std::string>{"m >= n", "n >= k"} : std::vector<std::string>{"n >= m", "m >= k"});
}

constexpr const char* order = "side=L ? m : n";

/// gehrd's Q is that of a QR factorization in the rows and columns from ilo+1 to ihi, whose reflectors lie one column further left.
Entry multiply_by_hessenberg_q(const NumberField& field, const char* end) {
  const Counts counts = multiply_counts("side=L ? ihi-ilo : m", "side=L ? n : ihi-ilo", "ihi-ilo");
  return Entry{names(field.precisions, field.family(end)), field.family(end), "C := op(Q) C, or C op(Q), with Q from gehrd",
               {side(), flag("trans", field.transpositions), size("m"), size("n"), size("ilo").usually("1"), size("ihi").usually(order),
                in("A", trapezoid("ihi-ilo", "ihi-ilo", "L").from("ilo", "ilo-1")).with(Fill::reflectors), ld("lda").at_least(order),
                in("tau", vec("ihi-ilo").from("ilo-1")).with(Fill::factors),
                update("C", full("side=L ? ihi-ilo : m", "side=L ? n : ihi-ilo").from("side=L ? ilo : 0", "side=L ? 0 : ilo")),
                ld("ldc").at_least("m"), work_of_size(), work_size("lwork", "512*max(1,side=L ? n : m) + 4160"), info()},
               counts.multiplications, counts.additions}
      .requiring({"ilo >= 1", "max(1,side=L ? m : n) >= ilo", "ihi >= min(ilo,side=L ? m : n)", "side=L ? m : n >= ihi"});
}

/// The Q of sytrd is that of a QR (lower) or QL (upper) factorization whose order is smaller by one.
Entry multiply_by_tridiagonal_q(const NumberField& field, const char* end) {
  const std::string m = "side=L ? max(0,m-1) : m", n = "side=L ? n : max(0,n-1)";
  const Counts counts = multiply_counts(m, n, "max(0,(side=L ? m : n) - 1)");
  return {names(field.precisions, field.family(end)), field.family(end), "C := op(Q) C, or C op(Q), with Q from sytrd or hetrd",
          {side(), uplo(), flag("trans", field.transpositions), size("m"), size("n"),
           in("A", triangle("(side=L ? m : n) - 1", "uplo").from("uplo=L ? 1 : 0", "uplo=L ? 0 : 1")).with(Fill::reflectors),
           ld("lda").at_least(order), in("tau", vec("(side=L ? m : n) - 1")).with(Fill::factors),
           update("C", full(m, n).from("uplo=U ? 0 : (side=L ? 1 : 0)", "uplo=U ? 0 : (side=L ? 0 : 1)")), ld("ldc").at_least("m"),
           work_of_size(), work_size("lwork", "512*max(1,side=L ? n : m) + 4160"), info()},
          counts.multiplications, counts.additions};
}

/// Q and P of gebrd are those of a QR and an LQ factorization. They have all rows and columns, or (`less` = 1) lack the first ones. `less`
/// is 1 for Q if gebrd reduced a q x k matrix with k > q, and for P if it reduced a k x q matrix with k >= q.
Entry multiply_by_bidiagonal_q(const NumberField& field, const char* end) {
  const std::string less = "min(1,max(0,vect=Q ? k - (side=L ? m : n) : k + 1 - (side=L ? m : n)))";
  const std::string length = fmt::format("max(0,(side=L ? m : n) - {})", less);
  const std::string count = fmt::format("min(k,{})", length);
  const std::string m = fmt::format("side=L ? {} : m", length), n = fmt::format("side=L ? n : {}", length);
  const Counts counts = multiply_counts(m, n, count);
  return {names(field.precisions, field.family(end)), field.family(end), "C := op(Q) C, C op(Q), op(P) C or C op(P), with Q and P from gebrd",
          {flag("vect", "QP"), side(), flag("trans", field.transpositions), size("m"), size("n"), size("k"),
           in("A", trapezoid(fmt::format("vect=Q ? {} : {}", length, count), fmt::format("vect=Q ? {} : {}", count, length), "vect")
                       .from(fmt::format("vect=Q ? {} : 0", less), fmt::format("vect=Q ? 0 : {}", less))).with(Fill::reflectors),
           ld("lda").at_least("vect=Q ? (side=L ? m : n) : min(k,side=L ? m : n)"), in("tau", vec(count)).with(Fill::factors),
           update("C", full(m, n).from(fmt::format("side=L ? {} : 0", less), fmt::format("side=L ? 0 : {}", less))), ld("ldc").at_least("m"),
           work_of_size(), work_size("lwork", "512*max(1,side=L ? n : m) + 4160"), info()},
          counts.multiplications, counts.additions};
}

/// All of A is written: the result of orgqr, and the identity outside of it.
Entry generate_hessenberg_q(const NumberField& field, const char* end) {
  const Counts counts = generate_counts(Lines::columns, "ihi-ilo", "ihi-ilo", "ihi-ilo");
  return Entry{names(field.precisions, field.family(end)), field.family(end), "Q from gehrd",
               {size("n"), size("ilo").usually("1"), size("ihi").usually("n"), update("A", full("n", "n")).with(Fill::reflectors), ld("lda"),
                in("tau", vec("ihi-ilo").from("ilo-1")).with(Fill::factors), work_of_size(), block_work("ihi-ilo"), info()},
               counts.multiplications, counts.additions}
      .requiring({"ilo >= 1", "max(1,n) >= ilo", "ihi >= min(ilo,n)", "n >= ihi"});
}

Entry generate_tridiagonal_q(const NumberField& field, const char* end) {
  const Counts counts = generate_counts(Lines::columns, "max(0,n-1)", "max(0,n-1)", "max(0,n-1)");
  return {names(field.precisions, field.family(end)), field.family(end), "Q from sytrd or hetrd",
          {uplo(), size("n"), update("A", full("n", "n")).with(Fill::reflectors), ld("lda"),
           in("tau", vec("n-1")).with(Fill::factors), work_of_size(), block_work("n-1"), info()},
          counts.multiplications, counts.additions};
}

/// Counts of Q are those of orgqr, counts of P those of orglq. They have all rows and columns, or (`less` = 1) lack the first ones, which
/// become those of the identity. `less` is 1 for Q if gebrd reduced an m x k matrix with k > m, and for P if it reduced a k x n matrix with
/// k >= n.
Entry generate_bidiagonal_q(const NumberField& field, const char* end) {
  const std::string less = "min(1,max(0,vect=Q ? k - m : k + 1 - n))";
  const std::string m = fmt::format("(m-{})", less), n = fmt::format("(n-{})", less);
  const std::string k = fmt::format("min(k,vect=Q ? {} : {})", m, n);
  const Counts q = generate_counts(Lines::columns, m, n, k), p = generate_counts(Lines::rows, m, n, k);
  return Entry{names(field.precisions, field.family(end)), field.family(end), "Q or P' from gebrd",
               {flag("vect", "QP"), size("m"), size("n"), size("k"), update("A", full("m", "n")).with(Fill::reflectors), ld("lda"),
                in("tau", vec(k)).with(Fill::factors), work_of_size(), block_work("min(m,n)"), info()},
               fmt::format("vect=Q ? {} : {}", q.multiplications, p.multiplications), fmt::format("vect=Q ? {} : {}", q.additions, p.additions)}
      .requiring({"vect=Q ? m : n >= vect=Q ? n : m", "vect=Q ? n : m >= vect=Q ? min(m,k) : min(n,k)"});
}

}  // namespace

std::vector<Entry> lapack_orthogonal_entries() {
  const OperandLayout columns = trapezoid(order, "k", "L");
  const OperandLayout rows = trapezoid("k", order, "U");
  const OperandLayout last_columns = end_trapezoid(order, "k", "U");
  const OperandLayout last_rows = end_trapezoid("k", order, "L");
  std::vector<Entry> all;
  for (const NumberField& field : fields) {
    const std::vector<Entry> entries = {
        multiply_by_q(field, "m2r", "geqrf", columns, line_work()),
        multiply_by_q(field, "mqr", "geqrf", columns, side_work()),
        multiply_by_q(field, "ml2", "gelqf", rows, line_work()),
        multiply_by_q(field, "mlq", "gelqf", rows, side_work()),
        multiply_by_q(field, "m2l", "geqlf", last_columns, line_work()),
        multiply_by_q(field, "mql", "geqlf", last_columns, side_work()),
        multiply_by_q(field, "mr2", "gerqf", last_rows, line_work()),
        multiply_by_q(field, "mrq", "gerqf", last_rows, side_work()),

        generate_q(field, "g2r", "first n columns of Q from geqrf", Lines::columns, {work("work", vec("n"))}),
        generate_q(field, "gqr", "first n columns of Q from geqrf", Lines::columns, {work_of_size(), block_work("n")}),
        generate_q(field, "gl2", "first m rows of Q from gelqf", Lines::rows, {work("work", vec("m"))}),
        generate_q(field, "glq", "first m rows of Q from gelqf", Lines::rows, {work_of_size(), block_work("m")}),
        generate_q(field, "g2l", "last n columns of Q from geqlf", Lines::columns, {work("work", vec("n"))}),
        generate_q(field, "gql", "last n columns of Q from geqlf", Lines::columns, {work_of_size(), block_work("n")}),
        generate_q(field, "gr2", "last m rows of Q from gerqf", Lines::rows, {work("work", vec("m"))}),
        generate_q(field, "grq", "last m rows of Q from gerqf", Lines::rows, {work_of_size(), block_work("m")}),

        multiply_by_hessenberg_q(field, "mhr"),
        multiply_by_tridiagonal_q(field, "mtr"),
        multiply_by_bidiagonal_q(field, "mbr"),
        generate_hessenberg_q(field, "ghr"),
        generate_tridiagonal_q(field, "gtr"),
        generate_bidiagonal_q(field, "gbr"),
    };
    std::copy(entries.begin(), entries.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace flopcast::kernel
