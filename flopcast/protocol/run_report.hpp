#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "flopcast/protocol/block_table.hpp"
#include "flopcast/protocol/thread_table.hpp"

/// The report of the preloaded library to `flopcast run`: a file that both have mapped, so that no count is lost when the program is
/// killed.
namespace flopcast::protocol {

/// Environment variables that `flopcast run` sets for the preloaded library.
inline constexpr const char* blocks_variable = "FLOPCAST_BLOCKS";  ///< the table that parse() reads
inline constexpr const char* report_variable = "FLOPCAST_REPORT";  ///< path of the file that holds a RunReport
/// If set, every process prints the queries that it got on standard error when it ends.
inline constexpr const char* verbose_variable = "FLOPCAST_VERBOSE";

/// A path that is written once, by the first writer.
struct SharedPath {
  static constexpr std::size_t length = 512;
  std::atomic<std::uint32_t> taken;
  char text[length];  ///< ends with a zero
};

/// ilaenv's options, written once, by the first writer.
struct SharedOptions {
  static constexpr std::size_t length = 8;
  std::atomic<std::uint32_t> taken;
  char text[length];  ///< ends with a zero
};

/// Use of one entry of the table. All values start at zero.
struct RoutineReport {
  std::atomic<std::uint64_t> queries;            ///< block size queries
  std::atomic<std::uint32_t> smallest, largest;  ///< order of the smallest and largest problem answered
  std::atomic<std::uint32_t> returned;           ///< largest block size returned
  std::atomic<std::uint64_t> short_workspaces;   ///< times that the program's workspace was too short for it
  std::atomic<std::uint32_t> allowed;            ///< least block size that such a workspace allowed; 0: not known
  std::atomic<std::uint64_t> other_queries;      ///< queries with options for which the table has no entry
  SharedOptions other_options;                   ///< options of the first such query
  SharedPath queried_by;                         ///< library that made the queries
  SharedPath definer;                            ///< library that defines the routine in the program, if there is one
};

/// Reason for the answer to a query.
enum class AnswerReason : std::uint32_t {
  tuned,          ///< the table's nearest point
  too_small,      ///< the library's own: the size is below half the smallest point
  other_options,  ///< the library's own: the table has the routine with other options only
  lacking         ///< the library's own: the table doesn't have the routine
};

/// Queries for the block size of one problem size. All values start at zero.
struct SizeReport {
  enum : std::uint32_t { free_row, being_written, complete };  ///< values of `state`
  std::atomic<std::uint32_t> state;
  RoutineName name;
  char options[SharedOptions::length];
  std::int32_t m, n;                            ///< ilaenv's N1 and N2
  std::atomic<std::int32_t> answer;             ///< block size returned last
  std::atomic<AnswerReason> reason;             ///< reason for that answer
  std::atomic<std::uint64_t> queries;           ///< block size queries
  std::atomic<std::uint64_t> short_workspaces;  ///< times that the program's workspace was too short for the block size
};
inline constexpr std::size_t max_reported_sizes = 4096;

/// Calls with threads of their own. All values start at zero.
struct ThreadReport {
  /// Calls by routine (the place in threaded_routines()) and number of threads (the place in the table). The last number of a routine has
  /// the calls whose threads were left as they were.
  std::atomic<std::uint64_t> calls[max_threaded_routines][max_thread_counts + 1];
  std::atomic<std::uint64_t> others[max_threaded_routines][max_other_choices];  ///< calls by ThreadTable::others
};

struct RunReport {
  std::atomic<std::uint32_t> processes;  ///< processes into which the preloaded library was loaded
  std::atomic<std::uint32_t> concluded;  ///< processes that ended by exit() or at the end of main, and reported their libraries
  SharedPath blas;                       ///< library that defines dgemm in the program
  RoutineReport routines[max_tuned_routines];
  ThreadReport threads;
  std::atomic<std::uint64_t> unlisted;   ///< queries that found no free row
  SizeReport sizes[max_reported_sizes];  ///< a hash table; threads may use two rows for one size
};

}  // namespace flopcast::protocol
