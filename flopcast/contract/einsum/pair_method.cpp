#include "flopcast/contract/einsum/pair_method.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace flopcast::contract {
namespace {

/// Sizes of the contraction, in values of dimensions: of A and D, of B and D, of A and B, of all three, and of D alone.
struct PairSizes {
  double m = 1, n = 1, k = 1, batch = 1, alone = 1;
  [[nodiscard]] double all() const { return m * n * k * batch * alone; }
};

using Dimensions = std::span<const LabelDimension>;

constexpr std::int64_t long_row = 64;  ///< neighbours of which a row consists whose beginning takes little of the time

PairSizes sizes_of(Dimensions dimensions) {
  PairSizes sizes;
  for (const LabelDimension& dimension : dimensions) {
    const bool a = dimension.strides[in_a] != 0, b = dimension.strides[in_b] != 0;
    double& size = !dimension.in_result ? sizes.k : a && b ? sizes.batch : a ? sizes.m : b ? sizes.n : sizes.alone;
    size *= static_cast<double>(dimension.extent);
  }
  return sizes;
}

double elements_of(Dimensions dimensions, std::size_t t) {
  double elements = 1;
  for (const LabelDimension& dimension : dimensions) {
    elements *= dimension.strides[t] != 0 ? static_cast<double>(dimension.extent) : 1;
  }
  return elements;
}

/// Returns the dimensions that tensor `t` has, nearest ones first.
std::vector<LabelDimension> sorted_along(Dimensions dimensions, std::size_t t) {
  std::vector<LabelDimension> sorted;
  std::copy_if(dimensions.begin(), dimensions.end(), std::back_inserter(sorted),
               [t](const LabelDimension& x) { return x.strides[t] != 0; });
  std::stable_sort(sorted.begin(), sorted.end(),
                   [t](const LabelDimension& x, const LabelDimension& y) { return std::abs(x.strides[t]) < std::abs(y.strides[t]); });
  return sorted;
}

bool has_own_label(Dimensions dimensions, std::size_t t) {
  return std::any_of(dimensions.begin(), dimensions.end(), [&](const LabelDimension& x) { return is_of_one(x, t); });
}

/// Returns whether operand `t` is one number, or is summed to one.
bool is_number(Dimensions dimensions, std::size_t t) {
  return std::none_of(dimensions.begin(), dimensions.end(), [&](const LabelDimension& x) { return x.strides[t] != 0 && !is_of_one(x, t); });
}

std::vector<LabelDimension> without_own_labels(Dimensions dimensions) {
  std::vector<LabelDimension> reduced;
  std::copy_if(dimensions.begin(), dimensions.end(), std::back_inserter(reduced),
               [](const LabelDimension& x) { return !is_of_one(x, in_a) && !is_of_one(x, in_b); });
  return reduced;
}

/// Returns whether a copy of operand `t`, summed over the labels that it alone has, would take more memory than the operand spans, because
/// its elements lie over each other: sliding windows, for example.
bool exceeds_memory(Dimensions dimensions, std::size_t t) {
  double copied = 1, spanned = 1;
  for (const LabelDimension& dimension : dimensions) {
    spanned += static_cast<double>(dimension.extent - 1) * std::abs(static_cast<double>(dimension.strides[t]));
    copied *= dimension.strides[t] != 0 && !is_of_one(dimension, t) ? static_cast<double>(dimension.extent) : 1;
  }
  return copied > spanned;
}

/// Returns whether products of matrices and vectors are summed where the matrix lies, because BLAS would need a copy of the matrix. Copying
/// the matrices of a batch that are contiguous along a label of the batch takes longer than the products. If elements lie over each other,
/// the tables of a plan, some 40 bytes per row, may take much more memory than the matrix.
bool would_copy_matrix(Dimensions dimensions, const PairSizes& size) {
  constexpr std::int64_t shortest = 16;
  constexpr double many_rows = 1 << 19;
  if (size.m > 1 && size.n > 1) {
    return false;
  }
  const std::size_t matrix = size.m > 1 ? in_a : in_b;
  return (size.batch * size.m * size.n > many_rows && exceeds_memory(dimensions, matrix)) ||
         std::any_of(dimensions.begin(), dimensions.end(), [&](const LabelDimension& x) {
           return std::abs(x.strides[matrix]) == 1 && x.strides[1 - matrix] != 0 && x.in_result && x.extent >= shortest;
         });
}

/// Returns the number of neighbours in D along which one operand only changes.
double row_of_one_operand(Dimensions dimensions) {
  double length = 1;
  std::array<bool, 2> changes{};
  for (const LabelDimension& dimension : sorted_along(dimensions, in_c)) {
    for (std::size_t t = 0; t < changes.size(); ++t) {
      changes[t] = changes[t] || dimension.strides[t] != 0;
    }
    if (static_cast<double>(std::abs(dimension.strides[in_c])) != length || (changes[in_a] && changes[in_b])) {
      break;
    }
    length *= static_cast<double>(dimension.extent);
  }
  return length;
}

/// Returns whether a contraction without labels of one operand alone is faster without BLAS.
bool needs_no_tiles(Dimensions dimensions) {
  constexpr double few = 216;                  // products that take less time than preparing a call of BLAS
  constexpr double few_elements = 1 << 14;     // of an outer product
  constexpr double cached_elements = 1 << 22;  // elements of D that are written into the caches
  constexpr double shortest_row = 16;
  const PairSizes size = sizes_of(dimensions);
  const bool is_elementwise = size.k == 1 && (size.batch > 1 || size.alone > 1 || size.all() <= few_elements ||
                                              (size.all() <= cached_elements && row_of_one_operand(dimensions) >= shortest_row));
  return is_elementwise || (size.m == 1 && size.n == 1) || size.all() <= few || would_copy_matrix(dimensions, size);
}

/// Returns whether the conjugate of D is computed, because conjugating D takes fewer copies than conjugating operands. `sums` tells which
/// operands are summed first.
bool is_flipped(const PairProblem& problem, Dimensions dimensions, const std::array<bool, 2>& sums) {
  constexpr double passes = 2;  // over D, before and after the contraction
  std::array<double, 2> copies{};
  for (std::size_t t = 0; t < problem.operands; ++t) {
    copies[problem.conjugated[t] ? 0 : 1] += sums[t] ? 0 : elements_of(dimensions, t);  // a sum conjugates without a copy
  }
  return copies[1] + passes * problem.result_elements < copies[0];
}

bool is_dot(const PairSizes& size) { return size.k > 1 && size.m == 1 && size.n == 1; }

/// Returns whether the elements of operand `t` follow each other in the order of the tensor `leader`, as far as a row of it reaches.
bool is_in_order(Dimensions dimensions, std::size_t t, std::size_t leader) {
  std::int64_t length = 1;  // of the row in the leader
  std::int64_t next = 1;    // stride that continues the operand's row
  for (const LabelDimension& dimension : sorted_along(dimensions, leader)) {
    if (length >= long_row) {
      break;
    }
    if (dimension.strides[t] != 0 && std::abs(dimension.strides[t]) != next) {
      return false;
    }
    next *= dimension.strides[t] != 0 ? dimension.extent : 1;
    length *= dimension.extent;
  }
  return true;
}

/// Returns whether a sum in place takes less time if operand `t` is copied first: where its elements are read several times, or dot products
/// would collect them one by one.
bool is_arranged_for_sum(Dimensions dimensions, std::size_t t) {
  constexpr double many_uses = 4;
  constexpr double few_elements = 64;          // fewer are collected before a copy has begun
  constexpr double cached_elements = 1 << 17;  // of a copy that stays in the caches
  const PairSizes size = sizes_of(dimensions);
  const double read = elements_of(dimensions, t);
  const bool is_used_often = size.k == 1 && (size.all() >= many_uses * read || read <= cached_elements);
  return read >= few_elements && (is_used_often || (is_dot(size) && t == in_b)) &&
         !is_in_order(dimensions, t, is_dot(size) ? in_a : in_c) && !exceeds_memory(dimensions, t);
}

/// Returns whether a plan takes less time if operand `t` is copied first. Tiles would collect and scatter short runs if D has the operand's labels
/// in another order. That takes most of the time if the operand is about as large as D, and few products are done with each element.
bool is_arranged_for_plan(Dimensions dimensions, std::size_t t) {
  constexpr double most_uses = 32, few_elements = 1 << 12, largest_copy = 1 << 26;
  const PairSizes size = sizes_of(dimensions);
  const double read = elements_of(dimensions, t);
  if (size.batch * size.alone > 1 || size.all() > most_uses * read || read < few_elements || read > largest_copy ||
      2 * read < elements_of(dimensions, in_c) || exceeds_memory(dimensions, t)) {
    return false;
  }
  std::vector<LabelDimension> kept;
  std::copy_if(dimensions.begin(), dimensions.end(), std::back_inserter(kept),
               [t](const LabelDimension& x) { return x.in_result && x.strides[t] != 0; });
  const std::vector<LabelDimension> along_operand = sorted_along(kept, t), along_result = sorted_along(kept, in_c);
  std::int64_t length = 1;
  for (std::size_t i = 0; i < kept.size() && length < long_row; ++i) {
    if (along_operand[i].strides != along_result[i].strides) {
      return true;
    }
    length *= along_operand[i].extent;
  }
  return false;
}

/// Returns whether the result of a plan is computed in the order of operand `t` and copied to D, rather than the operand arranged for it. That
/// takes less time where the result is smaller: of a matrix and a vector always, else where the operand doesn't fit into the caches.
bool is_leader_of_plan(Dimensions dimensions, std::size_t t) {
  constexpr double much_smaller = 2, cached_elements = 1 << 20;
  const PairSizes size = sizes_of(dimensions);
  const double read = elements_of(dimensions, t);
  return is_arranged_for_plan(dimensions, t) && much_smaller * elements_of(dimensions, in_c) <= read &&
         (size.m == 1 || size.n == 1 || read > cached_elements);
}

/// Returns the method for one operand, or for a tensor and a number.
PairMethod method_of_one(const PairProblem& problem) {
  PairMethod method;
  method.conjugated = problem.conjugated;
  if (problem.operands == 2) {
    method.first = is_number(problem.dimensions, in_a) ? in_b : in_a;
    method.factor = 1 - method.first;
    method.preparations[*method.factor] = has_own_label(problem.dimensions, *method.factor) ? Preparation::sum : Preparation::none;
  }
  return method;
}

}  // namespace

bool is_of_one(const LabelDimension& dimension, std::size_t t) {
  return !dimension.in_result && dimension.strides[t] != 0 && dimension.strides[1 - t] == 0;
}

std::pair<bool, std::int64_t> place_of_arranged(const LabelDimension& dimension, Dimensions dimensions, std::size_t t) {
  if (is_dot(sizes_of(dimensions))) {
    return {false, std::abs(dimension.strides[1 - t])};
  }
  return {!dimension.in_result, std::abs(dimension.strides[dimension.in_result ? in_c : 1 - t])};
}

/// Each choice depends on those before it: the reason why this is one function.
PairMethod choose_method(const PairProblem& problem) {
  if (problem.operands == 1 || is_number(problem.dimensions, in_a) || is_number(problem.dimensions, in_b)) {
    return method_of_one(problem);
  }
  PairMethod method;
  std::array<bool, 2> sums{}, stay{};  // operands that have labels of their own, and those that must not be copied
  for (std::size_t t = 0; t < problem.operands; ++t) {
    sums[t] = has_own_label(problem.dimensions, t);
    stay[t] = (sums[t] || problem.conjugated[t]) && exceeds_memory(problem.dimensions, t);
  }
  const std::vector<LabelDimension> reduced = without_own_labels(problem.dimensions);
  method.needs_blas = (problem.has_tiles || !needs_no_tiles(reduced)) && !stay[in_a] && !stay[in_b];
  method.flips = method.needs_blas && is_flipped(problem, reduced, sums);
  const auto conjugates_first = [&](std::size_t t) {
    const Preparation preparation = method.preparations[t];
    return method.conjugated[t] && (preparation == Preparation::none || preparation == Preparation::arrange);
  };
  for (std::size_t t = 0; t < problem.operands; ++t) {
    method.conjugated[t] = problem.is_complex && problem.conjugated[t] != method.flips;
    if (sums[t] && !stay[t]) {
      method.preparations[t] = Preparation::sum;
    } else if (method.conjugated[t] && method.needs_blas) {
      method.preparations[t] = Preparation::conjugate;
    } else if (method.needs_blas && !problem.has_tiles && !method.flips && !method.leader && is_leader_of_plan(reduced, t)) {
      method.leader = t;
    } else if (method.needs_blas ? !problem.has_tiles && is_arranged_for_plan(reduced, t) : is_arranged_for_sum(reduced, t)) {
      method.preparations[t] = Preparation::arrange;
    }
  }
  if (!method.needs_blas && conjugates_first(in_b) && !conjugates_first(in_a)) {
    method.first = in_b;
  }
  return method;
}

}  // namespace flopcast::contract
