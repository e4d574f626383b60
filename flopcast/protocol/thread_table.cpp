#include "flopcast/protocol/thread_table.hpp"

#include <bit>

namespace flopcast::protocol {
namespace {

/// Cuts a text into parts from front to back. After the first error all parts are empty.
class Parts {
 public:
  explicit Parts(char* text) noexcept : at_(text) {}

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool finished() const noexcept { return *at_ == '\0'; }
  [[nodiscard]] char* here() const noexcept { return at_; }
  void require(bool condition) noexcept { good_ = good_ && condition; }

  bool accept(char expected) noexcept {
    const bool found = good_ && *at_ == expected;
    at_ += found ? 1 : 0;
    return found;
  }
  void expect(char expected) noexcept { require(accept(expected)); }

  std::string_view word() noexcept {
    const char* start = at_;
    while (*at_ != '\0' && *at_ != ',' && *at_ != ';') {
      ++at_;
    }
    return {start, good_ ? static_cast<std::size_t>(at_ - start) : 0};
  }

  std::uint64_t number(std::uint64_t max) noexcept {
    static constexpr std::uint64_t ten = 10;
    const std::string_view digits = word();
    std::uint64_t value = 0;
    require(!digits.empty());
    for (const char digit : digits) {
      const auto next = static_cast<std::uint64_t>(digit - '0');
      require(digit >= '0' && digit <= '9' && value <= (max - next) / ten);
      value = ten * value + next;
    }
    return value;
  }

  /// Takes the next `count` letters and replaces them by their values.
  const char* decoded(std::size_t count) noexcept {
    char* start = at_;
    for (std::size_t i = 0; i < count && good_; ++i, ++at_) {
      const std::size_t value = *at_ != '\0' ? step_letters.find(*at_) : std::string_view::npos;
      require(value != std::string_view::npos);
      *at_ = good_ ? static_cast<char>(value) : *at_;
    }
    return start;
  }

 private:
  char* at_;
  bool good_ = true;
};

void read_routine(Parts& parts, RoutineThreads& routine, std::size_t counts) noexcept {
  static constexpr std::uint8_t max_nodes = 28;  // sizes have 31 bits
  routine.name = parts.word();
  parts.expect(',');
  routine.flags = packed_flags(parts.word());
  parts.expect(',');
  routine.dimensions = 0;
  std::size_t steps = counts;
  for (const char letter : parts.word()) {
    const std::size_t nodes = step_letters.find(letter);
    parts.require(routine.dimensions < max_thread_sizes && nodes >= 2 && nodes <= max_nodes);
    if (!parts.good()) {
      return;
    }
    routine.nodes[routine.dimensions++] = static_cast<std::uint8_t>(nodes);
    steps *= nodes;
  }
  parts.expect(',');
  parts.require(!routine.name.empty() && routine.dimensions > 0);
  routine.steps = parts.decoded(steps);
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
  return {node, static_cast<std::uint32_t>(beyond * whole >> exponent)};
}

/// A node of the table and its weight in the mean of a cell's corners.
struct Corner {
  const char* steps;
  std::uint32_t weight;
};

}  // namespace

bool parse(char* text, ThreadTable& table) noexcept {
  static constexpr std::uint64_t max_threads = 1U << 20U;
  Parts parts(text);
  table.counts = table.count = 0;
  do {
    parts.require(table.counts < max_thread_counts);
    const auto threads = static_cast<std::int32_t>(parts.number(max_threads));
    parts.require(threads > 0 && (table.counts == 0 || threads > table.threads[table.counts - 1]));
    if (parts.good()) {
      table.threads[table.counts++] = threads;
    }
  } while (parts.accept(','));
  parts.expect(';');
  table.folders[0] = parts.number(UINT64_MAX);
  parts.expect(',');
  table.folders[1] = parts.number(UINT64_MAX);
  while (parts.accept(';')) {
    parts.require(table.count < ThreadTable::max_entries);
    if (parts.good()) {
      read_routine(parts, table.routines[table.count++], table.counts);
    }
  }
  const bool whole = parts.good() && parts.finished();
  table.count = whole ? table.count : 0;
  return whole;
}

std::int32_t best_threads(const ThreadTable& table, const RoutineThreads& routine, const std::int32_t* sizes,
                          std::int32_t max_threads) noexcept {
  std::size_t counts = 1;
  while (counts < table.counts && table.threads[counts] <= max_threads) {
    ++counts;
  }
  Corner corners[1U << max_thread_sizes] = {{routine.steps, 1}};
  std::size_t corner_count = 1, stride = table.counts;
  for (std::size_t d = routine.dimensions; d-- > 0; stride *= routine.nodes[d]) {
    const SizePlace place = place_of(sizes[d], routine.nodes[d]);
    const std::size_t before = corner_count;
    for (std::size_t i = 0; i < before; ++i) {
      corners[i].steps += place.node * stride;
      if (place.share > 0) {
        corners[corner_count++] = {corners[i].steps + stride, corners[i].weight * place.share};
        corners[i].weight *= whole - place.share;
      }
    }
  }
  std::uint32_t sums[max_thread_counts]{};
  for (std::size_t i = 0; i < corner_count; ++i) {
    for (std::size_t c = 0; c < counts; ++c) {
      sums[c] += corners[i].weight * static_cast<std::uint32_t>(corners[i].steps[c]);
    }
  }
  std::size_t best = 0;
  for (std::size_t c = 1; c < counts; ++c) {
    best = sums[c] < sums[best] ? c : best;
  }
  return table.threads[best];
}

}  // namespace flopcast::protocol
