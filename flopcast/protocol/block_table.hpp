#pragma once

#include <cstddef>
#include <cstdint>

/// A profile in the form that the preloaded library needs: read from one line of text without allocating memory, and looked up in
/// nanoseconds. This file uses neither exceptions nor the C++ run-time library.
namespace flopcast::protocol {

inline constexpr std::size_t max_tuned_routines = 256;  // `tune lapack` knows about 120
inline constexpr std::size_t max_tuned_points = 128;

/// A LAPACK name in upper case, padded with blanks. LAPACK's longest names, such as DSYTRD_2STAGE, have 13 letters.
struct RoutineName {
  static constexpr std::size_t length = 16;
  char letters[length];
};

/// Takes the letters, in either case, up to a blank or any other character that no LAPACK name contains.
RoutineName routine_name(const char* text, std::size_t length) noexcept;
bool operator==(const RoutineName& a, const RoutineName& b) noexcept;

struct BlockPoint {
  double log_m = 0, log_n = 0;  ///< natural logarithms of the sizes
  std::int32_t nb = 0, nbmin = 0, nx = 0;
};

struct RoutineBlocks {
  RoutineName name;
  char flags[8];        ///< ilaenv's options for which the points hold, in upper case; empty: all
  double min_size = 0;  ///< logarithm of the sqrt(m n) below which no point applies: half the smallest point
  std::size_t count = 0;
  BlockPoint points[max_tuned_points];
};

struct BlockTable {
  static constexpr std::size_t chains = 256;
  std::size_t count = 0;
  RoutineBlocks routines[max_tuned_routines];
  /// 1 + the index of the first routine whose name has this hash, and of the next one; 0 at the end. Lookups must be fast, because LAPACK
  /// queries ilaenv in every call, whatever its size.
  std::uint16_t first[chains], next[max_tuned_routines];
};

/// Reads `NAME,FLAGS,MxN:NB/NBMIN/NX,...;NAME,...`. Returns false and leaves the table empty if the text has another form.
bool parse(const char* text, BlockTable& table) noexcept;

/// Returns the entry for a routine and ilaenv's options. An entry for exactly these options goes before one for all options; nullptr if
/// there is neither.
const RoutineBlocks* find(const BlockTable& table, const RoutineName& name, const char* options, std::size_t options_length) noexcept;

/// Returns any entry for a routine, whatever its options; nullptr if there is none.
const RoutineBlocks* find_with_other_options(const BlockTable& table, const RoutineName& name) noexcept;

/// Returns the point nearest to (m, n) in logarithms, so that each of two neighbours holds up to their geometric mean; n < 0 stands for m.
/// Returns nullptr for sizes below half the smallest point, where unblocked code is used. Sizes beyond the largest point take the largest.
const BlockPoint* nearest(const RoutineBlocks& routine, std::int64_t m, std::int64_t n) noexcept;

}  // namespace flopcast::protocol
