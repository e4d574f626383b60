#pragma once

#include <complex>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/residual/execution.hpp"

namespace flopcast::residual {

/// An operand as a matrix of a relation.
struct MatrixReference {
  std::string name;  ///< argument; empty: the value that the function returns
  When when = When::before;
  char op = 'N';     ///< N: the matrix itself, T: its transpose, C: its conjugate transpose
  char stored = 0;   ///< L, U: the triangle that is taken; 0: all that is stored
  char other = '0';  ///< elements of the other triangle. 0: zero; T: those of the transpose; C: their conjugates
};

/// A sum of products of matrices that vanishes in exact arithmetic.
struct ProductRelation {
  struct Term {
    std::complex<double> factor;
    std::vector<MatrixReference> matrices;  ///< two at most; empty: the number 1
  };
  std::string text;
  std::vector<Term> terms;  ///< without those whose factor is 0, whose operands the routine doesn't read
  double safety = 1;        ///< factor of the bound; 0: the sum vanishes exactly
};

/// Returns a table by family of a list whose texts name several families each.
template <class Make>
std::map<std::string, Make> by_family(const std::vector<std::pair<std::string, Make>>& list) {
  std::map<std::string, Make> table;
  for (const auto& [families, make] : list) {
    std::istringstream words(families);
    for (std::string family; words >> family;) {
      table[family] = make;
    }
  }
  return table;
}

/// Returns the relations that define the results of `call`, where they consist of products of two operands at most: those of nearly all
/// routines of BLAS, and of Cholesky factorizations. Returns nothing for other routines.
std::vector<ProductRelation> product_relations(const Call& call);
/// Returns whether product_relations() knows the family.
bool has_product_relations(const std::string& family);

}  // namespace flopcast::residual
