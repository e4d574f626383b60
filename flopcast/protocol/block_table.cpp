#include "flopcast/protocol/block_table.hpp"

#include <cmath>
#include <cstring>

#include "flopcast/protocol/table_reader.hpp"
#include "flopcast/support/fnv_hash.hpp"

namespace flopcast::protocol {
namespace {

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_name_letter(char c) noexcept { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

BlockPoint read_point(TableReader& reader) noexcept {
  BlockPoint point;
  const std::int32_t m = reader.number();
  reader.expect('x');
  const std::int32_t n = reader.number();
  reader.require(m > 0 && n > 0);
  point.log_m = std::log(static_cast<double>(m));
  point.log_n = std::log(static_cast<double>(n));
  reader.expect(':');
  point.nb = reader.number();
  reader.expect('/');
  point.nbmin = reader.number();
  reader.expect('/');
  point.nx = reader.number();
  reader.require(point.nb > 0);
  return point;
}

void read_routine(TableReader& reader, RoutineBlocks& routine) noexcept {
  const char* word = nullptr;
  std::size_t length = 0;
  reader.word(word, length);
  reader.require(length > 0 && length <= RoutineName::length);
  routine.name = routine_name(word, length);
  reader.word(word, length);
  reader.require(length < sizeof routine.flags);
  for (std::size_t i = 0; i < sizeof routine.flags; ++i) {
    routine.flags[i] = i < length ? upper(word[i]) : '\0';
  }
  routine.count = 0;
  routine.min_size = HUGE_VAL;
  do {
    reader.require(routine.count < max_tuned_points);
    if (!reader.good()) {
      return;
    }
    const BlockPoint point = read_point(reader);
    routine.min_size = std::fmin(routine.min_size, (point.log_m + point.log_n) / 2 - std::log(2.0));
    routine.points[routine.count++] = point;
  } while (reader.accept(','));
}

bool holds_for(const RoutineBlocks& routine, const char* options, std::size_t length) noexcept {
  const std::size_t flags = std::strlen(routine.flags);
  if (flags > length) {
    return false;
  }
  for (std::size_t i = 0; i < flags; ++i) {
    if (upper(options[i]) != routine.flags[i]) {
      return false;
    }
  }
  return true;
}

/// Returns the chain of a name.
std::size_t hash(const RoutineName& name) noexcept { return fnv_hash_32({name.letters, sizeof name.letters}) % BlockTable::chains; }

void clear(BlockTable& table) noexcept {
  table.count = 0;
  std::memset(table.first, 0, sizeof table.first);
}

}  // namespace

RoutineName routine_name(const char* text, std::size_t length) noexcept {
  RoutineName name;
  std::memset(name.letters, ' ', RoutineName::length);
  for (std::size_t i = 0; i < length && i < RoutineName::length && is_name_letter(upper(text[i])); ++i) {
    name.letters[i] = upper(text[i]);
  }
  return name;
}

bool operator==(const RoutineName& a, const RoutineName& b) noexcept { return std::memcmp(a.letters, b.letters, RoutineName::length) == 0; }

bool parse(const char* text, BlockTable& table) noexcept {
  clear(table);
  TableReader reader(text);
  if (!reader.finished()) {
    do {
      reader.require(table.count < max_tuned_routines);
      if (reader.good()) {
        read_routine(reader, table.routines[table.count++]);
      }
    } while (reader.accept(';'));
  }
  if (!reader.good() || !reader.finished()) {
    clear(table);
    return false;
  }
  for (std::size_t i = table.count; i-- > 0;) {  // backwards, so that chains are in the order of the text
    std::uint16_t& first = table.first[hash(table.routines[i].name)];
    table.next[i] = first;
    first = static_cast<std::uint16_t>(i + 1);
  }
  return true;
}

const RoutineBlocks* find(const BlockTable& table, const RoutineName& name, const char* options, std::size_t options_length) noexcept {
  const RoutineBlocks* for_all = nullptr;
  for (std::size_t i = table.first[hash(name)]; i != 0; i = table.next[i - 1]) {
    const RoutineBlocks& routine = table.routines[i - 1];
    if (!(routine.name == name)) {
      continue;
    }
    if (routine.flags[0] == '\0') {
      for_all = &routine;
    } else if (holds_for(routine, options, options_length)) {
      return &routine;
    }
  }
  return for_all;
}

const RoutineBlocks* find_with_other_options(const BlockTable& table, const RoutineName& name) noexcept {
  for (std::size_t i = table.first[hash(name)]; i != 0; i = table.next[i - 1]) {
    if (table.routines[i - 1].name == name) {
      return &table.routines[i - 1];
    }
  }
  return nullptr;
}

const BlockPoint* nearest(const RoutineBlocks& routine, std::int64_t m, std::int64_t n) noexcept {
  if (n < 0) {
    n = m;
  }
  if (m <= 0 || n <= 0) {
    return nullptr;
  }
  const double log_m = std::log(static_cast<double>(m));
  const double log_n = m == n ? log_m : std::log(static_cast<double>(n));
  if ((log_m + log_n) / 2 < routine.min_size) {
    return nullptr;
  }
  const BlockPoint* best = nullptr;
  double nearest = HUGE_VAL;
  for (std::size_t i = 0; i < routine.count; ++i) {
    const BlockPoint& point = routine.points[i];
    const double distance = (point.log_m - log_m) * (point.log_m - log_m) + (point.log_n - log_n) * (point.log_n - log_n);
    if (distance < nearest) {
      nearest = distance;
      best = &point;
    }
  }
  return best;
}

}  // namespace flopcast::protocol
