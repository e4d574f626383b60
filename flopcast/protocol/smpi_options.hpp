#pragma once

#include <cstdint>
#include <string>

namespace flopcast::protocol {

/// Settings that `flopcast mpi simulate` passes to the library that it preloads into SMPI.
struct SmpiOptions {
  std::string result;                 ///< file that the last process writes when it ends
  std::string times;                  ///< file with the kernels' times; empty: no time is known
  std::int64_t max_traced_calls = 0;  ///< traced calls in the result, of all processes together; 0: none
  std::int64_t eager_bytes = 0;       ///< longer messages wait for their receiver
  /// Speed of this machine's cores in the simulation. A second of a kernel counts as this many flops.
  double flops_per_second = 1e9;
  bool only_kernels = false;  ///< only kernels and messages take time
  friend bool operator==(const SmpiOptions&, const SmpiOptions&) = default;
};

/// Environment variable that carries the text of an SmpiOptions.
inline constexpr const char* smpi_options_variable = "FLOPCAST_SMPI_OPTIONS";

/// Schemas (names and versions) of the files with kernels' times and with a simulation's result.
inline constexpr const char* smpi_times_schema = "flopcast-smpi-times-1";
inline constexpr const char* smpi_result_schema = "flopcast-smpi-result-1";

[[nodiscard]] std::string to_text(const SmpiOptions& options);
/// Inverse of to_text(). Throws bad_input if `text` has another form.
[[nodiscard]] SmpiOptions parse_smpi_options(const std::string& text);

}  // namespace flopcast::protocol
