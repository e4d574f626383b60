#include "flopcast/preload/common/own_stack.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__x86_64__)

extern "C" [[gnu::visibility("hidden")]] void flopcast_call_on(void* stack, void (*function)(void*), void* argument);

asm(R"(
  .text
  .p2align 4
  .globl flopcast_call_on
  .hidden flopcast_call_on
  .type flopcast_call_on, @function
flopcast_call_on:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  call *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size flopcast_call_on, . - flopcast_call_on
)");

namespace flopcast::preload {
namespace {

constexpr std::size_t stack_bytes = std::size_t{512} << 10U;
constexpr std::size_t guard_bytes = 4096;

/// Stacks that no call uses; nullptr: a free place. A stack in use is in no place, so that neither a signal handler nor a forked child
/// takes it.
constinit std::atomic<char*> free_stacks[16]{};

/// Returns the lowest address of a new stack; nullptr if there is no memory.
char* make_stack() noexcept {
  void* made = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (made == MAP_FAILED) {
    return nullptr;
  }
  mprotect(made, guard_bytes, PROT_NONE);
  return static_cast<char*>(made);
}

char* take_stack() noexcept {
  for (std::atomic<char*>& place : free_stacks) {
    char* stack = place.load(std::memory_order_relaxed) != nullptr ? place.exchange(nullptr, std::memory_order_acquire) : nullptr;
    if (stack != nullptr) {
      return stack;
    }
  }
  const int error = errno;
  char* made = make_stack();
  errno = error;
  return made;
}

void give_back(char* stack) noexcept {
  for (std::atomic<char*>& place : free_stacks) {
    char* nothing = nullptr;
    if (place.load(std::memory_order_relaxed) == nullptr &&
        place.compare_exchange_strong(nothing, stack, std::memory_order_release, std::memory_order_relaxed)) {
      return;
    }
  }
  munmap(stack, stack_bytes);
}

}  // namespace

void call_on_own_stack(void (*function)(void*), void* argument) noexcept {
  char* stack = take_stack();
  if (stack == nullptr) {
    function(argument);
    return;
  }
  flopcast_call_on(stack + stack_bytes, function, argument);
  give_back(stack);
}

}  // namespace flopcast::preload

#else

namespace flopcast::preload {

void call_on_own_stack(void (*function)(void*), void* argument) noexcept { function(argument); }

}  // namespace flopcast::preload

#endif
