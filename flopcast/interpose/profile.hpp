#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::interpose {

/// What was decided for one problem size.
struct TunedPoint {
  std::int64_t m = 0, n = 0;  ///< as the routine passes them to ilaenv; routines with one size have m = n
  algorithm::BlockParameters blocks;
  std::vector<std::int64_t> ties;  ///< other block sizes that are as good within noise
  double regret = 0;               ///< what is lost at worst, as a fraction of the best time
  bool undecided = false;          ///< it wasn't known well enough what is best: `blocks` are LAPACK's own
  friend bool operator==(const TunedPoint&, const TunedPoint&) = default;
};

/// Decisions for one routine, sorted by (m, n).
struct TunedRoutine {
  std::string name;   ///< "dgeqrf"
  std::string flags;  ///< ilaenv's options ("L") that the decisions are for; empty: all
  std::vector<TunedPoint> points;
  friend bool operator==(const TunedRoutine&, const TunedRoutine&) = default;
};

/// The result of tuning, as programs run with it: what holds for one pair of libraries with one number of threads, and beside it what holds
/// for others on the same machine.
struct Profile {
  Environment environment;                      ///< where it was tuned, and for which libraries
  std::map<std::string, std::string> settings;  ///< environment variables that were in force, such as OPENBLAS_CORETYPE
  std::vector<TunedRoutine> routines;
  std::vector<Profile> others = {};  ///< of other libraries and numbers of threads; they have no others themselves
  friend bool operator==(const Profile&, const Profile&) = default;

  /// Replaces what is known about the same routine and flags, or adds it.
  void set(TunedRoutine routine);

  /// Adds newer decisions to what is known about the same routine and flags. Of points within 5 % of each other in m and n the newer one
  /// stays, unless only the older one is decided. All older ones go if all together were more than the preloaded library has room for.
  void merge(TunedRoutine routine);
};

/// The profile itself without the others, then these.
std::vector<Profile> places(Profile profile);
/// The inverse; the first one is the profile itself.
Profile joined(std::vector<Profile> places);

/// Whether both hold for the same library files and the same number of threads.
bool same_place(const Environment& a, const Environment& b);

/// The document {"schema": "flopcast-profile-1", "environment", "settings", "routines", "others"}, where the others are optional; from_json
/// throws bad_input naming what is wrong.
nlohmann::json to_json(const Profile& profile);
Profile profile_from_json(const nlohmann::json& json);

/// The profile as libflopcast-tuned.so reads it from its environment (block_table.hpp): it travels with the processes that the program
/// starts, and nothing is left behind when they end. Throws bad_input if it holds more than the library has room for.
std::string block_table_text(const Profile& profile);

}  // namespace flopcast::interpose
