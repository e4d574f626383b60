#include "flopcast/preload/common/intercepted_calls.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/caller_table.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/own_stack.hpp"

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

/// A word for each function of a list: one for all of its callers, or one per caller.
class KnownWords {
 public:
  explicit KnownWords(std::size_t functions) : for_all_(functions) {}

  /// Returns 0 if no word is known.
  [[nodiscard]] std::uint64_t find(std::size_t function, const void* caller) const noexcept {
    const std::uint64_t word = for_all_[function].load(std::memory_order_relaxed);
    return word != 0 ? word : for_callers_.find(static_cast<std::uint32_t>(function), caller);
  }
  void remember(std::size_t function, const void* caller, std::uint64_t word, bool for_all) noexcept {
    if (for_all) {
      for_all_[function].store(word, std::memory_order_relaxed);
    } else {
      for_callers_.remember(static_cast<std::uint32_t>(function), caller, word);
    }
  }
  /// Returns the library's function that `caller` calls by the name symbol(), whose address is the word.
  template <class Symbol>
  void* definition(std::size_t function, const void* caller, Symbol symbol) noexcept {
    if (const std::uint64_t word = find(function, caller)) {
      return reinterpret_cast<void*>(static_cast<std::uintptr_t>(word));
    }
    return on_own_stack([&] {
      const NextSymbol found = required_symbol(symbol().c_str(), caller);
      remember(function, caller, reinterpret_cast<std::uintptr_t>(found.address), found.for_all);
      return found.address;
    });
  }

 private:
  std::vector<std::atomic<std::uint64_t>> for_all_;
  CallerTable<12> for_callers_{};
};

}  // namespace

const char* intercepted_symbol(const RoutineSymbol& routine) noexcept {
  static const Symbols symbols = all_symbols();
  const auto found = symbols.find(routine.routine);
  return found != symbols.end() ? found->second.c_str() : nullptr;
}

int integer_bytes_of_call(std::size_t routine, Redirected* trampoline, const void* caller) noexcept {
  if (trampoline != nullptr) {
    const int known = trampoline->width.load(std::memory_order_relaxed);
    return known != 0 ? known : on_own_stack([trampoline] { return integer_bytes_of(*trampoline); });
  }
  static KnownWords known(kernel::catalogue().size());
  if (const std::uint64_t bytes = known.find(routine, caller)) {
    return static_cast<int>(bytes);
  }
  return on_own_stack([routine, caller] {
    const std::string symbol = fortran_symbol(routine);
    const NextSymbol definition = next_symbol(symbol.c_str(), caller);
    const int bytes = definition.address != nullptr ? integer_bytes_at(definition.address, routine_symbol(symbol)) : 4;
    known.remember(routine, caller, static_cast<std::uint64_t>(bytes), definition.for_all);
    return bytes;
  });
}

void* definition_of_call(std::size_t routine, const Redirected* trampoline, const void* caller) noexcept {
  static KnownWords known(kernel::catalogue().size());
  return trampoline != nullptr ? trampoline->definition : known.definition(routine, caller, [routine] { return fortran_symbol(routine); });
}

void* definition_of_c_call(std::size_t function, const Redirected* trampoline, const void* caller) noexcept {
  static KnownWords known(c_stub_count);
  return trampoline != nullptr ? trampoline->definition
                               : known.definition(function, caller, [function] { return std::string(c_stubs[function]); });
}

}  // namespace flopcast::preload
