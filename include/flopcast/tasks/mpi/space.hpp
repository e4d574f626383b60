#pragma once

/// Spaces of configurations, and values of requests about MPI programs that also have a form as text.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/search/space.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// Read a duration above 0, or "none", which is 0; a percentage, "25" or "25%"; seconds, "2e-6"; GB/s, "12.5". Throw as parse_duration().
Seconds parse_timeout(std::string_view text, std::string_view what);
double parse_percentage(std::string_view text, std::string_view what);
Seconds parse_latency(std::string_view text, std::string_view what);
double parse_gigabytes_per_second(std::string_view text, std::string_view what);

using Timeout = TextNumber<Seconds, parse_timeout>;       ///< in seconds; 0: for ever
using Percentage = TextNumber<double, parse_percentage>;  ///< a fraction, 0 to 1

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

}  // namespace flopcast
