#include "flopcast/contract/einsum/transposition.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "flopcast/contract/einsum/odometer.hpp"
#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {

namespace {

constexpr std::int64_t line_bytes = 64, bytes_of_side = 512, shortest_side = 16;
constexpr std::int64_t bytes_of_streamed_side = 2048;    ///< along C
constexpr std::int64_t shortest_streamed_row = 1 << 14;  ///< bytes; shorter rows are collected in a buffer
constexpr std::int64_t shortest_buffered_row = 256;      ///< bytes; shorter ones aren't worth being written past the caches
constexpr std::int64_t rows_of_tile = 8;                 ///< rows of 512 bytes that are copied together
constexpr std::int64_t shortest_row = 16;                ///< bytes
constexpr std::int64_t shortest_square = 4;              ///< elements of a side that is transposed in registers
constexpr std::int64_t largest_tile = 1 << 18;           ///< bytes of the buffer
constexpr std::int64_t widest_element = 16;              ///< bytes

bool contains(const std::vector<std::size_t>& numbers, std::size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Joins rows of `length` elements that begin at `offsets`: returns the offsets of longer contiguous rows, and sets `length` to theirs.
std::vector<std::int64_t> joined(const std::vector<std::int64_t>& offsets, std::int64_t& length) {
  const auto follows = [&](std::size_t i) { return offsets[i] == offsets[i - 1] + length; };
  std::size_t together = 1;
  while (together < offsets.size() && follows(together)) {
    ++together;
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (i % together != 0 && !follows(i)) {
      together = 1;  // rows of different lengths aren't joined
    }
  }
  together = offsets.size() % together == 0 ? together : 1;
  std::vector<std::int64_t> first;
  for (std::size_t i = 0; i < offsets.size(); i += together) {
    first.push_back(offsets[i]);
  }
  length *= static_cast<std::int64_t>(together);
  return first;
}

}  // namespace

Transposition::Transposition(std::vector<SumDimension> dimensions, std::int64_t element_bytes, double out_of_caches)
    : dimensions_(std::move(dimensions)), element_bytes_(element_bytes) {
  if (dimensions_.empty()) {
    dimensions_.push_back({1, {1, 0, 1}});
  }
  double bytes = 2 * static_cast<double>(element_bytes_);
  for (const SumDimension& dimension : dimensions_) {
    bytes *= static_cast<double>(dimension.extent);
  }
  const bool exceeds_caches = bytes >= out_of_caches;
  widen_elements();
  choose_blocks(exceeds_caches);
  for (std::size_t ends = 0; ends < std::size_t{1} << cut_.size(); ++ends) {
    works_.push_back(work(ends));
  }
  if (exceeds_caches) {
    choose_streaming();
  }
}

void Transposition::choose_streaming() {
  if (way_ == Way::rows) {
    streams_ = true;
  } else if ((way_ == Way::squares || has_rows()) && blocked(along_c_) * blocked(along_a_) * element_bytes_ <= largest_tile) {
    std::for_each(works_.begin(), works_.end(), set_buffered);
    streams_ = works_.front().buffered_row * element_bytes_ >= shortest_buffered_row;
  }
}

/// Returns whether A and C are contiguous along the same dimension.
bool Transposition::has_rows() const {
  const SumDimension& nearest = dimensions_.front();
  return nearest.strides[in_a] == 1 && nearest.strides[in_c] == 1;
}

/// Takes elements that stay neighbours for one wider element.
void Transposition::widen_elements() {
  SumDimension& nearest = dimensions_.front();
  for (std::int64_t factor = widest_element / element_bytes_; factor > 1; factor /= 2) {
    const auto keeps_together = [&](const SumDimension& other) {
      return other.strides[in_a] % factor == 0 && other.strides[in_c] % factor == 0;
    };
    if (nearest.strides[in_a] == 1 && nearest.strides[in_c] == 1 && nearest.extent % factor == 0 &&
        std::all_of(dimensions_.begin() + 1, dimensions_.end(), keeps_together)) {
      element_bytes_ *= factor;
      nearest.extent /= factor;
      for (auto other = dimensions_.begin() + 1; other != dimensions_.end(); ++other) {
        other->strides[in_a] /= factor;
        other->strides[in_c] /= factor;
      }
      if (nearest.extent == 1 && dimensions_.size() > 1) {
        dimensions_.erase(dimensions_.begin());
      }
      return;
    }
  }
}

void Transposition::choose_blocks(bool exceeds_caches) {
  blocks_.assign(dimensions_.size(), {});
  along_c_.clear();
  Numbers by_c(dimensions_.size());
  std::iota(by_c.begin(), by_c.end(), std::size_t{0});
  Numbers by_a = by_c;
  const auto distance = [&](std::size_t d) { return static_cast<std::uint64_t>(std::abs(dimensions_[d].strides[in_a])) - 1; };
  std::stable_sort(by_a.begin(), by_a.end(),
                   [&](std::size_t x, std::size_t y) { return distance(x) < distance(y); });  // stride 0 comes last
  const std::int64_t side = std::max(shortest_side, bytes_of_side / element_bytes_);
  const std::int64_t side_of_c = exceeds_caches ? bytes_of_streamed_side / element_bytes_ : side;
  const std::int64_t long_row = std::min(dimensions_.front().extent, SumTiles::bytes_of_row / element_bytes_);
  take(by_c, has_rows() ? std::max(rows_of_tile * side_of_c, long_row) : side_of_c);
  take(by_a, side);
  choose_way(by_c, by_a, exceeds_caches);
  if (exceeds_caches && way_ == Way::table && !has_rows()) {
    choose_blocks(false);  // elements that are collected one by one gain nothing from longer tiles
    return;
  }
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const SumDimension& dimension = dimensions_[d];
    Block& block = blocks_[d];
    const std::int64_t count = ceil_div(dimension.extent, block.length);
    block.last_length = dimension.extent - (count - 1) * block.length;
    if (block.last_length < block.length) {
      cut_.push_back(d);
    }
    if (count > 1) {
      block.loop = static_cast<int>(loops_.size());
      loops_.push_back({count, {block.length * dimension.strides[in_a], 0, block.length * dimension.strides[in_c]}});
    }
  }
  tile_count_ = repetitions(loops_);
}

/// Adds blocks of dimensions to a tile, nearest ones first, until `wanted` values of them belong to the tile.
void Transposition::take(const Numbers& nearest_first, std::int64_t wanted) {
  std::int64_t taken = 1;
  for (const std::size_t d : nearest_first) {
    const std::int64_t room = wanted / taken, extent = dimensions_[d].extent, line = line_bytes / element_bytes_;
    if (room <= 1) {
      return;
    }
    const std::int64_t even = ceil_div(extent, ceil_div(extent, room));
    const std::int64_t length = extent <= room ? extent : std::min(extent, taken == 1 ? ceil_div(even, line) * line : even);
    blocks_[d].length = std::max(blocks_[d].length, length);
    taken *= blocks_[d].length;
    if (blocks_[d].length < extent) {
      return;
    }
  }
}

/// Returns those of a tile's nearest dimensions along which a tensor is contiguous.
Transposition::Numbers Transposition::chain(const Numbers& nearest_first, std::size_t tensor, const Numbers& excluded) const {
  Numbers all;
  std::int64_t contiguous = 1;
  for (const std::size_t d : nearest_first) {
    if (dimensions_[d].strides[tensor] != contiguous || blocks_[d].length == 1 || contains(excluded, d)) {
      break;
    }
    all.push_back(d);
    contiguous *= blocks_[d].length;
    if (blocks_[d].length < dimensions_[d].extent) {
      break;
    }
  }
  return all;
}

std::int64_t Transposition::blocked(const Numbers& dimensions) const {
  std::int64_t count = 1;
  for (const std::size_t d : dimensions) {
    count *= blocks_[d].length;
  }
  return count;
}

/// Gives the nearest dimensions to the sides of squares in turns, always to the shorter side that can grow.
void Transposition::choose_sides(const Numbers& by_c, const Numbers& by_a) {
  for (bool grows = true; grows;) {
    const Numbers longer_c = chain(by_c, in_c, along_a_), longer_a = chain(by_a, in_a, along_c_);
    const bool c_grows = longer_c.size() > along_c_.size(), a_grows = longer_a.size() > along_a_.size();
    grows = c_grows || a_grows;
    if (c_grows && (!a_grows || blocked(along_c_) <= blocked(along_a_))) {
      along_c_.push_back(longer_c[along_c_.size()]);
    } else if (a_grows) {
      along_a_.push_back(longer_a[along_a_.size()]);
    }
  }
}

void Transposition::choose_way(const Numbers& by_c, const Numbers& by_a, bool exceeds_caches) {
  const std::int64_t bytes_of_row = exceeds_caches ? shortest_streamed_row : shortest_row;
  const bool fills_vector = element_bytes_ == widest_element;  // then squares pay only by way of the buffer
  choose_sides(by_c, by_a);
  if (has_rows() && !along_c_.empty() && (dimensions_.front().extent * element_bytes_ >= bytes_of_row || dimensions_.size() == 1)) {
    way_ = Way::rows;
    along_c_ = {0};
  } else if (std::min(blocked(along_c_), blocked(along_a_)) >= shortest_square && (exceeds_caches || !fills_vector)) {
    way_ = Way::squares;
    return;
  } else {
    along_c_ = chain(by_c, in_c, {});
    while (blocked(along_c_) * element_bytes_ > largest_tile) {
      along_c_.pop_back();
    }
    way_ = along_c_.empty() ? Way::single : Way::table;
  }
  along_a_.clear();
}

std::int64_t Transposition::length(std::size_t dimension, std::size_t ends) const {
  const auto at = static_cast<std::size_t>(std::find(cut_.begin(), cut_.end(), dimension) - cut_.begin());
  return at < cut_.size() && (ends >> at & 1) != 0 ? blocks_[dimension].last_length : blocks_[dimension].length;
}

Transposition::Work Transposition::work(std::size_t ends) const {
  const auto multiply = [&](std::vector<MovedBlock>& all, std::size_t d) {
    const std::size_t before = all.size();
    for (std::int64_t i = 1; i < length(d, ends); ++i) {
      for (std::size_t k = 0; k < before; ++k) {
        all.push_back({all[k].from + i * dimensions_[d].strides[in_a], all[k].to + i * dimensions_[d].strides[in_c]});
      }
    }
  };
  Work all;
  all.blocks = {{}};
  std::vector<MovedBlock> following_in_c = {{}}, following_in_a = {{}};
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (!contains(along_c_, d) && !contains(along_a_, d)) {
      multiply(all.blocks, d);
    }
  }
  for (const std::size_t d : along_c_) {
    multiply(following_in_c, d);
  }
  for (const std::size_t d : along_a_) {
    multiply(following_in_a, d);
  }
  for (const MovedBlock& element : following_in_c) {
    all.from_of.push_back(element.from);
  }
  for (const MovedBlock& element : following_in_a) {
    all.to_of.push_back(element.to);
  }
  return all;
}

/// Sets how a work's elements are put into a buffer: in the order in which they follow each other in C.
void Transposition::set_buffered(Work& work) {
  const auto rows = static_cast<std::int64_t>(work.from_of.size());
  std::vector<std::int64_t> in_order = work.to_of;
  std::sort(in_order.begin(), in_order.end());
  for (const std::int64_t to : work.to_of) {
    work.buffer_of.push_back((std::lower_bound(in_order.begin(), in_order.end(), to) - in_order.begin()) * rows);
  }
  work.buffered_row = rows;
  for (const std::int64_t to : joined(in_order, work.buffered_row)) {
    work.buffered.push_back({static_cast<std::int64_t>(work.buffered.size()) * work.buffered_row, to});
  }
  work.collected_row = 1;
  for (const std::int64_t from : joined(work.from_of, work.collected_row)) {
    work.collected.push_back({from, static_cast<std::int64_t>(work.collected.size()) * work.collected_row});
  }
  in_order = work.from_of;
  std::sort(in_order.begin(), in_order.end());
  work.read_row = static_cast<std::int64_t>(work.to_of.size());
  work.read = joined(in_order, work.read_row);
}

void Transposition::run_tile(const std::byte* a, std::byte* c, const Work& work, std::int64_t ahead, std::byte* buffer) const {
  const MoveKernel& kernel = row_kernels().moves(element_bytes_);
  const auto rows = static_cast<std::int64_t>(work.from_of.size()), columns = static_cast<std::int64_t>(work.to_of.size());
  if (way_ != Way::rows && streams_) {
    for (std::size_t i = 0; i < work.blocks.size(); ++i) {
      const MovedBlock& block = work.blocks[i];
      const MovedBlock buffered = {block.from, 0};
      const std::int64_t next = i + 1 < work.blocks.size() ? work.blocks[i + 1].from : ahead;
      if (way_ == Way::squares) {
        kernel.squares(1, &buffered, rows, work.from_of.data(), columns, work.buffer_of.data(), a, buffer);
      } else if (work.collected_row * element_bytes_ >= shortest_row) {
        kernel.rows(work.collected.size(), work.collected.data(), work.collected_row, a + block.from * element_bytes_, buffer);
      } else {
        kernel.table(1, &buffered, rows, work.from_of.data(), a, buffer);
      }
      kernel.stream(work.buffered.size(), work.buffered.data(), work.buffered_row, buffer, c + block.to * element_bytes_,
                    {a + next * element_bytes_, work.read.data(), static_cast<std::int64_t>(work.read.size()), work.read_row});
    }
  } else if (way_ == Way::squares) {
    kernel.squares(work.blocks.size(), work.blocks.data(), rows, work.from_of.data(), columns, work.to_of.data(), a, c);
  } else if (way_ == Way::table) {
    kernel.table(work.blocks.size(), work.blocks.data(), rows, work.from_of.data(), a, c);
  } else if (streams_) {
    kernel.stream(work.blocks.size(), work.blocks.data(), rows, a, c, {});
  } else {
    kernel.rows(work.blocks.size(), work.blocks.data(), rows, a, c);
  }
}

void Transposition::run(const void* a, void* c, std::int64_t first, std::int64_t last) const {
  alignas(line_bytes) std::byte buffer[largest_tile];  // not initialised
  Odometer tile(loops_, first);
  for (std::int64_t number = first; number < last; ++number) {
    std::size_t ends = 0;
    for (std::size_t i = 0; i < cut_.size(); ++i) {
      ends |= static_cast<std::size_t>(tile.is_last(blocks_[cut_[i]].loop)) << i;
    }
    const MovedBlock at = {tile.offset(in_a), tile.offset(in_c)};
    if (number + 1 < last) {
      tile.next();
    }
    run_tile(static_cast<const std::byte*>(a) + at.from * element_bytes_, static_cast<std::byte*>(c) + at.to * element_bytes_, works_[ends],
             tile.offset(in_a) - at.from, buffer);
  }
  if (streams_) {
    finish_streaming();
  }
}

}  // namespace flopcast::contract
