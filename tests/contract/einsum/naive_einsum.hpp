#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "flopcast/contract/einsum/pair_plan.hpp"
#include "flopcast/contract/notation/expression.hpp"

namespace flopcast::contract {

/// A tensor with memory of its own.
struct TestTensor {
  std::vector<std::int64_t> shape, strides;
  std::int64_t first = 0;         ///< number of the first element in memory; others may lie before it
  std::vector<std::byte> memory;  ///< all elements and the gaps between them
  [[nodiscard]] const std::byte* data(Precision precision) const { return memory.data() + first * element_bytes(precision); }
  [[nodiscard]] std::byte* data(Precision precision) { return memory.data() + first * element_bytes(precision); }
};

/// D := alpha op(A) op(B) + beta op(C) with numbers that are small integers, so that all results are exact.
struct EinsumCase {
  SizedExpression expression;
  Precision precision = Precision::d;
  std::vector<TestTensor> operands;
  TestTensor addend, result;
  bool conjugated_addend = false;
  bool in_place = false;  ///< C is D
  std::complex<double> alpha = 1.0, beta = 0.0;

  [[nodiscard]] EinsumStrides strides() const;
};

/// Ranges of random cases.
struct EinsumRanges {
  std::size_t min_operands = 1, max_operands = 2;
  int min_axes = 0, max_axes = 4;  ///< axes of an operand; repeated ones may be left out
  int max_labels = 5;              ///< labels of the expression
  std::int64_t largest = 5;        ///< size of a label
  double max_products = 1e4;       ///< products, and elements of each tensor; larger sizes are halved
};

/// Returns a random case: repeated, one-sided, batch and broadcast labels, sizes 0 and 1, conjugation, all precisions, strides that are
/// dense, permuted, interleaved, negative or 0. With beta = 0, C and D hold NaN.
EinsumCase random_case(std::mt19937& random, const EinsumRanges& ranges);

/// Returns the memory of D after nested loops over all labels.
std::vector<std::byte> result_of_loops(const EinsumCase& problem);

/// Returns the memory of D after the plan was executed.
std::vector<std::byte> result_of_plan(const EinsumCase& problem, const Plan& plan);

/// Returns the expression, sizes, strides, type and factors of a case.
std::string describe(const EinsumCase& problem);

/// Returns whether two memories hold equal numbers; NaN equals NaN.
bool hold_equal_numbers(Precision precision, const std::vector<std::byte>& x, const std::vector<std::byte>& y);

/// Plans a case.
inline Plan plan_pair(const EinsumCase& problem, const Machine& machine, int threads) {
  PlanOptions options;
  options.precision = problem.precision;
  options.threads = threads;
  return plan_pair(problem.expression, problem.strides(), machine, options);
}

/// Plans an expression of dense tensors of these shapes.
inline Plan plan_pair(std::string_view text, std::span<const std::vector<std::int64_t>> shapes, const Machine& machine,
                      const PlanOptions& options = {}) {
  return plan_pair(with_shapes(parse_expression(text), shapes), {}, machine, options);
}

}  // namespace flopcast::contract
