#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "flopcast/preload/common/cblas_flags.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/preload/trace/nan_results.hpp"
#include "flopcast/protocol/trace_format.hpp"

/// Shared by the stubs of libflopcast-trace.so: the place of a thread's records, and the handling of one call.
namespace flopcast::preload {

/// A routine that is intercepted.
struct Intercepted {
  const char* symbol;
  /// Layout of its record; empty: known by name only. Described routines have two entries, one for each width of integers.
  const char* layout;
  const ExaminedResult* results;  ///< results that are examined for NaN
  std::size_t result_count;
};

/// All intercepted routines in the order of their numbers, written by the generator.
extern const Intercepted intercepted[];
extern const std::uint32_t intercepted_count;
/// The routine behind a stub.
struct Definition {
  void* address;
  bool wide;             ///< its integers have 64 bits
  std::uint8_t library;  ///< number of its library; 0: not known
};

/// A Definition in one word; 0: not known. Programs' addresses have 57 bits; above them are the library's number and the width.
inline constexpr std::uint64_t wide_bit = std::uint64_t{1} << 63U;
inline constexpr unsigned library_place = 57;
inline constexpr std::uint64_t address_bits = (std::uint64_t{1} << library_place) - 1;
inline std::uint64_t packed(const Definition& definition) noexcept {
  return reinterpret_cast<std::uintptr_t>(definition.address) | static_cast<std::uint64_t>(definition.library) << library_place |
         (definition.wide ? wide_bit : 0);
}
inline Definition unpacked(std::uint64_t word) noexcept {
  return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(word & address_bits)), (word & wide_bit) != 0,
          static_cast<std::uint8_t>(word >> library_place & protocol::max_numbered_libraries)};
}

/// Packed definitions of the libraries' routines by number, once found; 0 for those that depend on the caller.
extern std::atomic<std::uint64_t> definitions[];

/// State of one thread.
struct TracedThread {
  std::byte* at = nullptr;                ///< place of the next record
  std::byte* end = nullptr;               ///< end of the live chunk
  protocol::ChunkHeader* live = nullptr;  ///< nullptr: none yet
  const void* frame = nullptr;            ///< frame of the stub of the outermost call in execution; nullptr: no call
  const void* returns_to = nullptr;       ///< return address of that stub
  std::uint32_t generation = 0;           ///< generation of the process that `live` belongs to
};
// The library is loaded at program start, so that its thread-local memory is found without a call.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local TracedThread thread;

/// Tells whether the process was seen before; it lies in memory that fork empties.
struct Presence {
  std::atomic<std::uint32_t> here;
};
extern Presence* presence;

/// Settings of the recording, made before the program begins.
struct Settings {
  bool counter = false;  ///< the clock is the CPU's counter
  bool dry_run = false;
  std::uint64_t origin = 0;  ///< ticks at the recording's start
};
extern Settings settings;

struct UnnamedCall;

/// Positions of the possible arguments of a routine of which only the name is known.
struct UnnamedWords {
  void* first[6];
  const void* frame;  ///< frame of the stub, above which the other words lie
};

/// The following functions read the CPU's floating-point exceptions of the calling thread as bits of CallNote: the lowest two of MXCSR are
/// invalid_operation and denormal_operand. Clearing them costs some nanoseconds, and is only needed where the program's own code has set
/// them.
#if defined(__x86_64__)
inline constexpr unsigned noticed_bits = protocol::invalid_operation | protocol::denormal_operand;
/// Clears the exceptions and returns them.
inline unsigned take_noticed() noexcept {
  const unsigned state = __builtin_ia32_stmxcsr();
  if ((state & noticed_bits) != 0) [[unlikely]] {
    __builtin_ia32_ldmxcsr(state & ~noticed_bits);
  }
  return state & noticed_bits;
}
/// Returns the exceptions since then, and sets those in `before` again, because the program may read them.
inline std::uint8_t noticed_since(unsigned before) noexcept {
  const unsigned state = __builtin_ia32_stmxcsr();
  if (before != 0) [[unlikely]] {
    __builtin_ia32_ldmxcsr(state | before);
  }
  return static_cast<std::uint8_t>(state & noticed_bits);
}
#else
inline unsigned take_noticed() noexcept { return 0; }
inline std::uint8_t noticed_since(unsigned) noexcept { return 0; }
#endif

/// Slow paths, none of which throws or changes errno.
/// Examines a call that took long enough for that, and returns notes about it.
std::uint8_t examine(std::uint32_t routine, const std::byte* arguments, std::uint64_t start, std::uint64_t duration) noexcept;
bool make_room(std::size_t bytes) noexcept;
Definition find_definition(std::uint32_t routine, const void* caller) noexcept;
Definition definition_behind(Redirected& trampoline) noexcept;
protocol::Treatment decide(std::uint32_t routine, const std::byte* arguments, double (&value)[2]) noexcept;
protocol::Treatment decide_unnamed(const UnnamedWords& words, const UnnamedCall& call) noexcept;

/// Returns the routine behind the stub, whose first action this call must be. Ends the process, as the dynamic linker does, if there is
/// none.
inline Definition definition(std::uint32_t routine, const void* caller) noexcept {
  if (Redirected* trampoline = entered(); trampoline != nullptr) [[unlikely]] {
    return definition_behind(*trampoline);
  }
  const Definition found = unpacked(definitions[routine].load(std::memory_order_relaxed));
  return found.address != nullptr ? found : find_definition(routine, caller);
}

/// One call, in the stub whose frame is given. Only a thread's outermost call is recorded.
class RecordedCall {
 public:
  /// `library` is the number of the library that is called, and `bytes` the size of the record. `query` marks a call that only queries its
  /// workspace size.
  [[gnu::always_inline]] RecordedCall(std::uint32_t routine, std::uint8_t library, std::size_t bytes, const void* frame, const void* caller,
                                      bool query = false) noexcept
      : routine_(routine), library_(library), bytes_(bytes), query_(query) {
    TracedThread& own = thread;
    if (is_nested(own, frame)) {
      return;
    }
    own.frame = frame;
    own.returns_to = caller;
    outermost_ = true;
    const bool room = presence->here.load(std::memory_order_relaxed) == 1 && static_cast<std::size_t>(own.end - own.at) >= bytes;
    if (room || make_room(bytes)) {
      record_ = own.at;
    }
  }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;
  ~RecordedCall() = default;

  /// True if arguments are to be written.
  explicit operator bool() const noexcept { return record_ != nullptr; }
  [[nodiscard]] std::byte* arguments() const noexcept { return record_ + sizeof(protocol::RecordHeader); }

  /// Starts the clock; call it after the arguments are written. Returns false if the call is to be skipped; `info`, where the routine has
  /// one, then reports success.
  [[gnu::always_inline]] bool start(void* info, bool wide) noexcept {
    if (settings.dry_run && !query_) [[unlikely]] {
      start_ = protocol::trace_ticks(settings.counter);  // the time of the decision isn't the program's
      treatment_ = decide(routine_, arguments(), value_);
      if (treatment_ == protocol::Treatment::skipped || treatment_ == protocol::Treatment::skipped_blindly) {
        if (info != nullptr) {
          __builtin_memset(info, 0, wide ? sizeof(std::int64_t) : sizeof(std::int32_t));
        }
        keep(start_, protocol::trace_ticks(settings.counter) - start_);
        return false;
      }
    }
    noticed_before_ = take_noticed();
    if (!settings.dry_run) [[likely]] {
      start_ = protocol::trace_ticks(settings.counter);
    }
    return true;
  }
  /// Starts the clock for a routine of which only the name is known; such calls are always executed.
  void start_unnamed(const UnnamedWords& words, const UnnamedCall& call) noexcept {
    start_ = protocol::trace_ticks(settings.counter);
    if (settings.dry_run) [[unlikely]] {
      treatment_ = decide_unnamed(words, call);
    }
    noticed_before_ = take_noticed();
  }

  /// Stops the clock and keeps the record.
  [[gnu::always_inline]] void finish() noexcept {
    if (!outermost_) {
      return;
    }
    if (record_ != nullptr) {
      const std::uint64_t duration = protocol::trace_ticks(settings.counter) - start_;
      std::uint8_t notes = noticed_since(noticed_before_);
      if (duration >= examined_from) [[unlikely]] {
        notes |= examine(routine_, arguments(), start_, duration);
      }
      keep(start_, duration, notes);
      return;
    }
    thread.frame = nullptr;
  }

  static constexpr std::uint64_t examined_from = 20000;  ///< ticks; shorter calls aren't examined

  /// Returns a skipped function's result.
  [[nodiscard]] double value(int part = 0) const noexcept { return value_[part]; }

 private:
  /// Returns whether an outer call is in execution. A call that was left by longjmp or an exception, as error handlers do, doesn't count:
  /// its frame is gone or was overwritten.
  [[gnu::always_inline]] static bool is_nested(const TracedThread& own, const void* frame) noexcept {
    return own.frame != nullptr && frame < own.frame && static_cast<const void* const*>(own.frame)[1] == own.returns_to;
  }

  [[gnu::always_inline]] void keep(std::uint64_t start, std::uint64_t duration, std::uint8_t notes = 0) noexcept {
    TracedThread& own = thread;
    const auto all_notes =
        static_cast<std::uint8_t>(notes | (query_ ? protocol::size_query : 0) | static_cast<unsigned>(library_) << protocol::library_shift);
    const protocol::RecordHeader header = protocol::record_header(start - settings.origin, duration, routine_, treatment_, all_notes);
    __builtin_memcpy(record_, &header, sizeof header);
    own.at = record_ + bytes_;
    // The byte count covers only complete records, whenever the process is killed.
    own.live->bytes.store(static_cast<std::uint64_t>(own.at - reinterpret_cast<std::byte*>(own.live + 1)), std::memory_order_release);
    own.frame = nullptr;
  }

  std::uint32_t routine_;
  std::uint8_t library_;
  std::size_t bytes_;
  std::byte* record_ = nullptr;
  bool outermost_ = false;
  bool query_ = false;
  unsigned noticed_before_ = 0;
  protocol::Treatment treatment_ = protocol::Treatment::executed;
  std::uint64_t start_ = 0;
  double value_[2] = {0, 0};
};

/// Writes arguments in sequence, in the layout for one width of integers. Pointers that a program leaves null, because the routine doesn't
/// need them, are written as zeros.
class RecordedArguments {
 public:
  RecordedArguments(std::byte* at, bool wide) noexcept : at_(at), wide_(wide) {}

  void flag(const void* letter) noexcept { put(letter != nullptr ? *static_cast<const char*>(letter) : ' '); }
  void integer(const void* value) noexcept { wide_ ? copy<std::int64_t>(value) : copy<std::int32_t>(value); }
  void s(const void* value) noexcept { copy<float>(value); }
  void d(const void* value) noexcept { copy<double>(value); }
  void c(const void* value) noexcept { copy<std::uint64_t>(value); }
  void z(const void* value) noexcept { copy<Pair>(value); }
  void address(const void* pointer) noexcept { put(pointer); }

  void flag_value(char letter) noexcept { put(letter); }
  void integer_value(std::int64_t value) noexcept { wide_ ? put(value) : put(static_cast<std::int32_t>(value)); }
  void s_value(float value) noexcept { put(value); }
  void d_value(double value) noexcept { put(value); }

 private:
  struct Pair {
    double re, im;
  };
  template <class T>
  void put(const T& value) noexcept {
    __builtin_memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <class T>
  void copy(const void* value) noexcept {
    T copied{};
    if (value != nullptr) {
      __builtin_memcpy(&copied, value, sizeof copied);
    }
    put(copied);
  }

  std::byte* at_;
  bool wide_;
};

/// Returns whether a work size of either integer width is -1.
inline bool is_query(const void* work_size) noexcept { return work_size != nullptr && *static_cast<const std::int32_t*>(work_size) == -1; }

/// Handles a call of a routine of which only the name is known. The functions are out of line, because there are some two thousand such
/// routines.
struct UnnamedCall {
  static constexpr std::size_t stack_words = 34;
  alignas(RecordedCall) std::byte recording[sizeof(RecordedCall)];
  void* stack[stack_words];  ///< words that lie above the stub's frame on x86-64, its possible arguments; zeros beyond the end of the stack
};
/// Returns the routine behind the stub.
void* begin(UnnamedCall& call, std::uint32_t routine, const UnnamedWords& words, const void* caller) noexcept;
void finish(UnnamedCall& call) noexcept;

/// Returns a skipped function's result in the interface's type.
template <class Result>
Result skipped_result(const RecordedCall& recording) noexcept {
  if constexpr (__is_same(Result, _Complex float) || __is_same(Result, _Complex double)) {
    Result result;
    __real__ result = static_cast<decltype(__real__ result + 0)>(recording.value(0));
    __imag__ result = static_cast<decltype(__imag__ result + 0)>(recording.value(1));
    return result;
  } else {
    return static_cast<Result>(recording.value(0));
  }
}

}  // namespace flopcast::preload
