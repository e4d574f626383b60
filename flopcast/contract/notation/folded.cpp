#include "flopcast/contract/notation/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace flopcast::contract {
namespace {

/// An index, or several fused indices: its length and its strides in A, B and C (0 in a tensor without it).
struct FoldedDimension {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides{};
  friend bool operator==(const FoldedDimension&, const FoldedDimension&) = default;
};

/// The dimensions of the four roles: M, N, K, batch.
struct Dimensions {
  std::array<std::vector<FoldedDimension>, 4> roles;
  bool swapped = false;
};

/// Fuses neighbouring dimensions that are one dimension in every tensor.
std::vector<FoldedDimension> fused(const std::vector<FoldedDimension>& sorted) {
  std::vector<FoldedDimension> all;
  for (const FoldedDimension& next : sorted) {
    const auto continues = [&](std::size_t t) { return next.strides[t] == all.back().strides[t] * all.back().extent; };
    if (!all.empty() && continues(0) && continues(1) && continues(2)) {
      all.back().extent *= next.extent;
    } else {
      all.push_back(next);
    }
  }
  return all;
}

std::vector<FoldedDimension> dimensions(const Contraction& contraction, IndexRole role, std::size_t sort_by) {
  std::vector<FoldedDimension> all;
  bool empty = false;
  for (const char index : contraction.indices(role)) {
    const std::int64_t extent = contraction.extent(index);
    empty = empty || extent == 0;
    if (extent != 1) {
      all.push_back(
          {extent, {contraction.tensors[0].stride(index), contraction.tensors[1].stride(index), contraction.tensors[2].stride(index)}});
    }
  }
  if (empty) {
    return {{0, {}}};
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const FoldedDimension& x, const FoldedDimension& y) { return x.strides[sort_by] < y.strides[sort_by]; });
  return fused(all);
}

Dimensions dimensions_by_c(const Contraction& contraction) {
  constexpr std::size_t in_a = 0, in_b = 1, in_c = 2;
  // The operand that is contiguous along K decides K's order, so that its lines are read whole; if both or none are, the larger one.
  const auto starts_along_sums = [&](Operand operand) {
    const std::string indices = contraction.indices(IndexRole::contracted);
    return std::any_of(indices.begin(), indices.end(), [&](char index) {
      return contraction.extent(index) > 1 && std::abs(contraction.tensor(operand).stride(index)) == 1;
    });
  };
  const bool a_along = starts_along_sums(Operand::a), b_along = starts_along_sums(Operand::b);
  const bool b_is_larger = contraction.elements(Operand::b) > contraction.elements(Operand::a);
  const std::size_t sorted_by = (a_along == b_along ? b_is_larger : b_along) ? in_b : in_a;
  Dimensions all;
  all.roles = {dimensions(contraction, IndexRole::free_a, in_c), dimensions(contraction, IndexRole::free_b, in_c),
               dimensions(contraction, IndexRole::contracted, sorted_by), dimensions(contraction, IndexRole::batch, in_c)};
  const auto starts_contiguous = [](const std::vector<FoldedDimension>& dims) { return !dims.empty() && dims.front().strides[in_c] == 1; };
  all.swapped = starts_contiguous(all.roles[1]) || (all.roles[0].empty() && !all.roles[1].empty());
  if (all.swapped) {
    std::swap(all.roles[0], all.roles[1]);
    for (std::vector<FoldedDimension>& dims : all.roles) {
      for (FoldedDimension& dimension : dims) {
        std::swap(dimension.strides[0], dimension.strides[1]);
      }
    }
  }
  return all;
}

Fold folded(const std::vector<FoldedDimension>& dims) {
  Fold result;
  result.a = result.b = result.c = {0};
  for (const FoldedDimension& dimension : dims) {
    const auto repeat = [&](std::vector<std::int64_t>& offsets, std::int64_t stride) {
      const auto inner = static_cast<std::ptrdiff_t>(offsets.size());
      offsets.resize(static_cast<std::size_t>(inner * dimension.extent));
      for (std::int64_t i = 1; i < dimension.extent; ++i) {
        std::transform(offsets.begin(), offsets.begin() + inner, offsets.begin() + i * inner,
                       [&](std::int64_t offset) { return offset + i * stride; });
      }
    };
    repeat(result.a, dimension.strides[0]);
    repeat(result.b, dimension.strides[1]);
    repeat(result.c, dimension.strides[2]);
    result.extent *= dimension.extent;
    result.natural.push_back(result.extent);
  }
  if (result.natural.empty()) {
    result.natural = {1};
  }
  return result;
}

/// Cuts a dimension into blocks of about `wanted` and at least `least` values. Returns the block and the dimension of the blocks. If no
/// such length divides the dimension, the block is the whole dimension.
std::pair<FoldedDimension, FoldedDimension> cut(const FoldedDimension& whole, std::int64_t wanted, std::int64_t least) {
  std::int64_t best = whole.extent;
  const auto distance = [&](std::int64_t length) { return std::abs(std::log(static_cast<double>(length) / static_cast<double>(wanted))); };
  // Multiples of four are preferred, because they are transposed in registers.
  const auto is_better = [&](std::int64_t length) {
    const bool fits = length % 4 == 0, best_fits = best % 4 == 0;
    return fits == best_fits ? distance(length) < distance(best) : fits;
  };
  for (std::int64_t length = least; length < std::min(whole.extent, 8 * wanted); ++length) {
    if (whole.extent % length == 0 && is_better(length)) {
      best = length;
    }
  }
  FoldedDimension block = whole, blocks = whole;
  block.extent = best;
  blocks.extent = whole.extent / best;
  for (std::int64_t& stride : blocks.strides) {
    stride *= best;
  }
  return {block, blocks};
}

/// Returns M's dimension with the smallest stride in A, or the end if this is C's first dimension.
std::vector<FoldedDimension>::const_iterator other_nearest_in_a(const std::vector<FoldedDimension>& dims) {
  const auto nearest = std::min_element(dims.begin(), dims.end(), [](const FoldedDimension& x, const FoldedDimension& y) {
    return std::abs(x.strides[0]) < std::abs(y.strides[0]);
  });
  return nearest == dims.begin() ? dims.end() : nearest;
}

std::vector<FoldedDimension> without_single_ones(std::vector<FoldedDimension> dims) {
  dims.erase(std::remove_if(dims.begin(), dims.end(), [](const FoldedDimension& dimension) { return dimension.extent == 1; }), dims.end());
  return dims;
}

/// Returns M's dimensions with two blocks first: one of the dimension along which C is contiguous, then one of about `wanted_of_a` values
/// of the dimension with A's smallest stride. Returns nothing if both are the same dimension.
std::vector<FoldedDimension> interleaved(const std::vector<FoldedDimension>& dims, std::int64_t wanted_of_a) {
  constexpr std::int64_t wanted_of_c = 24, least = 8;  // 24: rows of a panel; longer runs of C would delay the use of A's lines
  const auto nearest_in_a = other_nearest_in_a(dims);
  if (nearest_in_a == dims.end() || dims.front().strides[2] != 1) {
    return {};
  }
  const auto [block_c, blocks_c] = cut(dims.front(), wanted_of_c, least);
  const auto [block_a, blocks_a] = cut(*nearest_in_a, wanted_of_a, least);
  std::vector<FoldedDimension> order = {block_c, block_a, blocks_c};
  for (auto dimension = dims.begin() + 1; dimension != dims.end(); ++dimension) {
    order.push_back(dimension == nearest_in_a ? blocks_a : *dimension);
  }
  return without_single_ones(std::move(order));
}

/// Returns M's dimensions with a block of A's contiguous one first, then as many values of C's as a line holds, then the others in A's
/// order. Returns nothing if M begins like this anyway, or if A's runs are shorter than a vector.
std::vector<FoldedDimension> a_major(const std::vector<FoldedDimension>& dims) {
  constexpr std::int64_t wanted_of_a = 96, min_of_a = 24, line = 8, shortest_run = 8;
  const auto unit_in_a = other_nearest_in_a(dims);
  if (unit_in_a == dims.end() || unit_in_a->strides[0] != 1 || unit_in_a->extent < shortest_run) {
    return {};
  }
  const auto [block_a, blocks_a] = cut(*unit_in_a, wanted_of_a, min_of_a);
  const auto [block_c, blocks_c] = cut(dims.front(), line, line);
  std::vector<FoldedDimension> others = {blocks_c};
  for (auto dimension = dims.begin() + 1; dimension != dims.end(); ++dimension) {
    others.push_back(dimension == unit_in_a ? blocks_a : *dimension);
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const FoldedDimension& x, const FoldedDimension& y) { return x.strides[0] < y.strides[0]; });
  others.insert(others.begin(), {block_a, block_c});
  return without_single_ones(std::move(others));
}

/// Returns whether M in A is N in B, as where both operands are one tensor.
bool are_alike(const std::vector<FoldedDimension>& m, const std::vector<FoldedDimension>& n) {
  return std::equal(m.begin(), m.end(), n.begin(), n.end(), [](const FoldedDimension& x, const FoldedDimension& y) {
    return x.extent == y.extent && x.strides[0] == y.strides[1];
  });
}

/// Returns N's dimensions with a block of the one along which B is contiguous first, so that lines of B are used up before the caches lose
/// them. Columns of C in another order cost little, because each of them is a run of rows. N stays in C's order if B isn't contiguous
/// along N, or along N's first dimension, or if M and N are alike.
std::vector<FoldedDimension> columns_of(const std::vector<FoldedDimension>& m, const std::vector<FoldedDimension>& n) {
  constexpr std::int64_t longest_whole = 1024, wanted = 256, panel = 8;
  const auto unit_in_b = std::find_if(n.begin(), n.end(), [](const FoldedDimension& dimension) { return dimension.strides[1] == 1; });
  if (unit_in_b == n.end() || unit_in_b == n.begin() || unit_in_b->extent < panel || are_alike(m, n)) {
    return n;
  }
  const auto [block, blocks] =
      unit_in_b->extent <= longest_whole ? std::pair{*unit_in_b, FoldedDimension()} : cut(*unit_in_b, wanted, panel);
  std::vector<FoldedDimension> order = {block};
  for (auto dimension = n.begin(); dimension != n.end(); ++dimension) {
    order.push_back(dimension == unit_in_b ? blocks : *dimension);
  }
  return without_single_ones(std::move(order));
}

Dimensions all_dimensions(const Contraction& contraction) {
  Dimensions all = dimensions_by_c(contraction);
  all.roles[1] = columns_of(all.roles[0], all.roles[1]);
  return all;
}

}  // namespace

Folded fold(const Contraction& contraction) {
  const Dimensions all = all_dimensions(contraction);
  Folded result{contraction.precision, folded(all.roles[0]), folded(all.roles[1]), folded(all.roles[2]), folded(all.roles[3]), all.swapped};
  constexpr std::int64_t short_run = 24, long_run = 96;
  const std::vector<FoldedDimension> in_short = interleaved(all.roles[0], short_run), in_long = interleaved(all.roles[0], long_run);
  for (const auto& [order, dims] : {std::pair{&result.interleaved, in_short},
                                    {&result.interleaved_long_a, in_long == in_short ? std::vector<FoldedDimension>() : in_long},
                                    {&result.a_major, a_major(all.roles[0])}}) {
    if (!dims.empty()) {
      *order = folded(dims);
    }
  }
  return result;
}

BatchRun batch_run(const Folded& folded) {
  const Fold& batch = folded.batch;
  const std::int64_t length = std::min(batch.natural.front(), batch.extent);
  const auto step = [&](const std::vector<std::int64_t>& offsets) { return length > 1 ? offsets[1] - offsets[0] : 1; };
  return {length, step(batch.a), step(batch.b), step(batch.c)};
}

std::string_view to_string(RowOrder order) {
  constexpr std::array<std::string_view, all_row_orders.size()> names = {"C", "interleaved", "interleavedA", "A"};
  return names[static_cast<std::size_t>(order)];
}

std::optional<RowOrder> row_order(std::string_view name) {
  const auto* const found =
      std::find_if(all_row_orders.begin(), all_row_orders.end(), [&](RowOrder order) { return to_string(order) == name; });
  return found == all_row_orders.end() ? std::nullopt : std::optional(*found);
}

const Fold& rows_in(RowOrder order, const Folded& folded) {
  const Fold* rows = &folded.m;
  switch (order) {
    case RowOrder::as_c: break;
    case RowOrder::interleaved: rows = &folded.interleaved; break;
    case RowOrder::interleaved_long_a: rows = &folded.interleaved_long_a; break;
    case RowOrder::a_major: rows = &folded.a_major; break;
  }
  return rows->extent > 0 ? *rows : folded.m;
}

bool is_swapped(const Contraction& contraction) { return all_dimensions(contraction).swapped; }

std::string folded_key(const Contraction& contraction) {
  const Dimensions all = all_dimensions(contraction);
  std::string key(1, static_cast<char>(contraction.precision));
  for (std::size_t role = 0; role < all.roles.size(); ++role) {
    key += fmt::format(" {}", "mnkx"[role]);
    for (const FoldedDimension& dimension : all.roles[role]) {
      key += fmt::format("({}:{},{},{})", dimension.extent, dimension.strides[0], dimension.strides[1], dimension.strides[2]);
    }
  }
  return key;
}

std::int64_t constant_step(const std::vector<std::int64_t>& offsets, std::int64_t first, std::int64_t count) {
  if (count <= 1) {
    return 1;
  }
  const auto* begin = offsets.data() + first;
  const std::int64_t step = begin[1] - begin[0];
  for (std::int64_t i = 2; i < count; ++i) {
    if (begin[i] - begin[i - 1] != step) {
      return 0;
    }
  }
  return std::max<std::int64_t>(0, step);
}

}  // namespace flopcast::contract
