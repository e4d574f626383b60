#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flopcast/support/fnv_hash.hpp"

/// Expected times of routines with each number of threads, in the form that the preloaded library needs: read from one line of text without
/// allocating memory, and looked up in tens of nanoseconds. This file uses neither exceptions nor the C++ run-time library.
namespace flopcast::protocol {

/// Environment variable that `flopcast run --threads auto` sets for the preloaded library: the text of a ThreadTable.
inline constexpr const char* threads_variable = "FLOPCAST_THREAD_TABLE";

inline constexpr std::size_t max_thread_counts = 12;
inline constexpr std::size_t max_thread_sizes = 3;
inline constexpr std::size_t max_threaded_routines = 64;
inline constexpr std::size_t max_other_libraries = 8;
inline constexpr std::size_t max_other_choices = 63;  ///< step_letters numbers them

/// Times lie at sizes 2^smallest_exponent, twice as much, and so on. Between them the times' logarithms are linear in those of the sizes. Beyond the
/// least and the largest size those of that size hold.
inline constexpr int smallest_exponent = 3;

/// A time is a number of steps of 1/48 octave above the least time at the same sizes, as one letter.
inline constexpr int steps_per_octave = 48;
inline constexpr std::string_view step_letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/// Times of one routine with one set of flags.
struct RoutineThreads {
  std::string_view name;    ///< "dgemm"
  std::uint32_t flags = 0;  ///< packed letters of the distinguished flags
  std::uint8_t dimensions = 0;
  std::uint8_t nodes[max_thread_sizes]{};  ///< number of sizes in each dimension
  const char* steps = nullptr;             ///< steps for each count, in each node; the last dimension and then the counts change fastest
  /// For each node the steps of the best other choice, and its place in ThreadTable::others; nullptr if another library is never better.
  const char* others = nullptr;
  const RoutineThreads* next = nullptr;  ///< another entry of this routine, or nullptr; for the user of the table
};

/// A library other than the program's own, with a number of threads.
struct OtherChoice {
  std::size_t library = 0;  ///< index into ThreadTable::libraries
  std::int32_t threads = 0;
};

struct ThreadTable {
  static constexpr std::size_t max_entries = 512;
  std::size_t counts = 0;
  std::int32_t threads[max_thread_counts]{};  ///< ascending
  std::int32_t folders[2]{};                  ///< folder_number() of the folders of BLAS and LAPACK
  std::size_t library_count = 0;
  std::string_view libraries[max_other_libraries];  ///< files of other libraries
  std::size_t other_count = 0;
  OtherChoice others[max_other_choices];
  std::size_t count = 0;
  RoutineThreads routines[max_entries];
};

/// Returns the flag's letters as a number, the first one in the lowest byte.
constexpr std::uint32_t packed_flags(std::string_view letters) noexcept {
  std::uint32_t packed = 0;
  for (std::size_t i = 0; i < letters.size() && i < sizeof packed; ++i) {
    packed |= static_cast<std::uint32_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
  }
  return packed;
}

/// Returns the number that stands for a folder in the table: the 64-bit FNV-1a hash of its path, shortened.
constexpr std::int32_t folder_number(std::string_view path) noexcept {
  constexpr std::uint64_t limit = 1000000000;
  return static_cast<std::int32_t>(fnv_hash_64(path) % limit);
}

/// Reads `COUNT,COUNT...;FOLDER,FOLDER[,FILE,COUNT...]...;NAME,FLAGS,NODES,STEPS[,OTHERS];...` and decodes the letters in place. The table
/// points into the text. A FILE begins with a slash, and its COUNTs are numbers of threads of that library. NODES has a letter of
/// step_letters for each dimension, and OTHERS two letters for each node. Returns false and leaves the table empty if the text has another
/// form.
bool parse(char* text, ThreadTable& table) noexcept;

/// The table's choice for a call.
struct CallChoice {
  std::int32_t threads = 0;            ///< threads of the program's own library
  const OtherChoice* other = nullptr;  ///< library that takes less time than the own one with these threads; nullptr if none does
};

/// Returns the number of threads, `max_threads` at most, with the least time at these sizes; the least number among equals. It is the
/// table's least number if all are above `max_threads`. The other choice is the one at the node nearest to the sizes, if it has
/// `max_threads` at most.
CallChoice best_choice(const ThreadTable& table, const RoutineThreads& routine, const std::int32_t* sizes,
                       std::int32_t max_threads) noexcept;

}  // namespace flopcast::protocol
