#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/search/space.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// Read a duration above 0, or "none", which is 0; a duration above 0, "2us"; GB/s, "12.5". Throw as parse_duration().
Seconds parse_timeout(std::string_view text, std::string_view what);
Seconds parse_latency(std::string_view text, std::string_view what);
double parse_gigabytes_per_second(std::string_view text, std::string_view what);

using Timeout = TextNumber<Seconds, parse_timeout>;  ///< in seconds; 0: for ever

using Latency = TextNumber<Seconds, parse_latency>;  ///< in seconds
using BytesPerSecond = TextNumber<double, parse_gigabytes_per_second>;

/// Number of configurations that are executed in full at the end of a tuning.
struct FinalistCount {
  static constexpr std::size_t max = 1000000;
  std::size_t number = 0;
  bool are_ties = false;  ///< "auto": those that tie with the best one, however many
};
/// Reads a number or "auto". Throws as parse_duration().
FinalistCount parse_finalist_count(std::string_view text, std::string_view what);
inline void parse_text(std::string_view text, std::string_view what, FinalistCount& to) { to = parse_finalist_count(text, what); }

/// Numbers of processes. A text is a list such as "4,8,32", or a range that doubles, "16:1024".
class RankCounts : public std::vector<int> {
 public:
  using std::vector<int>::vector;
  RankCounts(std::vector<int> counts) : vector(std::move(counts)) {}  // NOLINT(google-explicit-constructor): they are one thing
};
/// Reads such a text. Throws bad_input for a number twice, and for others than 1 to 2^20.
RankCounts parse_rank_counts(std::string_view text, std::string_view what);
inline void parse_text(std::string_view text, std::string_view what, RankCounts& to) { to = parse_rank_counts(text, what); }

/// Reads a space from a document `flopcast-mpi-space-1`. Throws bad_input that names the file and the wrong member.
[[nodiscard]] search::ParameterSpace read_mpi_space(const std::string& file);
/// Throws environment_error if a setting's program is missing. Relative paths begin in the current folder, unless the launcher's options
/// change the folder: then nothing is checked.
void require_programs(const search::ParameterSpace& space);

/// Configurations whose MPI calls are compared with those of a full execution, to find out whether the program's course depends on results.
enum class MpiSelfCheck : unsigned char {
  none,
  once,  ///< one, unless the program passed in one of the last tunings
  one,
  all,
};

/// Settings of a tuning.
struct MpiTuneRequest {
  search::ParameterSpace space;
  protocol::MpiClock clock = protocol::MpiClock::automatic;
  selective::Policy policy = selective::Policy::local;
  selective::TimePrecision precision;
  MpiSelfCheck self_check = MpiSelfCheck::once;
  std::string prior_profile;
  Timeout timeout = 60;
  std::string kernels = "auto";
  Fraction min_coverage = 0.25;
  FinalistCount confirm;
  bool across_sizes = true;
  bool windows = true;
  bool thread_multiple = true;
  bool validate = false;
  bool fresh = false;
  /// Time after which nothing is launched any more. A launch that is under way goes on for launch_grace at most. 0: no limit. Only advice
  /// on routines has one, so that no option sets it.
  Seconds time_budget = 0;
};

/// Time that a launch has to end once the time budget is spent.
inline constexpr Seconds launch_grace = 2;

/// Verdict on a configuration.
enum class MpiVerdict : unsigned char {
  slower,
  chosen,
  tie,          ///< its interval meets that of the chosen one
  finalist,     ///< executed in full at the end, and not the fastest
  undecided,    ///< the machine was noisy while the configuration was measured
  little_seen,  ///< too little of the path lies in kernels for a prediction
  failed,       ///< the program ended with an error though no kernel was skipped
};

/// Result for one configuration. A failed one has nothing but its setting, verdict and failure.
struct MpiConfiguration {
  search::Setting setting;
  MpiVerdict verdict = MpiVerdict::slower;
  std::string failure = {};                      ///< reason for which it failed: "exit code 3" or "no profile"; empty if it didn't
  std::optional<Seconds> predicted, half_width;  ///< time of the critical path and its interval at about 95 %
  double coverage = 0;                           ///< share of the path that lies in kernels and MPI, 0 to 1
  double executed_share = 0;                     ///< share of kernels that were executed, 0 to 1
  Seconds elapsed = 0;                           ///< time of the executions that the prediction is based on, as the program measures itself
  Seconds blocked = 0;                           ///< part of `elapsed` in which a process neither computed nor was ready to run; 0 if small
  Seconds self_check = 0;                        ///< time of executions that only served the self-check
  bool selective = false;                        ///< kernels were skipped
  bool finalist = false;                         ///< executed in full at the end, among those with the least predictions
  std::optional<selective::TimeSpent> spent;     ///< purposes of `elapsed`, means of the processes
  std::optional<Seconds> full_path, full_elapsed;  ///< path and elapsed time of an execution in full
  friend bool operator==(const MpiConfiguration&, const MpiConfiguration&) = default;
};

/// Result of a tuning.
struct MpiTuning {
  std::string name;                              ///< name of the space
  std::vector<MpiConfiguration> configurations;  ///< in the space's order, without those that a time budget left out
  int launches = 0;
  Seconds launch_seconds = 0;
  bool self_check_remembered = false;       ///< the program passed the self-check in an earlier tuning
  std::optional<protocol::MpiClock> clock;  ///< clock of the paths; nothing if there is no profile
  double cores_of_others = 0;               ///< cores that other programs kept busy, in the launch with most of that
  int drifted_kernels = 0;                  ///< kernels whose stored times no longer held
  /// Sums over all configurations, if each was executed in full as well (MpiTuneRequest::validate).
  std::optional<Seconds> full_seconds, selective_seconds;
  friend bool operator==(const MpiTuning&, const MpiTuning&) = default;

  /// Returns the chosen configuration.
  [[nodiscard]] const MpiConfiguration& best() const;
};

/// Returns "chosen", "tie", "too little seen"; empty for a configuration that is only slower.
[[nodiscard]] std::string to_string(MpiVerdict verdict);

/// Returns the document `flopcast-mpi-tuning-1`.
[[nodiscard]] std::string to_json(const MpiTuning& tuning);
/// Inverse of to_json(). Throws bad_input for members that are missing or wrong.
[[nodiscard]] MpiTuning mpi_tuning_from_json(std::string_view text);

}  // namespace flopcast
