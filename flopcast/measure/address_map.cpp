#include "flopcast/measure/address_map.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

constexpr std::uintptr_t page_bytes = 4096;
/// Memory for operands without elements. A library may read them nevertheless, as BLIS does with a triangle of order 1 and a unit diagonal.
alignas(cache_line_bytes) constexpr std::array<std::byte, page_bytes> unused = {};
constexpr std::uintptr_t colour_bytes =
    13 * cache_line_bytes;  // 13 is prime to the 64 lines of a page: offsets repeat after 64 allocations

}  // namespace

void AddressMap::add(const Allocation& allocation, std::uintptr_t real) {
  pieces_.push_back({allocation.address, allocation.address + static_cast<std::uintptr_t>(allocation.bytes), real});
}

const AddressMap::MappedRange* AddressMap::find(std::uintptr_t begin, std::uintptr_t end) const {
  const auto holds = [&](const MappedRange& piece) { return piece.begin <= begin && end <= piece.end; };
  const auto found = std::find_if(pieces_.begin(), pieces_.end(), holds);
  return found == pieces_.end() ? nullptr : &*found;
}

Region AddressMap::real(const Region& region) const {
  if (region.empty()) {
    return {};
  }
  const MappedRange* const piece = find(region.begin(), region.end());
  if (piece == nullptr) {
    throw bad_input("experiment touches bytes {:#x} to {:#x}, which lie in none of its allocations", region.begin(), region.end());
  }
  Region moved = region;
  moved.address = region.address - piece->begin + piece->real;
  return moved;
}

Call AddressMap::real(const Call& call) const {
  Call moved = call;
  for (const Operand& operand : operands(call)) {
    if (operand.parts.empty()) {
      const std::uintptr_t address = call.address(operand.argument);
      const MappedRange* const piece = find(address, address);
      const std::uintptr_t real = piece != nullptr ? address - piece->begin + piece->real : reinterpret_cast<std::uintptr_t>(unused.data());
      moved.arguments[operand.argument] = static_cast<std::int64_t>(real);
      continue;
    }
    std::uintptr_t begin = operand.parts[0].begin();
    std::uintptr_t end = operand.parts[0].end();
    for (const Region& part : operand.parts) {
      begin = std::min(begin, part.begin());
      end = std::max(end, part.end());
    }
    const MappedRange* const piece = find(begin, end);
    if (piece == nullptr) {
      throw bad_input("experiment: operand {} of {} covers bytes {:#x} to {:#x}, which lie in none of its allocations",
                      call.routine->arguments[operand.argument].name, to_string(call), begin, end);
    }
    moved.arguments[operand.argument] = static_cast<std::int64_t>(call.address(operand.argument) - piece->begin + piece->real);
  }
  return moved;
}

Layout lay_out(std::span<const Allocation> memory, std::int64_t copies, std::uintptr_t base) {
  Layout layout;
  std::uintptr_t next = base;
  std::uintptr_t large = 0;
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    AddressMap map;
    for (const Allocation& allocation : memory) {
      const auto bytes = static_cast<std::uintptr_t>(allocation.bytes);
      next = bytes < page_bytes ? round_up(next, cache_line_bytes) : round_up(next, page_bytes) + large++ * colour_bytes % page_bytes;
      map.add(allocation, next);
      next += bytes + cache_line_bytes;
    }
    layout.copies.push_back(std::move(map));
  }
  layout.size_bytes = static_cast<std::int64_t>(round_up(next - base, page_bytes));
  return layout;
}

}  // namespace flopcast::measure
