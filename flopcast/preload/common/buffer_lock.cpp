#include "flopcast/preload/common/buffer_lock.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "flopcast/preload/common/caller_table.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/preload/common/recursive_lock.hpp"
#include "flopcast/preload/common/unnoticed.hpp"

/// Provides the lock that an OpenBLAS built for one thread lacks. Unless built with USE_LOCKING, such a library keeps its buffers in a
/// table without a lock, so that two concurrent calls may get the same buffer and wrong results. The library calls the two functions below
/// through the dynamic linker, so that a preloaded library can hold a lock around them. Computations of different threads still overlap.
namespace flopcast::preload {
namespace {

enum BufferFunction : std::uint32_t { allocate, release, buffer_functions };
constexpr const char* symbols[buffer_functions] = {"blas_memory_alloc", "blas_memory_free"};

/// A function to which calls are forwarded: its address, shifted by one, and a bit that says whether a lock must be held around it.
using Definition = std::uint64_t;

// Global, because a preloaded library has no caller that could pass these. Recursive, because a signal handler may call BLAS inside either
// function.
constinit RecursiveLock buffers{};
constinit std::atomic<Definition> for_all_callers[buffer_functions]{};
constinit CallerTable<12> for_callers{};

/// Returns whether the library that contains `function` reports a lock of its own, because it is built for threads.
bool has_own_lock(void* function) noexcept {
  void* handle = ObjectHandle(object_of(function)).keep();
  const auto parallel = handle != nullptr ? reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_parallel")) : nullptr;
  return parallel != nullptr && parallel() != 0;
}

Definition definition_at(void* function) noexcept {
  return reinterpret_cast<std::uintptr_t>(function) << 1U | (has_own_lock(function) ? 0U : 1U);
}

Definition find_definition(BufferFunction which, const void* caller) noexcept {
  if (const Definition known = for_callers.find(which, caller)) {
    return known;
  }
  return on_own_stack([which, caller] {
    const Unnoticed unnoticed;
    const NextSymbol next = required_symbol(symbols[which], caller);
    const Definition definition = definition_at(next.address);
    if (next.for_all) {
      for_all_callers[which].store(definition, std::memory_order_relaxed);
    } else {
      for_callers.remember(which, caller, definition);
    }
    return definition;
  });
}

Definition definition_of(BufferFunction which, const void* caller) noexcept {
  const Definition known = for_all_callers[which].load(std::memory_order_relaxed);
  return known != 0 ? known : find_definition(which, caller);
}

/// Returns the definition in the calling library or its dependencies.
Definition deep_definition_of(BufferFunction which, const void* caller) noexcept {
  if (const Definition known = for_callers.find(which, caller)) {
    return known;
  }
  return on_own_stack([which, caller] {
    const Unnoticed unnoticed;
    void* handle = ObjectHandle(object_of(caller)).keep();
    void* function = handle != nullptr ? dlsym(handle, symbols[which]) : nullptr;
    const Definition definition = definition_at(function != nullptr ? function : required_symbol(symbols[which], caller).address);
    for_callers.remember(which, caller, definition);
    return definition;
  });
}

/// Holds the lock while it lives, if `definition` needs it.
class LockTurn {
 public:
  explicit LockTurn(Definition definition) noexcept : locks_((definition & 1U) != 0) {
    if (locks_) {
      buffers.lock();
    }
  }
  LockTurn(const LockTurn&) = delete;
  LockTurn& operator=(const LockTurn&) = delete;
  ~LockTurn() {
    if (locks_) {
      buffers.unlock();
    }
  }

 private:
  bool locks_;
};

template <class Function>
Function* function_of(Definition definition) noexcept {
  return reinterpret_cast<Function*>(static_cast<std::uintptr_t>(definition >> 1U));
}

void* allocated(Definition definition, int position) noexcept {
  const LockTurn turn(definition);
  return function_of<void*(int)>(definition)(position);
}

void released(Definition definition, void* buffer) noexcept {
  const LockTurn turn(definition);
  function_of<void(void*)>(definition)(buffer);
}

void* allocate_deep(int position) noexcept { return allocated(deep_definition_of(allocate, __builtin_return_address(0)), position); }

void release_deep(void* buffer) noexcept { released(deep_definition_of(release, __builtin_return_address(0)), buffer); }

/// The definitions in other namespaces of the dynamic linker. They are found before their first call, since dlsym isn't safe in threads
/// that another namespace's C library has started. Each has a pair of functions of its own.
constexpr std::size_t max_apart = 16;
constinit std::atomic<Definition> apart[buffer_functions][max_apart]{};

template <std::size_t place>
void* allocate_apart(int position) noexcept {
  return allocated(apart[allocate][place].load(std::memory_order_relaxed), position);
}

template <std::size_t place>
void release_apart(void* buffer) noexcept {
  released(apart[release][place].load(std::memory_order_relaxed), buffer);
}

template <std::size_t... places>
void* function_apart(BufferFunction which, std::size_t place, std::index_sequence<places...> /*all*/) noexcept {
  constexpr std::array<void* (*)(int), max_apart> allocating = {&allocate_apart<places>...};
  constexpr std::array<void (*)(void*), max_apart> releasing = {&release_apart<places>...};
  return which == allocate ? reinterpret_cast<void*>(allocating[place]) : reinterpret_cast<void*>(releasing[place]);
}

/// Gives a forked child a new lock. Its only thread has another number than the thread that held the old one.
[[gnu::constructor]] void keep_free_in_children() noexcept {
  pthread_atfork([] { buffers.lock(); }, [] { buffers.unlock(); }, [] { buffers.reset(); });
}

}  // namespace

void* locked_deep(std::string_view name) noexcept {
  return name == symbols[allocate]  ? reinterpret_cast<void*>(&allocate_deep)
         : name == symbols[release] ? reinterpret_cast<void*>(&release_deep)
                                    : nullptr;
}

void* locked_apart(std::string_view name, void* function) noexcept {
  const auto which = name == symbols[allocate] ? allocate : name == symbols[release] ? release : buffer_functions;
  if (which == buffer_functions || function == nullptr) {
    return nullptr;
  }
  const Definition definition = definition_at(function);
  for (std::size_t place = 0; place < max_apart; ++place) {
    Definition there = 0;
    if (apart[which][place].compare_exchange_strong(there, definition) || there == definition) {
      return function_apart(which, place, std::make_index_sequence<max_apart>());
    }
  }
  return nullptr;
}

}  // namespace flopcast::preload

extern "C" {

[[gnu::visibility("default")]] void* blas_memory_alloc(int position) {
  using namespace flopcast::preload;
  return allocated(definition_of(allocate, __builtin_return_address(0)), position);
}

[[gnu::visibility("default")]] void blas_memory_free(void* buffer) {
  using namespace flopcast::preload;
  released(definition_of(release, __builtin_return_address(0)), buffer);
}
}
