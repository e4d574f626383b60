#pragma once

#include <cstddef>
#include <cstdint>

/// A profile as the preloaded library needs it: read from one line of text without allocating memory, looked up in nanoseconds. No
/// exceptions and nothing of the C++ run-time library in here.
namespace flopcast::interpose {

inline constexpr std::size_t most_tuned_routines = 256;  // all that `tune lapack` knows are about 120
inline constexpr std::size_t most_tuned_points = 128;

/// A LAPACK name in upper case, padded with blanks. LAPACK's longest, e.g. DSYTRD_2STAGE, have 13 letters.
struct RoutineName {
  static constexpr std::size_t length = 16;
  char letters[length];
};

/// Takes the letters up to a blank or any other character that no name has, in either case.
RoutineName routine_name(const char* text, std::size_t length) noexcept;
bool operator==(const RoutineName& a, const RoutineName& b) noexcept;

struct BlockPoint {
  double log_m = 0, log_n = 0;  ///< natural logarithms of the sizes
  std::int32_t nb = 0, nbmin = 0, nx = 0;
};

struct RoutineBlocks {
  RoutineName name;
  char flags[8];          ///< ilaenv's options that the points hold for, in upper case; empty: all
  double least_size = 0;  ///< logarithm of sqrt(m n) below which nothing is known: half the smallest point
  std::size_t count = 0;
  BlockPoint points[most_tuned_points];
};

struct BlockTable {
  static constexpr std::size_t chains = 256;
  std::size_t count = 0;
  RoutineBlocks routines[most_tuned_routines];
  /// 1 + the index of the first routine whose name has this hash, and of the next one; 0 at the end. LAPACK asks in every call, whatever
  /// its size.
  std::uint16_t first[chains], next[most_tuned_routines];
};

/// Reads `NAME,FLAGS,MxN:NB/NBMIN/NX,...;NAME,...`; false if it is no such text, the table is then empty.
bool parse(const char* text, BlockTable& table) noexcept;

/// Entry for a routine and ilaenv's options: one for just these options before one for all; nullptr if there is none.
const RoutineBlocks* find(const BlockTable& table, const RoutineName& name, const char* options, std::size_t options_length) noexcept;

/// Any entry for a routine, whatever its options; nullptr if there is none.
const RoutineBlocks* find_with_other_options(const BlockTable& table, const RoutineName& name) noexcept;

/// The point nearest to (m, n) in logarithms, so that of two neighbours each holds up to their geometric mean; n < 0 stands for m. nullptr
/// for sizes below half the smallest point, where the unblocked code of small matrices takes over; sizes beyond the largest take the
/// largest.
const BlockPoint* nearest(const RoutineBlocks& routine, std::int64_t m, std::int64_t n) noexcept;

}  // namespace flopcast::interpose
