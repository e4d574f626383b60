#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/field.hpp"

namespace flopcast::protocol {

/// Settings that `flopcast mpi run` passes to the library that it preloads.
struct MpiOptions {
  MpiClock clock = MpiClock::automatic;
  selective::Policy policy = selective::Policy::full;
  selective::TimePrecision precision;
  bool across_sizes = false;    ///< predict kernels of sizes never executed from kernels of other sizes
  bool windows = true;          ///< execute segments of the path as a whole, whatever is known (selective::ExecutionWindows)
  bool thread_multiple = true;  ///< let the program have MPI_THREAD_MULTIPLE if it requests it; otherwise it gets MPI_THREAD_SERIALIZED
  std::string profile;          ///< file for the profile, written by the process of rank 0
  std::string prior_profile;    ///< file with a profile of earlier runs, whose kernel times are used; empty: none
  /// File with the executions that this launch is to make (MpiExecution). Empty: one execution, as on the command line.
  std::string executions;
  std::string progress;         ///< file with a SharedProgress that the program updates; empty: none
  std::int64_t max_events = 0;  ///< largest number of events of all processes for a timeline; 0: none is kept
  std::string results;          ///< file to which rank 0 appends a line per execution
};

/// Progress of a process whose kernels are skipped, in memory that it shares with flopcast, which waits for its end. All values start at
/// zero.
struct SharedProgress {
  std::atomic<std::int32_t> process;   ///< its process number, once it has called MPI_Init
  std::atomic<std::int32_t> skips;     ///< not 0: kernels have been skipped, so that its data are no longer the program's
  std::atomic<std::uint64_t> kernels;  ///< kernels that it has met for the first time
  std::atomic<std::uint64_t> calls;    ///< calls of kernels and messages
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::int32_t>::is_always_lock_free);

/// Environment variable that carries the text of an MpiOptions.
inline constexpr const char* mpi_options_variable = "FLOPCAST_MPI_OPTIONS";

[[nodiscard]] std::string to_text(const MpiOptions& options);
/// Inverse of to_text(). Throws bad_input if `text` has another form.
[[nodiscard]] MpiOptions parse_mpi_options(const std::string& text);

/// Stages that the process of rank 0 reaches. The profile's file holds the latest stage until it holds the profile, so that a missing
/// profile can be explained.
inline constexpr std::string_view mpi_stage_loaded = "loaded\n";
inline constexpr std::string_view mpi_stage_sessions = "sessions\n";  ///< a session of MPI-4 has begun, without a call of MPI_Init
inline constexpr std::string_view mpi_stage_initialised = "initialised\n";
inline constexpr std::string_view mpi_stage_other = "other\n";        ///< this process doesn't have rank 0, whose process has the profile
inline constexpr std::string_view mpi_stage_writing = "writing\n";    ///< the process ended before the whole profile was written
inline constexpr std::string_view mpi_stage_multiple = "multiple\n";  ///< MPI_THREAD_MULTIPLE: nothing was tracked

inline constexpr std::string_view mpi_stage_foreign =
    "foreign\n";  ///< another MPI was in the process, which was ended before that MPI began

/// MPI_Init is another tool's function, which doesn't call PMPI_Init so that flopcast could see it. The tool's file follows.
inline constexpr std::string_view mpi_stage_hidden = "hidden\n";

/// End of every complete profile.
inline constexpr std::string_view mpi_profile_end = "]}\n";

}  // namespace flopcast::protocol

template <>
flopcast::Fields flopcast::FieldTable<flopcast::protocol::MpiOptions>::fields();
