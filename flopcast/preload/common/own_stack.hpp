#pragma once

#include <type_traits>

/// Programs call BLAS on small stacks: threads of 16 KiB, coroutines, stacks of signal handlers. A preloaded library therefore uses at most
/// 3 KiB of its caller's stack. Work that needs more, such as finding symbols, calling functions of other libraries and writing files, is
/// done on a stack of the library's own.
namespace flopcast::preload {

/// Calls function(argument) on a stack of this library that no other call uses, of 512 KiB. The function must not throw. Uses the caller's
/// stack where there is no memory for another one, and on machines for which the change of stacks isn't implemented.
void call_on_own_stack(void (*function)(void*), void* argument) noexcept;

/// Returns work(), called on such a stack. The result's type must have a default value.
template <class Work>
auto on_own_stack(Work work) noexcept {
  using Result = std::invoke_result_t<Work&>;
  if constexpr (std::is_void_v<Result>) {
    call_on_own_stack([](void* called) { (*static_cast<Work*>(called))(); }, &work);
  } else {
    struct StackCall {
      Work& work;
      Result result;
    } call{work, {}};
    call_on_own_stack(
        [](void* called) {
          auto& own = *static_cast<StackCall*>(called);
          own.result = own.work();
        },
        &call);
    return call.result;
  }
}

}  // namespace flopcast::preload
