#include "flopcast/residual/product_relations.hpp"

#include <algorithm>
#include <functional>

#include "flopcast/residual/dense.hpp"

namespace flopcast::residual {
namespace {

using Number = std::complex<double>;
using Terms = std::vector<ProductRelation::Term>;

/// The arguments of a call, by which its relations are written.
class Products {
 public:
  explicit Products(const Call& call) : call_(call), family_(call.routine->family) {}

  void vanishes(std::string text, Terms terms, double safety = 1) {
    std::erase_if(terms, [](const ProductRelation::Term& term) { return term.factor == 0.0; });
    all_.push_back({std::move(text), std::move(terms), safety});
  }
  [[nodiscard]] const std::vector<ProductRelation>& all() const { return all_; }

  void moved(const char* to, const char* from) { vanishes(std::string(to) + " - " + from, {{1, {after(to)}}, {-1, {before(from)}}}, 0); }
  void added() { vanishes("y - (alpha x + y)", {{1, {after("y")}}, {-1, {before("y")}}, {-scalar("alpha"), {before("x")}}}); }
  void inner_product() {
    vanishes(
        "result - x' y",
        {{1, {MatrixReference{}}}, {-1, {before("x", family_ == "dotc" ? 'C' : 'T'), before("y")}}, {has("b") ? -scalar("b") : 0, {}}});
  }
  void general_product() {
    const std::string c = has("y") ? "y" : "C";
    if (has("y") && has("m") && std::min(size("m"), size("n")) == 0) {  // the definition of BLAS leaves y as it is
      return moved("y", "y");
    }
    const MatrixReference a = operand(), b = has("x") ? before("x") : before("B", flag("transb", 'N'));
    vanishes("C - (alpha op(A) op(B) + beta C)", {{1, {after(c)}}, {-scalar("alpha"), ordered(a, b)}, {-scalar("beta"), {before(c)}}});
  }
  void triangular_product() {
    const std::string x = has("x") ? "x" : "B";
    const Number alpha = has("alpha") ? scalar("alpha") : 1;
    if (alpha == 0.0) {
      return vanishes("B - 0", {{1, {after(x)}}}, 0);
    }
    family_[2] == 's' ? vanishes("op(A) X - alpha B", {{1, ordered(operand(), after(x))}, {-alpha, {before(x)}}})
                      : vanishes("B - alpha op(A) B", {{1, {after(x)}}, {-alpha, ordered(operand(), before(x))}});
  }
  void outer_product() {
    vanishes("A - (alpha x y' + A)",
             {{1, {after("A")}}, {-1, {before("A")}}, {-scalar("alpha"), {before("x"), before("y", family_ == "gerc" ? 'C' : 'T')}}});
  }
  void symmetric_update() {
    const std::string c = has("C") ? "C" : has("A") ? "A" : "AP";
    const char op = other();
    // The adjoint of op(A) is A itself for trans = T or C.
    const bool transposes = flag("trans", 'N') != 'N';
    const auto left = [&](const char* vector, const char* name) { return has("x") ? before(vector) : before(name, flag("trans", 'N')); };
    const auto right = [&](const char* vector, const char* name) {
      return has("x") ? before(vector, op) : before(name, transposes ? 'N' : op);
    };
    const bool two = has("y") || has("B");
    const char *second = two ? "y" : "x", *other_matrix = two ? "B" : "A";
    const Number alpha = scalar("alpha"), other_alpha = op == 'C' ? std::conj(alpha) : alpha;
    vanishes("C - (alpha A B' + alpha' B A' + beta C)", {{1, {whole(after(c))}},
                                                         {-alpha, {left("x", "A"), right(second, other_matrix)}},
                                                         {two ? -other_alpha : 0, {left(second, other_matrix), right("x", "A")}},
                                                         {has("beta") ? -scalar("beta") : -1, {whole(before(c))}}});
  }
  void cholesky() {
    MatrixReference r = after("A"), adjoint = after("A", 'C');
    r.stored = adjoint.stored = flag("uplo");
    MatrixReference a = before("A");
    a.other = 'C';
    vanishes("factors - A", {{1, flag("uplo") == 'L' ? std::vector{r, adjoint} : std::vector{adjoint, r}}, {-1, {a}}}, 2);
  }
  void scaled() { vanishes("x - alpha x", {{1, {after("x")}}, {-scalar("alpha"), {before("x")}}}); }

 private:
  [[nodiscard]] bool has(const char* name) const { return call_.routine->index(name) >= 0; }
  [[nodiscard]] std::int64_t size(const char* name) const { return call_.arguments[static_cast<std::size_t>(call_.routine->index(name))]; }
  [[nodiscard]] char flag(const char* name, char otherwise = 0) const { return has(name) ? static_cast<char>(size(name)) : otherwise; }
  [[nodiscard]] Number scalar(const char* name) const { return residual::scalar(call_, name); }
  static MatrixReference before(const std::string& name, char op = 'N') { return {name, When::before, op}; }
  static MatrixReference after(const std::string& name, char op = 'N') { return {name, When::after, op}; }
  /// Returns what the other triangle of a symmetric or Hermitian matrix consists of.
  [[nodiscard]] char other() const { return family_[0] == 'h' ? 'C' : 'T'; }
  [[nodiscard]] MatrixReference whole(MatrixReference of) const {
    of.other = other();
    return of;
  }
  /// Returns the matrix A of a product as the routine takes it: with op, or as a whole.
  [[nodiscard]] MatrixReference operand() const {
    const MatrixReference a = before(has("A") ? "A" : "AP", flag("transa", flag("trans", 'N')));
    return (family_[0] == 's' || family_[0] == 'h') && has("uplo") ? whole(a) : a;
  }
  [[nodiscard]] std::vector<MatrixReference> ordered(const MatrixReference& a, const MatrixReference& b) const {
    return flag("side", 'L') == 'L' ? std::vector{a, b} : std::vector{b, a};
  }

  const Call& call_;
  const std::string& family_;
  std::vector<ProductRelation> all_;
};

using Make = std::function<void(Products&)>;
using Table = std::map<std::string, Make>;

const Table& table() {
  static const Table all = by_family<Make>({
      {"copy", [](Products& p) { p.moved("y", "x"); }},
      {"swap", [](Products& p) { p.moved("x", "y"), p.moved("y", "x"); }},
      {"scal", &Products::scaled},
      {"axpy", &Products::added},
      {"dot dotu dotc dsdot sdsdot", &Products::inner_product},
      {"gemv gbmv symv hemv sbmv hbmv spmv hpmv gemm symm hemm", &Products::general_product},
      {"trmv tbmv tpmv trsv tbsv tpsv trmm trsm", &Products::triangular_product},
      {"ger geru gerc", &Products::outer_product},
      {"syr her spr hpr syr2 her2 spr2 hpr2 syrk herk syr2k her2k", &Products::symmetric_update},
      {"potf2 potrf2 potrf", &Products::cholesky},
  });
  return all;
}

}  // namespace

bool has_product_relations(const std::string& family) { return table().count(family) > 0; }

std::vector<ProductRelation> product_relations(const Call& call) {
  Products products(call);
  if (const auto found = table().find(call.routine->family); found != table().end()) {
    found->second(products);
  }
  return products.all();
}

}  // namespace flopcast::residual
