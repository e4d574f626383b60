#pragma once

#include <string>
#include <string_view>

#include "flopcast/path/execution_policy.hpp"

namespace flopcast::interpose {

/// Which clock the library in an MPI program goes by.
enum class MpiClock : unsigned char {
  automatic,  ///< wall time where every process of a node has a core of its own, CPU time otherwise
  wall,
  cpu,  ///< CPU time of the process for computation, a model for messages
};

/// What `flopcast mpi run` tells the library that it preloads.
struct MpiOptions {
  MpiClock clock = MpiClock::automatic;
  path::Policy policy = path::Policy::full;
  path::Precision precision;
  bool across_sizes = false;    ///< kernels of sizes never executed are predicted from others
  bool windows = true;          ///< stretches of the path are executed as a whole, whatever is known (path::ExecutionWindows)
  bool thread_multiple = true;  ///< a program that asks for MPI_THREAD_MULTIPLE may get it; otherwise it gets MPI_THREAD_SERIALIZED
  std::string profile;          ///< file for the profile; the process of rank 0 writes it
  std::string statistics;       ///< file with what earlier runs learnt of kernels; empty: none
  std::string executions;  ///< file with the executions that this launch is asked for (MpiExecution); empty: one, as the command line says
  std::string progress;    ///< file with a SharedProgress, which the program tells how it gets on; empty: nobody asks
  std::string results;     ///< file to which rank 0 appends a line for each of those
};

/// Environment variable that carries them.
inline constexpr const char* mpi_options_variable = "FLOPCAST_MPI_OPTIONS";

/// Throws bad_input with the names there are.
[[nodiscard]] MpiClock clock_named(std::string_view name);
[[nodiscard]] std::string_view clock_name(MpiClock clock);

[[nodiscard]] std::string to_text(const MpiOptions& options);
/// Throws bad_input if to_text() didn't write `text`.
[[nodiscard]] MpiOptions parse_mpi_options(const std::string& text);

/// How far the process with rank 0 has got, for whoever finds no profile: the contents of the profile's file before the profile is in it.
inline constexpr std::string_view mpi_stage_loaded = "loaded\n";
inline constexpr std::string_view mpi_stage_sessions = "sessions\n";  ///< it has begun a session of MPI-4's, and not called MPI_Init
inline constexpr std::string_view mpi_stage_initialised = "initialised\n";
inline constexpr std::string_view mpi_stage_other = "other\n";        ///< this process isn't the one with rank 0, which has the profile
inline constexpr std::string_view mpi_stage_writing = "writing\n";    ///< it ended before all was written
inline constexpr std::string_view mpi_stage_multiple = "multiple\n";  ///< MPI_THREAD_MULTIPLE: nothing was tracked

inline constexpr std::string_view mpi_stage_foreign = "foreign\n";  ///< another MPI was in the process, which was ended before that began

/// What a whole profile ends with.
inline constexpr std::string_view mpi_profile_end = "]}\n";

}  // namespace flopcast::interpose
