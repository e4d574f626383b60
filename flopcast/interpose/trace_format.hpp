#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "flopcast/core/division.hpp"

/// The file into which the preloaded library of `flopcast record` writes, while several processes and threads do so at once. Numbers are
/// little endian.
///
///     0           FileHeader, mapped by every process
///     4096        a JSON document: schema, command, folder, machine
///     ...         chunks, each at a multiple of 4096: ChunkHeader and contents; who needs one adds its size to FileHeader::end
///
/// Every thread owns one live chunk, which it has mapped and writes its records into: what is there stays when the process is killed. A
/// full one is copied behind the end of the file as a sealed chunk, then used again; so a thread needs no more than live_bytes of memory. A
/// record is a RecordHeader and the arguments of the call as the dictionary says: per routine a line "name layout", where the layout has a
/// letter per argument (record_layout.hpp). A routine has one for either width of integers. Routines without layout are known by name only.
namespace flopcast::interpose {

inline constexpr char trace_magic[8] = {'f', 'l', 'o', 'p', 't', 'r', 'c', '\n'};
inline constexpr std::uint32_t trace_version = 2;
inline constexpr std::uint32_t oldest_trace_version = 1;  ///< 4-byte integers only, no notes, states, size queries and unseen libraries
inline constexpr std::uint32_t chunk_magic = 0x4b4e4843;  // "CHNK"
inline constexpr std::size_t trace_page = 4096;           ///< chunks and the document begin at multiples of it
inline constexpr std::size_t live_bytes = std::size_t{64} * 1024;  ///< of a live chunk, with its header

/// Names of the environment variables between `flopcast record` and the preloaded library.
inline constexpr const char* trace_variable = "FLOPCAST_TRACE";  ///< absolute path of the file
inline constexpr const char* dry_run_variable =
    "FLOPCAST_DRY_RUN";  ///< path of the library that decides what is skipped; unset: nothing is

/// Begin of the file.
struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t document_bytes;           ///< of the JSON document
  std::atomic<std::uint64_t> end;         ///< the next chunk begins here
  std::atomic<std::uint64_t> dropped;     ///< calls that found no room
  std::atomic<std::uint32_t> processes;   ///< that the library was loaded into
  std::atomic<std::uint32_t> threads;     ///< that made calls; a thread's number is the count before it
  std::atomic<std::uint32_t> dictionary;  ///< 1: a chunk with the dictionary is there
  std::atomic<std::uint32_t> complaints;  ///< failures that were told on standard error
  std::uint64_t origin;                   ///< ticks at the start
  double ticks_per_second;                ///< known to about 1e-5 at the start, better once finished
  std::int64_t started;                   ///< seconds since 1970
  std::uint32_t counter;                  ///< 1: ticks are the CPU's time stamp counter, 0: nanoseconds of CLOCK_MONOTONIC
  std::uint32_t finished;                 ///< 1: the program has ended, and what follows is valid
  std::uint64_t ended;                    ///< ticks
  std::int32_t exit_code;                 ///< the program's own, or 128 plus the signal that ended it
  std::uint32_t reserved;
};
static_assert(sizeof(FileHeader) <= trace_page && std::atomic<std::uint64_t>::is_always_lock_free);

enum class ChunkKind : std::uint32_t {
  live = 1,    ///< records of a thread, being written
  sealed,      ///< records that were in a live chunk
  dictionary,  ///< a line per routine
  library,     ///< path of a file that defines called routines
  process,     ///< command line of a process that made calls, words separated by zeros
  unseen,      ///< path of a file that defines routines and was loaded into a process that made no calls which were seen
  state        ///< a library when it was called first: its path and a line for each of "threads N" and "kernels NAME" that it tells
};

struct ChunkHeader {
  std::uint32_t magic;
  ChunkKind kind;
  std::uint32_t thread;    ///< number of the thread within the recording
  std::uint32_t pid, tid;  ///< as the system calls them
  std::uint32_t reserved;
  std::uint64_t live;                ///< where the live chunk is that these records were in
  std::uint64_t sequence;            ///< how many times that one was sealed before
  std::atomic<std::uint64_t> bytes;  ///< of what follows
  std::uint64_t checksum;            ///< of what follows; of a live chunk once the recording has finished
  std::uint64_t checked;             ///< of a live chunk: how many bytes the checksum is of, 0 as long as there is none
};
static_assert(sizeof(ChunkHeader) == 64);

/// What became of a call.
enum class Treatment : std::uint8_t {
  executed,
  skipped,           ///< dry run: not executed
  executed_blindly,  ///< dry run: executed, though it may have read what skipped calls have not computed
  skipped_blindly    ///< dry run: its result may steer the program, but it would have read what skipped calls have not computed
};

/// What was noticed of a call, as bits of a record's notes.
enum CallNote : std::uint8_t {
  invalid_operation = 1,  ///< a result was undefined, as a comparison with NaN or Inf - Inf is (MXCSR's IE)
  denormal_operand = 2,   ///< a number below the smallest normal one was computed with (MXCSR's DE)
  size_query = 4          ///< it only asked how much workspace would be best
};

/// Begin of a record.
struct RecordHeader {
  std::uint64_t start;   ///< notes << 56 | ticks since FileHeader::origin
  std::uint64_t packed;  ///< routine << 48 | treatment << 46 | duration in ticks
};
inline constexpr unsigned routine_shift = 48, treatment_shift = 46, notes_shift = 56;
inline constexpr std::uint64_t longest_duration = (std::uint64_t{1} << treatment_shift) - 1;
inline constexpr std::uint64_t latest_start = (std::uint64_t{1} << notes_shift) - 1;  ///< in ticks: after 166 days at 5 GHz

inline RecordHeader record_header(std::uint64_t start, std::uint64_t duration, std::uint32_t routine, Treatment treatment,
                                  std::uint8_t notes = 0) noexcept {
  return {(start & latest_start) | static_cast<std::uint64_t>(notes) << notes_shift,
          (duration < longest_duration ? duration : longest_duration) | static_cast<std::uint64_t>(treatment) << treatment_shift |
              static_cast<std::uint64_t>(routine) << routine_shift};
}

inline constexpr std::size_t round_to_page(std::size_t bytes) noexcept { return round_up(bytes, trace_page); }

/// Bytes that a layout letter stands for: f flag, i and l integer, s d c z scalar of that precision, a address, - nothing (info); 0 for others.
inline constexpr std::size_t layout_bytes(char letter) noexcept {
  switch (letter) {
    case 'f': return 1;
    case 'i':
    case 's': return 4;
    case 'l':
    case 'd':
    case 'c':
    case 'a': return 8;
    case 'z': return 16;
    default: return 0;
  }
}

/// Tells damaged chunks: four sums of every fourth word, so that they don't wait for each other; an incomplete block at the end is filled
/// with zeros.
inline std::uint64_t chunk_checksum(const std::byte* data, std::size_t bytes) noexcept {
  constexpr std::size_t lanes = 4;
  std::uint64_t sums[lanes] = {1, 2, 3, 4};
  const auto mix = [&sums](const std::byte* block) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, block + lane * sizeof word, sizeof word);
      sums[lane] = (sums[lane] << 5U | sums[lane] >> 59U) + word;
    }
  };
  std::size_t at = 0;
  for (; at + sizeof sums <= bytes; at += sizeof sums) {
    mix(data + at);
  }
  std::byte rest[sizeof sums]{};
  __builtin_memcpy(rest, data + at, bytes - at);
  mix(rest);
  std::uint64_t all = bytes;
  for (const std::uint64_t sum : sums) {
    all = (all ^ sum) * 0x9e3779b97f4a7c15U;
  }
  return all;
}

/// Whether the CPU's counter can be read; whether it can be trusted is the writer of the header's affair.
#if defined(__x86_64__)
inline constexpr bool has_counter = true;
#else
inline constexpr bool has_counter = false;
#endif

/// A reading of the recording's clock.
inline std::uint64_t trace_ticks(bool counter) noexcept {
#if defined(__x86_64__)
  if (counter) {
    return __rdtsc();
  }
#endif
  (void)counter;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace flopcast::interpose
