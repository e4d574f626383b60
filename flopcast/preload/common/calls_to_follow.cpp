#include "flopcast/preload/common/calls_to_follow.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/library_width.hpp"
#include "flopcast/preload/common/next_symbol.hpp"

namespace flopcast::preload {
namespace {

std::string fortran_symbol(std::size_t routine) { return kernel::catalogue()[routine].name + "_"; }

/// Symbols by the routine's name.
using Symbols = std::map<std::string, std::string, std::less<>>;

Symbols all_symbols() {
  Symbols symbols;
  for (std::size_t i = 0; i < kernel::catalogue().size(); ++i) {
    symbols[kernel::catalogue()[i].name] = fortran_symbol(i);
  }
  for (std::size_t i = 0; i < c_stub_count; ++i) {
    symbols[c_stubs[i]] = c_stubs[i];
  }
  return symbols;
}

}  // namespace

const char* followed_symbol(const RoutineSymbol& routine) noexcept {
  static const Symbols symbols = all_symbols();
  const auto found = symbols.find(routine.routine);
  return found != symbols.end() ? found->second.c_str() : nullptr;
}

int integer_bytes_of_call(std::size_t routine, Redirected* door, const void* caller) noexcept {
  if (door != nullptr) {
    return integer_bytes_of(*door);
  }
  static std::vector<std::atomic<std::uint8_t>> known(kernel::catalogue().size());
  std::uint8_t bytes = known[routine].load(std::memory_order_relaxed);
  if (bytes == 0) {
    const std::string symbol = fortran_symbol(routine);
    const void* definition = next_symbol(symbol.c_str(), caller);
    bytes = static_cast<std::uint8_t>(definition != nullptr ? integer_bytes_at(definition, routine_symbol(symbol)) : 4);
    known[routine].store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

void* definition_of_call(std::size_t routine, const Redirected* door, const void* caller) noexcept {
  if (door != nullptr) {
    return door->definition;
  }
  static std::vector<std::atomic<void*>> known(kernel::catalogue().size());
  void* found = known[routine].load(std::memory_order_relaxed);
  return found != nullptr ? found : required_symbol(known[routine], fortran_symbol(routine).c_str(), caller);
}

void* definition_of_c_call(const Redirected* door, std::atomic<void*>& usual, const char* symbol, const void* caller) noexcept {
  return door != nullptr ? door->definition : required_symbol(usual, symbol, caller);
}

}  // namespace flopcast::preload
