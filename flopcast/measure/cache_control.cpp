#include "flopcast/measure/cache_control.hpp"

#include <algorithm>

#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace flopcast::measure {
namespace {

/// Calls `touch` with one address in every cache line that `region` meets, always inside the region.
template <class Touch>
void for_each_line(const Region& region, Touch touch) {
  std::uintptr_t last_line = 0;
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::uintptr_t begin = region.address + static_cast<std::uintptr_t>(j * region.stride_bytes);
    const std::int64_t length = region.column_bytes + j * region.growth_bytes;
    for (std::uintptr_t at = begin; static_cast<std::int64_t>(at - begin) < length; at = (at / cache_line_bytes + 1) * cache_line_bytes) {
      if (at / cache_line_bytes != last_line) {
        touch(at);
        last_line = at / cache_line_bytes;
      }
    }
  }
}

volatile char& byte_at(std::uintptr_t address) { return *reinterpret_cast<volatile char*>(address); }

#ifdef __x86_64__
bool has_clflushopt() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

/// Flushes the lines without waiting for each other.
__attribute__((target("clflushopt"))) void flush_lines_in_any_order(const Region& region) {
  for_each_line(
      region, [](std::uintptr_t at) __attribute__((target("clflushopt"))) { _mm_clflushopt(reinterpret_cast<void*>(at)); });
}

void flush_lines_in_order(const Region& region) {
  for_each_line(region, [](std::uintptr_t at) { _mm_clflush(reinterpret_cast<void*>(at)); });
}
#endif

}  // namespace

#ifdef __x86_64__
bool can_flush_lines() { return true; }

void begin_to_flush_lines(const Region& region) {
  static const bool in_any_order = has_clflushopt();
  in_any_order ? flush_lines_in_any_order(region) : flush_lines_in_order(region);
}

void wait_for_flushes() { _mm_mfence(); }

void flush_lines(const Region& region) {
  begin_to_flush_lines(region);
  wait_for_flushes();
}

void write_past_caches(const Region& region, std::uint64_t pattern) {
  constexpr std::uintptr_t word_bytes = 8;
  const auto write_bytes = [&](std::uintptr_t begin, std::uintptr_t end) {
    for (std::uintptr_t at = begin; at < end; ++at) {
      byte_at(at) = static_cast<char>(pattern >> (8 * (at % word_bytes)));
    }
    if (begin < end) {
      flush_lines(Region{begin, static_cast<std::int64_t>(end - begin), 1, static_cast<std::int64_t>(end - begin), 0});
    }
  };
  for (std::int64_t j = 0; j < region.columns; ++j) {
    const std::uintptr_t begin = region.address + static_cast<std::uintptr_t>(j * region.stride_bytes);
    const std::uintptr_t end = begin + static_cast<std::uintptr_t>(region.column_bytes + j * region.growth_bytes);
    const std::uintptr_t first = std::min(end, round_up(begin, cache_line_bytes));
    const std::uintptr_t last = std::max(first, end / cache_line_bytes * cache_line_bytes);
    write_bytes(begin, first);
    for (std::uintptr_t at = first; at < last; at += word_bytes) {
      _mm_stream_si64(reinterpret_cast<long long*>(at), static_cast<long long>(pattern));
    }
    write_bytes(last, end);
  }
  _mm_sfence();
}
#else
bool can_flush_lines() { return false; }
void write_past_caches(const Region&, std::uint64_t) { throw internal_error("cache lines can't be flushed on this CPU"); }

void begin_to_flush_lines(const Region&) { throw internal_error("cache lines can't be flushed on this CPU"); }
void wait_for_flushes() {}
void flush_lines(const Region& region) { begin_to_flush_lines(region); }
#endif

void read_lines(const Region& region) {
  for_each_line(region, [](std::uintptr_t at) { static_cast<void>(char{byte_at(at)}); });
}

void rewrite_lines(const Region& region) {
  for_each_line(region, [](std::uintptr_t at) { byte_at(at) = byte_at(at); });
}

void Sweeper::evict(int level) {
  if (level < 0 || static_cast<std::size_t>(level) >= caches_.size()) {
    throw bad_input("can't evict cache level {}: {} levels were measured", level, caches_.size());
  }
  std::int64_t capacity_bytes = 0;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(level); ++i) {
    capacity_bytes += caches_[i].capacity_bytes;
  }
  read(capacity_bytes + capacity_bytes / 2);
}

void Sweeper::flush_all() { read(flush_bytes()); }

std::int64_t Sweeper::flush_bytes() const {
  constexpr std::int64_t enough_bytes = std::int64_t{256} << 20U;
  if (caches_.empty()) {
    return enough_bytes;
  }
  const CacheLevel& outermost = caches_.back();
  const std::int64_t max_read_bytes = std::max(enough_bytes, 2 * std::max(outermost.capacity_bytes, outermost.capacity_high_bytes));
  const std::int64_t product_bytes = outermost.associativity * outermost.capacity_bytes;
  return product_bytes > 0 ? std::min(product_bytes, max_read_bytes) : max_read_bytes;
}

void Sweeper::read(std::int64_t bytes) {
  memory_.reserve(bytes);
  read_lines({memory_.begin(), bytes, 1, bytes, 0});
}

}  // namespace flopcast::measure
