#include "flopcast/contract/einsum/sum_tiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "flopcast/support/division.hpp"

namespace flopcast::contract {

namespace {

constexpr std::int64_t bytes_of_run = 256;  ///< bytes along which a transposed tile reads and writes
constexpr std::int64_t shortest_run = 16;   ///< elements, where 256 bytes are fewer

/// Returns the distance between neighbours in tensor `t`, which is infinite in a tensor that lacks the dimension.
std::int64_t distance(const SumDimension& dimension, std::size_t t) {
  return dimension.strides[t] == 0 ? INT64_MAX : std::abs(dimension.strides[t]);
}

/// Returns the offsets in tensor `t` of all values of nested dimensions, innermost first.
std::vector<std::int64_t> offsets_in(std::size_t t, const std::vector<SumDimension>& nested) {
  std::vector<std::int64_t> offsets = {0};
  for (const SumDimension& dimension : nested) {
    const std::size_t inner = offsets.size();
    for (std::int64_t i = 1; i < dimension.extent; ++i) {
      for (std::size_t k = 0; k < inner; ++k) {
        offsets.push_back(offsets[k] + i * dimension.strides[t]);
      }
    }
  }
  return offsets;
}

/// Sets the steps of a side of nested dimensions in tensor `t`, or their offsets where the step varies.
void set_steps(SumSide& side, std::size_t t, const std::vector<SumDimension>& nested) {
  std::vector<std::int64_t> offsets = offsets_in(t, nested);
  side.steps[t] = offsets.size() > 1 ? offsets[1] : 1;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != side.steps[t]) {
      side.steps[t] = SumSide::scattered;
      const bool repeats = std::all_of(nested.begin() + 1, nested.end(), [&](const SumDimension& outer) { return outer.strides[t] == 0; });
      side.periods[t] = repeats ? nested.front().extent : 0;
      side.offsets[t] = std::move(offsets);
      return;
    }
  }
}

/// Returns a whole dimension as a side, without a table.
SumSide whole_side(const SumDimension& dimension) {
  SumSide side;
  side.length = side.last_length = dimension.extent;
  side.steps = dimension.strides;
  return side;
}

/// Appends loops over whole dimensions.
void append_loops(std::vector<SumLoop>& loops, const std::vector<SumDimension>& dimensions) {
  for (const SumDimension& dimension : dimensions) {
    loops.push_back({dimension.extent, dimension.strides});
  }
}

/// Returns whether rows of a tile follow C's nearest dimension, where `kept` is in the order of the loops. Elsewhere C is written
/// scattered, which takes little of the time if there are many terms per element of C.
bool follows_c(const SumShape& shape, const std::vector<SumDimension>& kept, bool by_dots) {
  constexpr double many_terms = 32;
  double terms_of_element = 1;
  for (const SumDimension& dimension : shape.summed) {
    terms_of_element *= static_cast<double>(dimension.extent);
  }
  return by_dots || kept.empty() || kept.front() == shape.kept.front() || terms_of_element >= many_terms;
}

/// Returns whether all tensors are contiguous along C's nearest dimension, or have one element for all of it.
bool is_along_all(const SumShape& shape) {
  const auto is_row = [&](std::size_t t) { return shape.kept.front().strides[t] == 0 || shape.kept.front().strides[t] == 1; };
  return shape.summed.empty() && !shape.kept.empty() && is_row(in_a) && is_row(in_b) && shape.kept.front().strides[in_c] == 1;
}

/// Returns whether tiles have several rows: where C is contiguous along them, or where lines of C or of the operand `other` would be left
/// in part.
bool has_rows(const SumTiles& tiles, const SumShape& shape, const std::vector<SumDimension>& left, bool is_long, std::size_t other) {
  if (tiles.by_columns || tiles.by_dots) {
    return tiles.by_columns;
  }
  return !is_long || (shape.has_b && !left.empty() && tiles.columns.steps[other] != 1 && tiles.columns.steps[other] != 0);
}

}  // namespace

void sort_by(std::vector<SumDimension>& dimensions, std::size_t t) {
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [t](const SumDimension& x, const SumDimension& y) { return distance(x, t) < distance(y, t); });
}

double elements_of(const SumShape& shape, std::size_t t) {
  double elements = 1;
  for (const std::vector<SumDimension>* dimensions : {&shape.kept, &shape.summed}) {
    for (const SumDimension& dimension : *dimensions) {
      elements *= dimension.strides[t] == 0 ? 1 : static_cast<double>(dimension.extent);
    }
  }
  return elements;
}

std::size_t main_operand(const SumShape& shape) { return shape.has_b && elements_of(shape, in_b) > elements_of(shape, in_a) ? in_b : in_a; }

bool adds_by_dots(const std::vector<SumDimension>& kept, const std::vector<SumDimension>& summed, std::size_t main) {
  constexpr std::int64_t shortest_dot = 16;  // shorter sums are added row by row
  constexpr std::int64_t few = 8;
  if (kept.empty() || summed.empty()) {
    return !summed.empty();
  }
  std::int64_t nearest = INT64_MAX, kept_elements = 1;
  for (const SumDimension& dimension : kept) {
    nearest = std::min(nearest, distance(dimension, main));
    kept_elements *= dimension.extent;
  }
  const std::int64_t length = summed.front().extent;
  return length >= shortest_dot && (distance(summed.front(), main) < nearest || (kept_elements < few && length > few * few));
}

SumSide take_side(std::vector<SumDimension>& from, std::int64_t wanted, std::vector<SumLoop>& loops) {
  SumSide side;
  std::vector<SumDimension> inside;
  while (!from.empty() && side.length < wanted && side.loop < 0) {
    SumDimension next = from.front();
    const std::int64_t room = std::max<std::int64_t>(1, wanted / side.length);
    if (room == 1 && !inside.empty()) {
      break;
    }
    from.erase(from.begin());
    const std::int64_t blocks = ceil_div(next.extent, room);
    const std::int64_t block = ceil_div(next.extent, blocks);
    const std::int64_t count = ceil_div(next.extent, block);
    side.last_length = side.length * (next.extent - (count - 1) * block);
    side.length *= block;
    if (count > 1) {
      side.loop = static_cast<int>(loops.size());
      loops.push_back({count, {block * next.strides[0], block * next.strides[1], block * next.strides[2]}});
    }
    next.extent = block;
    inside.push_back(next);
  }
  for (std::size_t t = 0; t < side.steps.size(); ++t) {
    set_steps(side, t, inside);
  }
  return side;
}

SumTiles choose_tiles(const SumShape& shape) {
  SumTiles all;
  std::vector<SumDimension> kept = shape.kept, summed = shape.summed;
  const std::int64_t run = std::max(shortest_run, bytes_of_run / shape.element_bytes);
  const std::size_t main = main_operand(shape), other = main == in_a ? in_b : in_a;
  sort_by(summed, main);
  all.sums_up = !summed.empty();
  all.by_dots = adds_by_dots(kept, summed, main);
  if (!all.by_dots && !is_along_all(shape)) {
    sort_by(kept, main);
  }
  const bool is_along_c = follows_c(shape, kept, all.by_dots);
  const bool is_long = is_along_c && !kept.empty() && kept.front().extent >= run;
  const std::int64_t longest = all.by_dots ? SumTiles::largest_side : SumTiles::bytes_of_row / shape.element_bytes;
  // A long dimension is a row by itself: along several ones, operands would be collected by tables.
  all.columns = take_side(kept, is_long ? all.by_dots ? longest : std::min(longest, kept.front().extent) : run, all.tiles);
  all.by_columns = !is_along_c && std::find(kept.begin(), kept.end(), shape.kept.front()) != kept.end();
  sort_by(kept, all.by_columns || !shape.has_b ? in_c : other);
  if (has_rows(all, shape, kept, is_long, other)) {
    all.rows = take_side(kept, all.by_columns ? std::min(run, SumTiles::largest_side) : shortest_run, all.tiles);
  }
  sort_by(kept, in_c);
  append_loops(all.tiles, kept);
  if (all.sums_up) {
    const bool is_whole = all.by_dots || summed.size() == 1;
    all.terms_of_row = is_whole ? whole_side(summed.front()) : take_side(summed, run, all.sums);
    summed.erase(summed.begin(), summed.begin() + (is_whole ? 1 : 0));
    append_loops(all.sums, summed);
  }
  return all;
}

std::int64_t repetitions(const std::vector<SumLoop>& loops) {
  std::int64_t count = 1;
  for (const SumLoop& loop : loops) {
    count *= loop.count;
  }
  return count;
}

}  // namespace flopcast::contract
