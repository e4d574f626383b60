#include "flopcast/protocol/thread_table.hpp"

#include <bit>
#include <span>

#include "flopcast/protocol/table_reader.hpp"

namespace flopcast::protocol {
namespace {

std::string_view word(TableReader& reader) noexcept {
  const char* start = nullptr;
  std::size_t length = 0;
  reader.word(start, length);
  return {start, reader.good() ? length : 0};
}

/// Replaces the next `count` letters, which lie in `text`, by their values, and returns these.
const char* decode(TableReader& reader, char* text, std::size_t count) noexcept {
  char* const values = text + (reader.here() - text);
  for (std::size_t i = 0; i < count && reader.good(); ++i) {
    const std::size_t value = reader.finished() ? std::string_view::npos : step_letters.find(reader.next());
    reader.require(value != std::string_view::npos);
    values[i] = static_cast<char>(value);
  }
  return values;
}

void read_routine(TableReader& reader, char* text, RoutineThreads& routine, const ThreadTable& table) noexcept {
  static constexpr std::uint8_t max_nodes = 28;  // sizes have 31 bits
  routine.name = word(reader);
  routine.flags = packed_flags(word(reader));
  routine.dimensions = 0;
  std::size_t all_nodes = 1;
  for (const char letter : word(reader)) {
    const std::size_t nodes = step_letters.find(letter);
    reader.require(routine.dimensions < max_thread_sizes && nodes >= 2 && nodes <= max_nodes);
    if (!reader.good()) {
      return;
    }
    routine.nodes[routine.dimensions++] = static_cast<std::uint8_t>(nodes);
    all_nodes *= nodes;
  }
  reader.require(!routine.name.empty() && routine.dimensions > 0);
  routine.steps = decode(reader, text, table.counts * all_nodes);
  routine.others = reader.accept(',') ? decode(reader, text, 2 * all_nodes) : nullptr;
  for (std::size_t i = 0; i < all_nodes && routine.others != nullptr && reader.good(); ++i) {
    reader.require(static_cast<std::size_t>(routine.others[2 * i + 1]) < table.other_count);
  }
}

/// Reads `,FILE,COUNT...` as often as it occurs.
void read_libraries(TableReader& reader, ThreadTable& table) noexcept {
  while (reader.accept(',')) {
    if (*reader.here() == '/') {
      reader.require(table.library_count < max_other_libraries);
      const std::string_view file = word(reader);
      if (!reader.good()) {
        return;
      }
      table.libraries[table.library_count++] = file;
    }
    const std::int32_t threads = reader.number();
    reader.require(table.library_count > 0 && threads > 0 && table.other_count < max_other_choices);
    if (reader.good()) {
      table.others[table.other_count++] = {table.library_count - 1, threads};
    }
  }
}

constexpr std::uint32_t whole = 256;  ///< all of the way from one node to the next, or all of a weight

/// A size's place in one dimension: the node below, and the part of the way to the next node.
struct SizePlace {
  std::size_t node;
  std::uint32_t share;
};

SizePlace place_of(std::int32_t size, std::size_t nodes) noexcept {
  static constexpr std::int32_t smallest = 1 << smallest_exponent;
  if (size <= smallest) {
    return {0, 0};
  }
  const auto exponent = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(size)) - 1);
  const std::size_t node = exponent - smallest_exponent;
  if (node + 1 >= nodes) {
    return {nodes - 1, 0};
  }
  const std::uint64_t beyond = static_cast<std::uint32_t>(size) - (1U << exponent);
  const auto part = static_cast<std::uint32_t>(beyond * whole >> exponent);
  // The binary logarithm of 1 + x is x + 0.344 x (1 - x) within 0.012, for x from 0 to 1.
  return {node, part + (part * (whole - part) * 88U >> 16U)};
}

/// A node of the table and its weight in the mean of a cell's corners.
struct Corner {
  std::size_t node;
  std::uint32_t weight;
};

/// Returns the other choice at the corner with the largest weight, if the sum of the other choices' steps is less than `own` and the choice
/// has `max_threads` at most; else nullptr.
const OtherChoice* better_choice(const ThreadTable& table, const RoutineThreads& routine, std::span<const Corner> corners,
                                 std::uint32_t own, std::int32_t max_threads) noexcept {
  if (routine.others == nullptr) {
    return nullptr;
  }
  std::uint32_t sum = 0;
  const Corner* nearest = corners.data();
  for (const Corner& corner : corners) {
    sum += corner.weight * static_cast<std::uint32_t>(routine.others[2 * corner.node]);
    nearest = corner.weight > nearest->weight ? &corner : nearest;
  }
  const OtherChoice& choice = table.others[static_cast<std::size_t>(routine.others[2 * nearest->node + 1])];
  return sum < own && choice.threads <= max_threads ? &choice : nullptr;
}

}  // namespace

bool parse(char* text, ThreadTable& table) noexcept {
  TableReader reader(text);
  table.counts = table.count = table.library_count = table.other_count = 0;
  do {
    const std::int32_t threads = reader.number();
    reader.require(table.counts < max_thread_counts && threads > (table.counts == 0 ? 0 : table.threads[table.counts - 1]));
    if (reader.good()) {
      table.threads[table.counts++] = threads;
    }
  } while (reader.accept(','));
  reader.expect(';');
  table.folders[0] = reader.number();
  reader.expect(',');
  table.folders[1] = reader.number();
  read_libraries(reader, table);
  while (reader.accept(';')) {
    reader.require(table.count < ThreadTable::max_entries);
    if (reader.good()) {
      read_routine(reader, text, table.routines[table.count++], table);
    }
  }
  const bool is_whole = reader.good() && reader.finished();
  table.count = is_whole ? table.count : 0;
  return is_whole;
}

CallChoice best_choice(const ThreadTable& table, const RoutineThreads& routine, const std::int32_t* sizes,
                       std::int32_t max_threads) noexcept {
  std::size_t counts = 1;
  while (counts < table.counts && table.threads[counts] <= max_threads) {
    ++counts;
  }
  Corner corners[1U << max_thread_sizes] = {{0, 1}};
  std::size_t corner_count = 1, stride = 1;
  for (std::size_t d = routine.dimensions; d-- > 0; stride *= routine.nodes[d]) {
    const SizePlace place = place_of(sizes[d], routine.nodes[d]);
    const std::size_t before = corner_count;
    for (std::size_t i = 0; i < before; ++i) {
      corners[i].node += place.node * stride;
      if (place.share > 0) {
        corners[corner_count++] = {corners[i].node + stride, corners[i].weight * place.share};
        corners[i].weight *= whole - place.share;
      }
    }
  }
  std::uint32_t sums[max_thread_counts]{};
  for (std::size_t i = 0; i < corner_count; ++i) {
    for (std::size_t c = 0; c < counts; ++c) {
      sums[c] += corners[i].weight * static_cast<std::uint32_t>(routine.steps[corners[i].node * table.counts + c]);
    }
  }
  std::size_t best = 0;
  for (std::size_t c = 1; c < counts; ++c) {
    best = sums[c] < sums[best] ? c : best;
  }
  return {table.threads[best], better_choice(table, routine, {corners, corner_count}, sums[best], max_threads)};
}

}  // namespace flopcast::protocol
