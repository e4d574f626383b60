// Plans terms of the CCSD doubles equation once, and executes them in each iteration.
//
// R_abij sums products of integrals with the amplitudes t1 and t2. The check adds up every product in plain loops.
//   for      authors of quantum chemistry programs in C++
//   build    cmake --build --preset check --target example_ccsd
//   run      build/check/bin/example_ccsd
//   read     docs/howto/ccsd.md
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "flopcast/flopcast.hpp"

namespace {

constexpr std::int64_t v = 6, o = 4;  // virtual and occupied orbitals; in the notation a to h are virtual, i to n occupied

struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// Returns a tensor of random numbers, with one dimension for each letter of `kinds`.
Tensor random_tensor(const std::string& kinds) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<double> number(-1, 1);
  Tensor tensor;
  std::size_t count = 1;
  for (const char kind : kinds) {
    tensor.shape.push_back(kind < 'i' ? v : o);
    count *= static_cast<std::size_t>(tensor.shape.back());
  }
  tensor.values.resize(count);
  for (double& value : tensor.values) value = number(generator);
  return tensor;
}

/// One term of R: a factor times the contraction of the operands.
struct Term {
  double factor;
  std::string notation;
  std::vector<const Tensor*> operands;
};

/// Adds a term to `r` in plain loops. A counter goes through the values of all labels, and every element is found by its labels.
void add_by_loops(const Term& term, std::vector<double>& r) {
  std::vector<std::string> labels(1);
  for (const char c : term.notation)
    if (c == ',' || c == '-')
      labels.emplace_back();
    else if (c != '>')
      labels.back() += c;
  std::map<char, std::int64_t> index;
  for (const std::string& one : labels)
    for (const char label : one) index[label] = 0;
  const auto place = [&](const std::string& of) {
    std::int64_t at = 0;
    for (const char label : of) at = at * (label < 'i' ? v : o) + index[label];
    return static_cast<std::size_t>(at);
  };
  for (bool more = true; more;) {
    double product = term.factor;
    for (std::size_t k = 0; k < term.operands.size(); ++k) product *= term.operands[k]->values[place(labels[k])];
    r[place(labels.back())] += product;
    more = false;
    for (auto& [label, value] : index) {
      if (++value < (label < 'i' ? v : o)) {
        more = true;
        break;
      }
      value = 0;
    }
  }
}

}  // namespace

int main() {
  const Tensor vvvv = random_tensor("abcd"), oooo = random_tensor("klij"), ovov = random_tensor("kbic"), oovv = random_tensor("klcd"),
               vvvo = random_tensor("abcj"), t1 = random_tensor("ai"), t2 = random_tensor("abij");
  const std::vector<Term> terms = {
      {0.5, "abcd,cdij->abij", {&vvvv, &t2}},            // particle-particle ladder
      {0.5, "klij,abkl->abij", {&oooo, &t2}},            // hole-hole ladder
      {-1, "kbic,ackj->abij", {&ovov, &t2}},             // ring
      {1, "abcj,ci->abij", {&vvvo, &t1}},                // single amplitudes
      {1, "abcd,ci,dj->abij", {&vvvv, &t1, &t1}},        // their square: a tree of two contractions
      {0.25, "klcd,cdij,abkl->abij", {&oovv, &t2, &t2}}  // the square of the double amplitudes
  };

  const flopcast::Workbench bench({.blas = "openblas-serial"});
  std::vector<flopcast::contract::Plan> plans;
  for (const Term& term : terms) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const Tensor* operand : term.operands) shapes.push_back(operand->shape);
    plans.push_back(flopcast::plan(bench, term.notation, shapes));
  }

  std::vector<double> r(t2.values.size()), expected(t2.values.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {  // this loop is executed in each iteration
    std::vector<const void*> operands;
    for (const Tensor* operand : terms[k].operands) operands.push_back(operand->values.data());
    plans[k].execute(operands, r.data(), terms[k].factor, k == 0 ? 0.0 : 1.0);  // R := factor * term + beta * R
  }
  for (const Term& term : terms) add_by_loops(term, expected);

  double largest = 0;
  for (std::size_t k = 0; k < r.size(); ++k) largest = std::max(largest, std::abs(r[k] - expected[k]));
  std::printf("%zu terms; %s\n", terms.size(), largest < 1e-10 ? "the loops agree" : "the loops disagree");
  return largest < 1e-10 ? 0 : 1;
}
