#include "flopcast/preload/record/record.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <vector>

#include "flopcast/core/routine.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/preload/common/fortran_call.hpp"
#include "flopcast/preload/common/fortran_text.hpp"
#include "flopcast/preload/common/intercept.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/protocol/borrowed_name.hpp"

namespace flopcast::preload {
namespace {

/// State shared by the stubs. Global, because a preloaded library has no caller that could pass it.
struct RecordState {
  std::atomic<bool> active = false;
  std::mutex mutex;  ///< guards recording
  KernelRecording recording;
  RecordOptions options;        ///< written while inactive only
  std::size_t see_through = 0;  ///< catalogue index of options.routine
  SymbolLookup lookup;
  std::vector<std::atomic<void*>> next = std::vector<std::atomic<void*>>(kernel::catalogue().size());
};

RecordState& state() {
  static RecordState all;
  return all;
}

/// Number of catalogue routines in execution in this thread, without the one whose kernels are recorded.
thread_local int depth = 0;

void* find_next(const char* symbol, const void* caller) noexcept {
  const SymbolLookup& lookup = state().lookup;
  void* found = lookup ? lookup(symbol) : next_symbol(symbol, caller).address;
  if (found == nullptr) {
    std::fprintf(stderr, "flopcast-record: no library defines %s, which the program calls\n", symbol);
    _exit(127);  // as the dynamic linker does for an undefined symbol
  }
  return found;
}

void keep(const Call& call, Seconds seconds) {
  RecordState& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.recording.calls.size() < s.options.max_call_bytes) {
    protocol::append(s.recording.calls, call, seconds);
  } else {
    ++s.recording.dropped;
  }
}

// LAPACK's integers may have 32 or 64 bits. Only the lower halves are read, and the answers fit both widths.
using Ilaenv = FortranInteger (*)(const FortranInteger* ispec, const char* name, const char* opts, const std::int32_t* n1,
                                  const std::int32_t* n2, const std::int32_t* n3, const std::int32_t* n4, std::size_t name_length,
                                  std::size_t opts_length);

/// Returns whether `name`, in any case, equals `lower`, which is in lower case.
bool is_name(std::string_view name, std::string_view lower) {
  const auto same = [](unsigned char a, unsigned char b) { return a == std::tolower(b); };
  return std::equal(lower.begin(), lower.end(), name.begin(), name.end(), same);
}

constexpr std::size_t max_name = 16;  ///< letters of a routine's name in a query

/// Returns whether a query under `name` is about the routine whose kernels are recorded.
bool is_own_query(std::string_view name) {
  const std::string& routine = state().options.routine;
  const std::string_view borrowed = protocol::borrowed_name(routine);
  return borrowed.empty() ? is_name(name, routine) : is_name(name, routine.front() + std::string(borrowed));
}

/// Makes a skipped larfg's reflector different from the identity, for which callers would skip work: larf returns at once, gemv gets alpha
/// = 0.
void leave_general_reflector(const Call& call) {
  static constexpr std::string_view family = "larfg";
  if (call.routine->family != family) {
    return;
  }
  const std::uintptr_t tau = call.address(static_cast<std::size_t>(call.routine->index("tau")));
  if (real_bytes(call.routine->precision) == sizeof(float)) {
    *reinterpret_cast<float*>(tau) = 2;
  } else {
    *reinterpret_cast<double*>(tau) = 2;
  }
}

void keep_query(std::string_view options, std::int64_t m, std::int64_t n) {
  KernelRecording& recording = state().recording;
  std::size_t length = 0;
  for (const char letter : options) {
    if (letter != ' ' && length + 1 < recording.options.size()) {
      recording.options[length++] = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
  }
  recording.query_m = m;
  recording.query_n = n;
}

}  // namespace

Interception::Interception(std::size_t routine, const void* caller, std::span<void* const> pointers) noexcept
    : routine_(routine), caller_(caller), pointers_(pointers) {
  RecordState& s = state();
  if (!s.active.load(std::memory_order_acquire) || depth > 0 || routine == s.see_through ||
      is_workspace_query(kernel::catalogue()[routine], pointers)) {
    return;
  }
  handling_ = s.options.mode == protocol::Mode::skip ? Handling::skipped : Handling::observed;
  if (handling_ == Handling::skipped) {
    const Call call = call_of(kernel::catalogue()[routine], pointers, s.options.integer_bytes);
    skipped_value_ = kernel::skip(call).value;
    leave_general_reflector(call);
    return;
  }
  ++depth;
  start_ = std::chrono::steady_clock::now();
}

Interception::~Interception() {
  if (handling_ == Handling::transparent) {
    return;
  }
  const std::chrono::duration<Seconds> elapsed =
      handling_ == Handling::observed ? std::chrono::steady_clock::now() - start_ : std::chrono::nanoseconds(0);
  if (handling_ == Handling::observed) {
    --depth;
  }
  keep(call_of(kernel::catalogue()[routine_], pointers_, state().options.integer_bytes), elapsed.count());
}

void* Interception::next() const noexcept {
  std::atomic<void*>& slot = state().next[routine_];
  void* found = slot.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = find_next((kernel::catalogue()[routine_].name + "_").c_str(), caller_);
    slot.store(found, std::memory_order_relaxed);
  }
  return found;
}

void set_next(SymbolLookup lookup) { state().lookup = std::move(lookup); }

void start_recording(const RecordOptions& options) {
  RecordState& s = state();
  s.options = options;
  s.see_through = static_cast<std::size_t>(&kernel::require(options.routine) - kernel::catalogue().data());
  s.recording = {};
  s.active.store(true, std::memory_order_release);
}

KernelRecording stop_recording() {
  RecordState& s = state();
  s.active.store(false, std::memory_order_release);
  return std::move(s.recording);
}

}  // namespace flopcast::preload

extern "C" {
using flopcast::FortranInteger;

/// LAPACK's query for block sizes (ISPEC 1, 2, 3: NB, NBMIN, NX) and other parameters. Others are forwarded.
[[gnu::visibility("default")]] FortranInteger ilaenv_(const std::int32_t* ispec, const char* name, const char* opts, const std::int32_t* n1,
                                                      const std::int32_t* n2, const std::int32_t* n3, const std::int32_t* n4,
                                                      std::size_t name_length, std::size_t opts_length) {
  using namespace flopcast::preload;
  static const auto real = reinterpret_cast<Ilaenv>(find_next("ilaenv_", __builtin_return_address(0)));
  const auto forward = [&](FortranInteger which) { return real(&which, name, opts, n1, n2, n3, n4, name_length, opts_length); };
  RecordState& s = state();
  if (!s.active.load(std::memory_order_acquire) || *ispec < 1 || *ispec > 3 || depth > 0 ||
      !is_own_query(fortran_text(name, name_length, max_name))) {
    return forward(*ispec);
  }
  const flopcast::algorithm::BlockParameters answers =
      s.options.blocks ? *s.options.blocks : flopcast::algorithm::BlockParameters{forward(1), forward(2), forward(3)};
  const std::lock_guard lock(s.mutex);
  if (*ispec == 1 && s.recording.queries++ == 0) {
    keep_query(fortran_text(opts, opts_length, s.recording.options.size() - 1), *n1, *n2);
  }
  s.recording.answers = answers;
  return *ispec == 1 ? answers.nb : *ispec == 2 ? answers.nbmin : answers.nx;
}

/// LAPACK's error handler, which ends the process by default. During a recording the caller gets the error through info instead.
[[gnu::visibility("default")]] void xerbla_(const char* name, const std::int32_t* info, std::size_t name_length) {
  using namespace flopcast::preload;
  if (state().active.load(std::memory_order_acquire)) {
    return;
  }
  using Xerbla = void (*)(const char*, const std::int32_t*, std::size_t);
  reinterpret_cast<Xerbla>(find_next("xerbla_", __builtin_return_address(0)))(name, info, name_length);
}
}
