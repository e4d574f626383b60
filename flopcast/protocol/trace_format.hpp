#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "flopcast/support/division.hpp"

/// The file into which the preloaded library of `flopcast record` writes from several processes and threads at once. Numbers are little
/// endian.
///
///     0           FileHeader, mapped by every process
///     4096        a JSON document: schema, command, folder, machine
///     ...         chunks, each at a multiple of 4096: ChunkHeader and contents; FileHeader::end is where the next begins
///
/// Every thread owns one live chunk, which is mapped, and writes its records into it; written records remain when the process is killed. A
/// full live chunk is copied to the end of the file as a sealed chunk and then used again, so that a thread needs only live_bytes of
/// memory. A record is a RecordHeader and the arguments of the call in the layout of the dictionary. The dictionary has a line "name
/// layout" per routine and width of integers, where the layout has a letter per argument (record_layout.hpp). Routines without layout are
/// known by name only.
namespace flopcast::protocol {

inline constexpr char trace_magic[8] = {'f', 'l', 'o', 'p', 't', 'r', 'c', '\n'};
inline constexpr std::uint32_t trace_version = 2;
inline constexpr std::uint32_t oldest_trace_version = 1;  ///< 4-byte integers only; no notes, states, size queries or unseen libraries
inline constexpr std::uint32_t chunk_magic = 0x4b4e4843;  // "CHNK"
inline constexpr std::size_t trace_page = 4096;           ///< chunks and the document begin at multiples of it
inline constexpr std::size_t live_bytes = std::size_t{64} * 1024;  ///< size of a live chunk with its header

inline constexpr double probe_seconds = 4e-3;  ///< user CPU time of a thread between two probes

/// Environment variables that `flopcast record` sets for the preloaded library.
inline constexpr const char* trace_variable = "FLOPCAST_TRACE";  ///< absolute path of the file
/// Path of the library that decides which calls are skipped; unset: no call is skipped.
inline constexpr const char* dry_run_variable = "FLOPCAST_DRY_RUN";

/// Begin of the file.
struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t document_bytes;                  ///< size of the JSON document
  std::atomic<std::uint64_t> end;                ///< the next chunk begins here
  std::atomic<std::uint64_t> dropped;            ///< calls that found no room
  std::atomic<std::uint32_t> processes;          ///< processes into which the library was loaded
  std::atomic<std::uint32_t> threads;            ///< threads that made calls; a thread's number is the count before it
  std::atomic<std::uint32_t> dictionary;         ///< 1: a chunk holds the dictionary
  std::atomic<std::uint32_t> reported_failures;  ///< failures that were reported on standard error
  std::uint64_t origin;                          ///< ticks at the start
  double ticks_per_second;                       ///< known to about 1e-5 at the start, better once finished
  std::int64_t started;                          ///< seconds since 1970
  std::uint32_t counter;                         ///< 1: ticks are the CPU's time stamp counter, 0: nanoseconds of CLOCK_MONOTONIC
  std::uint32_t finished;                        ///< 1: the program has ended, and the following members are valid
  std::uint64_t ended;                           ///< ticks
  std::int32_t exit_code;                        ///< the program's own, or 128 plus the signal that ended it
  std::uint32_t anonymous;                       ///< 1: files are written without folders, commands without arguments
  double cpu_seconds;                            ///< CPU time of the program and of the processes that it waited for; 0 in older recordings
  double other_cores;           ///< cores that other programs kept busy meanwhile, on average; 0 where the system doesn't tell
  std::uint32_t probed;         ///< 1: processes note where they compute outside of calls; 0 in older recordings
  std::int64_t resident_bytes;  ///< peak of resident memory of the largest of its processes; 0 where it isn't known
  /// Time that its threads were ready to run and waited for a core, without killed processes; 0 where it isn't known.
  std::atomic<std::uint64_t> waited_nanoseconds;
  std::atomic<std::uint32_t> cpus;  ///< most CPUs on which the threads of a process with calls could run; 0 where it isn't known
};
static_assert(sizeof(FileHeader) <= trace_page && std::atomic<std::uint64_t>::is_always_lock_free);

enum class ChunkKind : std::uint32_t {
  live = 1,    ///< records of a thread, being written
  sealed,      ///< records that were in a live chunk
  dictionary,  ///< a line per routine
  library,     ///< path of a file that defines called routines
  process,     ///< command line of a process that made calls, words separated by zeros
  unseen,      ///< path of a file that defines routines and was loaded into a process in which no call was seen
  /// A library's settings at its first call: its path, and the lines "threads N" and "kernels NAME" as far as it reports them.
  state,
  /// Places outside of BLAS and LAPACK where probes found a process, and its watched calls. A line has fields separated by tabs:
  /// - "time"; user CPU time of the thread in nanoseconds; number of all its probes, also of those within calls; not in older recordings
  /// - number of probes; line of Python, or file of machine code; hexadecimal address in the file; exported function; subscripts of the
  ///   contraction that NumPy's einsum computes. Fields that don't apply are empty.
  /// - "call", start in ticks as in a record, page faults, nanoseconds in the system.
  probes
};

struct ChunkHeader {
  std::uint32_t magic;
  ChunkKind kind;
  std::uint32_t thread;              ///< number of the thread within the recording
  std::uint32_t pid, tid;            ///< the system's numbers
  std::uint32_t library;             ///< library: its number in the records of the process, from 1; else 0
  std::uint64_t live;                ///< position of the live chunk that these records were in
  std::uint64_t sequence;            ///< how many times that live chunk was sealed before
  std::atomic<std::uint64_t> bytes;  ///< size of the contents
  std::uint64_t checksum;            ///< checksum of the contents; in a live chunk once the recording has finished
  std::uint64_t checked;             ///< live chunk: bytes that the checksum covers; 0: there is no checksum yet
};
static_assert(sizeof(ChunkHeader) == 64);

/// Treatment of a recorded call.
enum class Treatment : std::uint8_t {
  executed,
  skipped,           ///< dry run: not executed
  executed_blindly,  ///< dry run: executed, though it may have read data that skipped calls should have computed
  /// Dry run: skipped, though its result may steer the program, because it would have read data that skipped calls should have computed.
  skipped_blindly
};

/// Observations about a call, as bits of a record's notes.
enum CallNote : std::uint8_t {
  invalid_operation = 1,  ///< a result was undefined, as of Inf - Inf or a comparison with NaN (MXCSR's IE)
  denormal_operand = 2,   ///< an operand was below the smallest normal number (MXCSR's DE)
  size_query = 4,         ///< the call only queried the best workspace size
  nan_result = 8          ///< a result on the border of its matrix was NaN
};
/// Above them a record's notes hold the number of the library that was called, as ChunkHeader::library of its process has it; 0: not known.
inline constexpr unsigned library_shift = 4;
inline constexpr std::uint32_t max_numbered_libraries = 15;

/// Begin of a record.
struct RecordHeader {
  std::uint64_t start;   ///< notes << 56 | ticks since FileHeader::origin
  std::uint64_t packed;  ///< routine << 48 | treatment << 46 | duration in ticks, in dry runs with that of the decision to skip the call
};
inline constexpr unsigned routine_shift = 48, treatment_shift = 46, notes_shift = 56;
inline constexpr std::uint64_t longest_duration = (std::uint64_t{1} << treatment_shift) - 1;
inline constexpr std::uint64_t latest_start = (std::uint64_t{1} << notes_shift) - 1;  ///< ticks; reached after 166 days at 5 GHz

inline RecordHeader record_header(std::uint64_t start, std::uint64_t duration, std::uint32_t routine, Treatment treatment,
                                  std::uint8_t notes = 0) noexcept {
  return {(start & latest_start) | static_cast<std::uint64_t>(notes) << notes_shift,
          (duration < longest_duration ? duration : longest_duration) | static_cast<std::uint64_t>(treatment) << treatment_shift |
              static_cast<std::uint64_t>(routine) << routine_shift};
}

inline constexpr std::size_t round_to_page(std::size_t bytes) noexcept { return round_up(bytes, trace_page); }

/// Returns the bytes of a layout letter: f flag, i and l integer, s d c z scalar of that precision, a address, - nothing (info); 0 for
/// others.
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

/// Returns a checksum that reveals damaged chunks. Four independent sums each take every fourth word, so that their additions overlap. An
/// incomplete block at the end is filled with zeros.
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

/// True if the CPU's counter can be read. The writer of the header decides whether the counter can be trusted.
#if defined(__x86_64__)
inline constexpr bool has_counter = true;
#else
inline constexpr bool has_counter = false;
#endif

/// Returns a reading of the recording's clock.
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

}  // namespace flopcast::protocol
