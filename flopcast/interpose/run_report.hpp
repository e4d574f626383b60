#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "flopcast/interpose/block_table.hpp"

/// What the preloaded library tells `flopcast run`: a file that both have mapped, so that nothing is lost when the program is killed.
namespace flopcast::interpose {

/// Names of the environment variables between the two.
inline constexpr const char* blocks_variable = "FLOPCAST_BLOCKS";  ///< the table that parse() reads
inline constexpr const char* report_variable = "FLOPCAST_REPORT";  ///< path of the file that holds a RunReport
inline constexpr const char* verbose_variable =
    "FLOPCAST_VERBOSE";  ///< if set, every process tells what it was asked on standard error when it ends

/// A path that is written once, by whoever comes first.
struct SharedPath {
  static constexpr std::size_t length = 512;
  std::atomic<std::uint32_t> taken;
  char text[length];  ///< ends with a zero
};

/// ilaenv's options, written once.
struct SharedOptions {
  static constexpr std::size_t length = 8;
  std::atomic<std::uint32_t> taken;
  char text[length];  ///< ends with a zero
};

/// One entry of the table. All zero at first.
struct RoutineReport {
  std::atomic<std::uint64_t> questions;          ///< times that a LAPACK asked for the block size
  std::atomic<std::uint32_t> smallest, largest;  ///< order of the smallest and largest problem answered
  std::atomic<std::uint32_t> told;               ///< the largest block size that was the answer
  std::atomic<std::uint64_t> short_workspaces;   ///< times that the program's workspace was too short for it
  std::atomic<std::uint32_t> allowed;            ///< the least block size that such a workspace allowed; 0: not known
  std::atomic<std::uint64_t> other_questions;    ///< times that was asked with options for which the table has no entry
  SharedOptions other_options;                   ///< the first of these
  SharedPath asker;                              ///< the library that asked
  SharedPath definer;                            ///< the library that defines the routine in the program, if it has one
};

struct RunReport {
  std::atomic<std::uint32_t> processes;  ///< that the preloaded library was loaded into
  SharedPath blas;                       ///< the library that defines dgemm in the program
  RoutineReport routines[most_tuned_routines];
};

}  // namespace flopcast::interpose
