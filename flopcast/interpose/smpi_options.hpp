#pragma once

#include <cstdint>
#include <string>

namespace flopcast::interpose {

/// What `flopcast mpi simulate` tells the library that it preloads into SMPI.
struct SmpiOptions {
  std::string result;                  ///< file that the last process to end writes
  std::string times;                   ///< file with the kernels' times; empty: none is known
  std::int64_t most_traced_calls = 0;  ///< of all processes together that go into the result as traces; 0: none
  std::int64_t eager_bytes = 0;        ///< a longer message waits for its receiver
  double flops_per_second = 1e9;       ///< of this machine's cores in the simulation: what a second of a kernel counts as
  bool only_kernels = false;           ///< nothing but kernels and messages takes time
  friend bool operator==(const SmpiOptions&, const SmpiOptions&) = default;
};

/// Environment variable that carries them.
inline constexpr const char* smpi_options_variable = "FLOPCAST_SMPI_OPTIONS";

/// Names and versions of the files with kernels' times and with what came of a simulation.
inline constexpr const char* smpi_times_schema = "flopcast-smpi-times-1";
inline constexpr const char* smpi_result_schema = "flopcast-smpi-result-1";

[[nodiscard]] std::string to_text(const SmpiOptions& options);
/// Throws bad_input if to_text() didn't write `text`.
[[nodiscard]] SmpiOptions parse_smpi_options(const std::string& text);

}  // namespace flopcast::interpose
