#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/decision.hpp"
#include "flopcast/tune/joint.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Jobs that choose: block sizes of LAPACK's routines, and variants, threads and libraries. Models predict the alternatives; only short
/// segments of their kernel calls are measured.
namespace flopcast {

/// Returns the block sizes to choose from that `tune` (8, 16, ..., 128, 144, ..., 256) and `rank` (16, 24, ..., 64, 80, ..., 128, 160, 192,
/// 256) take by default.
std::vector<std::int64_t> tuned_block_sizes();
std::vector<std::int64_t> ranked_block_sizes();

/// The options that a result was made with.
struct TuningSettings {
  Seconds time_budget = 0;
  std::vector<std::int64_t> nb;  ///< block sizes to choose from
  std::uint64_t seed = 1;
  friend bool operator==(const TuningSettings&, const TuningSettings&) = default;
};

/// Sizes that a routine passes to ilaenv; n = -1 if it passes one.
struct QuerySizes {
  std::int64_t m = 0, n = -1;
  friend bool operator==(const QuerySizes&, const QuerySizes&) = default;
};

/// Block sizes of one routine for one set of ilaenv's options.
struct RoutineTuning {
  std::string routine;  ///< "dpotrf"
  std::string flags;    ///< ilaenv's options, such as "L"
  std::vector<QuerySizes> queries;
  std::vector<tuning::Decision> decisions;  ///< for each query
  tuning::SamplingCost cost;
  bool complete = true;  ///< false if the time budget ended sampling before the predictions had their precision

  /// "dpotrf:L"
  [[nodiscard]] std::string name() const { return flags.empty() ? routine : routine + ":" + flags; }
  friend bool operator==(const RoutineTuning&, const RoutineTuning&) = default;
};

/// The block sizes chosen for a routine. A routine that never queries ilaenv, such as dormhr, is tuned through those that it calls.
struct Tuning {
  std::string routine;
  Environment environment;
  machine::KernelSettings kernel_settings;  ///< variables in force that select the BLAS's kernels
  TuningSettings options;
  std::vector<RoutineTuning> parts;  ///< the routine itself, or the tunable ones below it
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

struct TuneRequest {
  std::vector<std::int64_t> n;                             ///< orders; all sizes that `sizes` doesn't name are equal
  std::map<std::string, std::vector<std::int64_t>> sizes;  ///< {"m", {2000, 4000}}: every combination is a problem
  /// {"uplo", "U"}; a flag of two values that isn't named is tuned with both.
  std::map<std::string, std::string> flags;
  std::vector<std::int64_t> nb = tuned_block_sizes();  ///< block sizes to choose from
  Seconds time_budget = 50;
  bool tune_crossover = true;  ///< choose LAPACK's crossover point nx, too
  bool validate = false;       ///< run the routine with every block size and compare
  Seconds validation_budget = std::numeric_limits<Seconds>::infinity();
  std::int64_t repetitions = 5;  ///< repetitions of long runs in a validation; short ones get more
  std::uint64_t seed = 1;        ///< seed of the order of measurements
  bool fresh = false;            ///< use no samples of earlier runs
  std::string profile;           ///< file in which the decisions are kept; empty: none
  /// Receives the decisions before a validation begins.
  std::function<void(const Tuning&)> decided;
  /// Receives each validated problem: parts[part].decisions[problem].validation is there.
  std::function<void(const Tuning&, std::size_t part, std::size_t problem)> validated;
};

/// Chooses the block size of a LAPACK routine without running it. Throws bad_input for an unknown routine or one without anything to tune.
/// After a cancellation it returns what is complete by then, or throws Cancelled if that is nothing.
Tuning tune(const Workbench& bench, const std::string& routine, const TuneRequest& request, const RunContext& context = {});

/// Adds the decisions to the profile in `file`, for programs that run with it. Returns a remark for the user, or "". Throws
/// environment_error if the file can't be written.
std::string save_profile(const std::string& file, const Tuning& tuning);

/// Converts to and from the document {"schema": "flopcast-tune-3", ...}.
std::string to_json(const Tuning& tuning);
Tuning tuning_from_json(std::string_view text);

/// The result for one entry of all of LAPACK.
struct LapackRoutine {
  std::string routine, flags;  ///< as in RoutineTuning
  std::string remark;          ///< why it wasn't tuned, or which sizes are undecided; empty: nothing to say
  Seconds seconds = 0;         ///< time that its tuning took
  std::vector<tuning::Decision> decisions;

  [[nodiscard]] std::string name() const { return flags.empty() ? routine : routine + ":" + flags; }
  friend bool operator==(const LapackRoutine&, const LapackRoutine&) = default;
};

struct LapackTuning {
  Environment environment;
  std::string profile;                  ///< file with what was decided
  std::vector<LapackRoutine> routines;  ///< in the order of tuning
  std::vector<std::string> left_out;    ///< routines that the time budget didn't reach
  bool cancelled = false;               ///< not in documents
  friend bool operator==(const LapackTuning&, const LapackTuning&) = default;
};

struct LapackRequest {
  std::string precisions = "dzsc";  ///< letters, the most used first
  std::vector<std::int64_t> n = {150, 300, 600, 1000, 1500, 2200, 3200};
  std::vector<std::int64_t> nb = tuned_block_sizes();  ///< block sizes to choose from
  Seconds time_budget = 600;                           ///< time for all routines together, without their validation
  bool tune_crossover = true;
  bool validate = false;
  bool limits_validation = false;  ///< each routine's validation may take as long as its tuning
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;   ///< use no samples of earlier runs, and tune again what the profile has
  std::string profile;  ///< file that keeps each routine's decisions as soon as they are there; empty: the default profile
};

/// Tunes every routine that queries ilaenv, the most used first, each for a share of what is left of the time budget. Sizes
/// that the profile already holds are left alone unless `fresh` is set. A cancellation ends it early. Throws usage_error for letters that
/// are no precision.
LapackTuning tune_lapack(const Workbench& bench, const LapackRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-tune-lapack-3", ...}.
std::string to_json(const LapackTuning& tuning);
LapackTuning lapack_tuning_from_json(std::string_view text);

/// The library's own routine in a ranking.
enum class LibraryRow : std::uint8_t {
  none,
  default_blocks,  ///< with its default block size
  tuned,           ///< with every block size
};

/// A variant of a family of algorithms.
struct VariantInfo {
  std::string variant, description;
  bool is_lapacks = false;  ///< LAPACK's own algorithm
  friend bool operator==(const VariantInfo&, const VariantInfo&) = default;
};

/// The decisions in one place: a BLAS with a number of threads.
struct PlaceRanking {
  std::string blas;  ///< as it was asked for; empty: the default
  int threads = 1;
  Environment environment;
  std::vector<tuning::Decision> decisions;
  tuning::SamplingCost cost;
  bool complete = true;  ///< as in RoutineTuning
  friend bool operator==(const PlaceRanking&, const PlaceRanking&) = default;
};

/// Variants compared in one or several places, and the decision among all of them for each problem.
struct Ranking {
  std::string family, routine;
  std::string flags;  ///< the routine's, such as "L"
  TuningSettings options;
  std::vector<VariantInfo> variants;
  std::vector<PlaceRanking> places;
  std::vector<tuning::JointDecision> joint;  ///< for each problem
  friend bool operator==(const Ranking&, const Ranking&) = default;
};

struct RankRequest {
  std::vector<std::int64_t> n;  ///< as in TuneRequest
  std::map<std::string, std::vector<std::int64_t>> sizes;
  std::map<std::string, std::string> flags;
  char precision = 'd';                                 ///< precision of a family; a routine's name has its own
  std::optional<std::vector<std::string>> variants;     ///< names of the variants to compare; nothing: all of the family
  std::vector<std::int64_t> nb = ranked_block_sizes();  ///< block sizes to choose from; a recursion ends at nb
  LibraryRow library = LibraryRow::default_blocks;
  Seconds time_budget = 60;  ///< time for all places together
  bool tune_crossover = true;
  std::optional<tuning::Extent> validate;                                ///< alternatives that are run and compared; nothing: none
  Seconds validation_budget = std::numeric_limits<Seconds>::infinity();  ///< time for all places together
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;
  std::function<void(const Ranking&)> decided;  ///< receives the decisions before a validation begins
  /// Receives each validated problem: places[place].decisions[problem].validation is there.
  std::function<void(const Ranking&, std::size_t place, std::size_t problem)> validated;
};

/// Ranks the variants of a family, or of a LAPACK routine, each at its own best block size, without running them. Throws bad_input for an
/// unknown family or variant. After a cancellation it returns what is complete by then, or throws Cancelled if that is nothing.
Ranking rank(const Workbench& bench, const std::string& family, const RankRequest& request, const RunContext& context = {});

/// Ranks in every place, one after the other; the places share the budgets.
Ranking rank_everywhere(const std::vector<machine::LibraryChoice>& places, const std::string& family, const RankRequest& request,
                        const RunContext& context = {});

/// Chooses variant, block size, threads and library together. The libraries' own routines take part with every block size. Without any
/// variant (an empty list), only they do.
Ranking tune_jointly(const std::vector<machine::LibraryChoice>& places, const std::string& routine, RankRequest request,
                     const RunContext& context = {});

/// Returns every pair of a BLAS (empty: the default one) and a number of threads; the rest is as in `common`. A library that has one thread
/// only is left out with other numbers, and a note says so. Throws bad_input if nothing is left.
std::vector<machine::LibraryChoice> places(const std::vector<std::string>& blas, const std::vector<std::int64_t>& threads,
                                           const machine::LibraryChoice& common = {}, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-rank-3", ...}.
std::string to_json(const Ranking& ranking);
Ranking ranking_from_json(std::string_view text);

}  // namespace flopcast
