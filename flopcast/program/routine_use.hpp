#pragma once

#include <cstdint>
#include <string>

namespace flopcast::program {

/// Returns "dpotrf:L" for a routine with flags, "dgeqrf" for one without.
inline std::string routine_label(const std::string& routine, const std::string& flags) {
  return flags.empty() ? routine : routine + ":" + flags;
}

/// Use that a program made of one entry of the profile.
struct RoutineUse {
  std::string routine, flags;
  std::uint64_t queries = 0;               ///< ilaenv queries for the block size
  std::int64_t smallest = 0, largest = 0;  ///< orders of the smallest and largest problem queried
  std::int64_t returned = 0;               ///< largest block size returned
  std::uint64_t short_workspaces = 0;      ///< times that the program's workspace was too short for it
  std::int64_t allowed = 0;                ///< least block size that such a workspace allowed; 0: not known
  std::uint64_t other_queries = 0;         ///< queries with options for which the profile has nothing
  std::string other_options;               ///< options of the first such query
  std::string lapack;                      ///< library that made the queries or else defines the routine; empty: none was seen
  std::string what_happened = {};          ///< a clause; empty unless it was asked for
  friend bool operator==(const RoutineUse&, const RoutineUse&) = default;
};

}  // namespace flopcast::program
