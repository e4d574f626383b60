#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::program {

/// The decision for one problem size.
struct TunedPoint {
  std::int64_t m = 0, n = 0;  ///< sizes that the routine passes to ilaenv; routines with one size have m = n
  algorithm::BlockParameters blocks;
  std::vector<std::int64_t> ties;  ///< other block sizes that are as good within noise
  double regret = 0;               ///< greatest possible loss, as a fraction of the best time
  bool undecided = false;          ///< the measurements don't show which blocks are best: `blocks` are LAPACK's own
  std::size_t considered = 0;      ///< number of block sizes that were predicted; 0: not known
  std::size_t samples = 0;         ///< measured calls that the predictions rest on; 0: not known
  friend bool operator==(const TunedPoint&, const TunedPoint&) = default;
};

/// Returns whether `newer` rests on less than `older`: it is undecided and `older` isn't, or it considered fewer block sizes, or it rests on
/// less than half the samples. A point whose numbers aren't known rests on no more than any other.
bool rests_on_less(const TunedPoint& newer, const TunedPoint& older);

/// An entry that stayed, because the new one for its size rests on less.
struct KeptPoint {
  std::string routine;  ///< "dpotrf:L"
  TunedPoint kept, refused;
};

/// Decisions for one routine, sorted by (m, n).
struct TunedRoutine {
  std::string name;   ///< "dgeqrf"
  std::string flags;  ///< ilaenv's options ("L") for which the decisions hold; empty: all
  std::vector<TunedPoint> points;
  friend bool operator==(const TunedRoutine&, const TunedRoutine&) = default;
};

/// The result of tuning, as programs run with it. It holds for one pair of libraries with one number of threads; `others` holds tuning files
/// for other libraries and numbers of threads on the same machine.
struct SavedTuning {
  Environment environment;                      ///< where it was tuned, and for which libraries
  std::map<std::string, std::string> settings;  ///< environment variables that were in force, such as OPENBLAS_CORETYPE
  std::vector<TunedRoutine> routines;
  std::vector<SavedTuning> others = {};  ///< for other libraries and numbers of threads; their own `others` are empty
  friend bool operator==(const SavedTuning&, const SavedTuning&) = default;

  /// Adds the decisions, or replaces those for the same routine and flags.
  void set(TunedRoutine routine);

  /// Returns whether there are decisions for the same routine and flags.
  [[nodiscard]] bool has(const TunedRoutine& routine) const;

  /// Adds newer decisions to those for the same routine and flags. Among points within 5 % of each other in m and n, the newer one stays,
  /// unless it rests on less than the older one. All older points that aren't near a newer one go if the preloaded library has no room for
  /// old and new ones together. Returns the older points that stayed in place of newer ones.
  std::vector<KeptPoint> merge(TunedRoutine routine);
};

/// Returns the tuning file itself without the others, then the others.
std::vector<SavedTuning> places(SavedTuning tuning);
/// Inverse of places(). The first element becomes the tuning file itself.
SavedTuning joined(std::vector<SavedTuning> places);

/// Returns whether both have the same library files and the same number of threads.
bool same_place(const Environment& a, const Environment& b);

/// Returns the tuning file as libflopcast-tuned.so reads it from its environment (block_table.hpp). The environment passes it to the processes
/// that the program starts, and leaves nothing behind when they end. Throws bad_input if the library has no room for all of it.
std::string block_table_text(const SavedTuning& tuning);

/// Language of an exported source.
enum class SourceLanguage : std::uint8_t { fortran, c };

/// A source that defines LAPACK's ilaenv.
struct IlaenvSource {
  std::string text;
  std::vector<std::string> routines;  ///< routines with tuned values, in the order of the tuning file, such as "dgetrf" or "dpotrf:L"
  std::vector<std::string> left_out;  ///< routines that ilaenv can't distinguish from another one, because they pass its name ("dgeqp3")
  friend bool operator==(const IlaenvSource&, const IlaenvSource&) = default;
};

/// Returns "dpotrf:L" for a routine with flags, "dgeqrf" for one without.
inline std::string routine_label(const std::string& routine, const std::string& flags) {
  return flags.empty() ? routine : routine + ":" + flags;
}

/// Use that a program made of one entry of the tuning file.
struct RoutineUse {
  std::string routine, flags;
  std::uint64_t queries = 0;               ///< ilaenv queries for the block size
  std::int64_t smallest = 0, largest = 0;  ///< orders of the smallest and largest problem queried
  std::int64_t returned = 0;               ///< largest block size returned
  std::uint64_t short_workspaces = 0;      ///< times that the program's workspace was too short for it
  std::int64_t allowed = 0;                ///< least block size that such a workspace allowed; 0: not known
  std::uint64_t other_queries = 0;         ///< queries with options for which the tuning file has nothing
  std::string other_options;               ///< options of the first such query
  std::string lapack;                      ///< library that made the queries or else defines the routine; empty: none was seen
  std::string what_happened = {};          ///< a clause; empty unless it was asked for
  friend bool operator==(const RoutineUse&, const RoutineUse&) = default;
};

/// Queries of one routine for the block size of one problem size, and their answer.
struct SizeUse {
  std::string routine, options;        ///< "dpotrf", ilaenv's options "L"
  std::int64_t m = 0, n = 0;           ///< sizes of the problem
  std::uint64_t queries = 0;           ///< ilaenv queries for the block size
  std::int64_t answered = 0;           ///< block size that was returned last
  std::string reason;                  ///< "tuned", or why LAPACK's own block size was returned
  std::uint64_t short_workspaces = 0;  ///< times that the program's workspace was too short for it
  friend bool operator==(const SizeUse&, const SizeUse&) = default;
};

/// Calls of one routine that one library computed with the same number of threads.
struct ThreadUse {
  std::string routine;       ///< "dgemm"
  std::int32_t threads = 0;  ///< 0: as many as the program had set
  std::uint64_t calls = 0;
  std::string library = {};  ///< file of another library; empty: the program's own
  friend bool operator==(const ThreadUse&, const ThreadUse&) = default;
};

/// SizeUse::reason of answers with LAPACK's own block size for a routine that the tuning file lacks.
inline constexpr const char* lacking_reason = "default: the tuning file lacks the routine";

}  // namespace flopcast::program
