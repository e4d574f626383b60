#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/protocol/run_report.hpp"
#include "flopcast/protocol/thread_table.hpp"

/// Sets the threads of BLAS for single calls, and has other libraries compute some calls, as the table of `flopcast run --threads auto
/// --blas auto` says. The calls enter stubs (generate_workspace_stubs.cpp).
namespace flopcast::preload {

/// Names of the routines that have stubs, and of CBLAS's functions for them, written by the generator. Functions of CBLAS come last, so that
/// a Fortran routine's place is its number in protocol::threaded_routines().
struct ThreadStub {
  const char* symbol;     ///< "flopcast_threads_cblas_dgemm"
  const char* function;   ///< "cblas_dgemm"
  std::uint32_t routine;  ///< number of the routine
};
extern const ThreadStub thread_stubs[];
extern const std::size_t thread_stub_count;

/// Reads the table from the environment. `counts` is where calls are counted. Returns false if the text is damaged.
bool read_thread_table(protocol::ThreadReport* counts) noexcept;

/// Returns the symbol of the stub for a function whose routine is in the table; nullptr if there is none.
const char* thread_stub(std::string_view function) noexcept;

/// The flags and sizes by which the table distinguishes calls.
struct ThreadCall {
  std::uint32_t flags = 0;
  std::int32_t sizes[protocol::max_thread_sizes]{};
};

/// Sets the threads of the library behind `through` for the duration of one call, or chooses another library for the call. A call never
/// gets more threads than the program has set. Calls within another one, and those of libraries that the table isn't for, change nothing.
/// Once a second thread has made a call, no call changes anything. The number of threads holds for the whole process, and the other thread
/// may be computing. For the same reason other libraries are never entered by two threads.
class ThreadChoice {
 public:
  ThreadChoice(Redirected* through, std::uint32_t routine, const ThreadCall& call) noexcept;
  ThreadChoice(const ThreadChoice&) = delete;
  ThreadChoice& operator=(const ThreadChoice&) = delete;
  ~ThreadChoice();
  /// Returns the function that is to compute the call; nullptr if the stub was called by its name.
  [[nodiscard]] void* function() const noexcept { return function_; }

 private:
  void* function_;
};

/// Calls the routine behind a stub with the stub's arguments.
template <class... Arguments>
void forward(void* function, Arguments... arguments) {
  if (function != nullptr) {  // stubs are not called by name
    reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
  }
}

/// Returns a flag in upper case. Conjugation counts as transposition.
inline std::uint32_t table_flag(char flag) noexcept {
  const auto letter = static_cast<unsigned char>(flag >= 'a' && flag <= 'z' ? flag - 'a' + 'A' : flag);
  return letter == 'C' ? 'T' : letter;
}
inline std::uint32_t flag_at(const void* flag) noexcept { return table_flag(*static_cast<const char*>(flag)); }
/// Returns a Fortran routine's size. Its lower half suffices where integers have 64 bits.
inline std::int32_t size_at(const void* size) noexcept { return *static_cast<const std::int32_t*>(size); }

}  // namespace flopcast::preload
