#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/kernel/spectrum.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/decision.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Requests that choose: block sizes of LAPACK's routines, and variants, threads and libraries. Models predict the alternatives; only short
/// segments of their kernel calls are measured.
namespace flopcast {

/// Returns the block sizes to choose from that `tune` (8, 16, ..., 128, 144, ..., 256) and `rank` (16, 24, ..., 64, 80, ..., 128, 160, 192,
/// 256) take by default.
std::vector<std::int64_t> tuned_block_sizes();
std::vector<std::int64_t> ranked_block_sizes();

/// The options that a result was made with, as its request had them.
struct TuningSettings {
  Duration time_budget = 0;
  SizeList nb;
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

/// A routine and its block sizes to choose from. The meaning of each member is in its line of the table (requests.cpp).
struct TuneRequest {
  std::string routine;
  SizeList n;
  NamedSizes sizes;
  std::map<std::string, std::string> flags;
  SizeList nb = tuned_block_sizes();
  Duration time_budget = 50;
  bool tune_crossover = true;
  bool validate = false;
  std::optional<Duration> validation_budget;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;
  std::string tuning;
};

/// Receives parts of a result as soon as they are there.
template <class Result>
struct TuningObserver {
  std::function<void(const Result&)> decided;  ///< receives the decisions before a validation begins
  /// Receives each validated problem. `part` is the index of the routine in a Tuning, and that of the place in a Ranking:
  /// parts[part].decisions[problem].validation is there.
  std::function<void(const Result&, std::size_t part, std::size_t problem)> validated;
};

/// Chooses the block size of a LAPACK routine without running it. Throws bad_input for an unknown routine or one without anything to tune.
/// After a cancellation it returns what is complete by then, or throws Cancelled if that is nothing.
Tuning tune(const Workbench& bench, const TuneRequest& request, const RunContext& context = {},
            const TuningObserver<Tuning>& observer = {});

/// Adds the decisions to the tuning file in `file`, for programs that run with it. Returns a remark for the user, or "". Throws
/// environment_error if the file can't be written.
std::string save_tuning(const std::string& file, const Tuning& tuning);

/// Converts to and from the document {"schema": "flopcast-tune-3", ...}.
std::string to_json(const Tuning& tuning);
Tuning tuning_from_json(std::string_view text);

/// The result for one entry of all of LAPACK.
struct LapackRoutine {
  std::string routine, flags;  ///< see RoutineTuning
  std::string remark;          ///< why it wasn't tuned, or which sizes are undecided; empty: nothing to say
  Seconds seconds = 0;         ///< time that its tuning took
  std::vector<tuning::Decision> decisions;

  [[nodiscard]] std::string name() const { return flags.empty() ? routine : routine + ":" + flags; }
  friend bool operator==(const LapackRoutine&, const LapackRoutine&) = default;
};

struct LapackTuning {
  Environment environment;
  std::string tuning;                   ///< file with what was decided
  std::vector<LapackRoutine> routines;  ///< in the order of tuning
  std::vector<std::string> left_out;    ///< routines that the time budget didn't reach
  bool cancelled = false;               ///< not in documents
  friend bool operator==(const LapackTuning&, const LapackTuning&) = default;
};

/// All of LAPACK, and how it is tuned.
struct LapackRequest {
  std::string precisions = "dzsc";
  SizeList n = {150, 300, 600, 1000, 1500, 2200, 3200};
  SizeList nb = tuned_block_sizes();
  Duration time_budget = 600;
  bool tune_crossover = true;
  bool validate = false;
  bool limits_validation = false;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;
  std::string tuning;
};

/// Tunes every routine that queries ilaenv, the most used first, each for a share of what is left of the time budget. Sizes
/// that the tuning file already holds are left alone unless `fresh` is set. A cancellation ends it early. Throws usage_error for letters that
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
  std::string needs;        ///< matrices that a driver takes
  std::string scipy;        ///< call of a driver from SciPy or NumPy
  friend bool operator==(const VariantInfo&, const VariantInfo&) = default;
};

/// The decisions in one place: a BLAS with a number of threads.
struct PlaceRanking {
  std::string blas;  ///< the name in the request; empty: the default
  int threads = 1;
  Environment environment;
  std::vector<tuning::Decision> decisions;
  tuning::SamplingCost cost;
  bool complete = true;  ///< see RoutineTuning
  friend bool operator==(const PlaceRanking&, const PlaceRanking&) = default;
};

/// Returns a variant's name in texts: that of the library's own routine is "reference's".
std::string variant_text(const std::string& variant, const PlaceRanking& place);
/// Returns "blis x 2".
std::string place_text(const PlaceRanking& place);

/// Variants compared in one or several places, and the decision among all of them for each problem.
struct Ranking {
  std::string family, routine;
  std::string flags;  ///< the routine's, such as "L"
  TuningSettings options;
  std::optional<kernel::Spectrum> spectrum;  ///< spectrum of the matrices by which drivers are ranked; missing: time doesn't depend on it
  std::vector<VariantInfo> variants;
  std::vector<PlaceRanking> places;
  std::vector<tuning::JointDecision> joint;  ///< for each problem
  friend bool operator==(const Ranking&, const Ranking&) = default;
};

/// Returns the names of all jobs of LAPACK's drivers: "eigh", "svd", ...
std::vector<std::string> driver_jobs();

/// A family of algorithms or a LAPACK routine whose variants are compared, or a job whose drivers are.
struct RankRequest {
  std::string family;
  SizeList n;
  NamedSizes sizes;
  std::map<std::string, std::string> flags;
  Precision precision = Precision::d;
  std::optional<std::vector<std::string>> variants;
  SizeList nb = ranked_block_sizes();
  LibraryRow library = LibraryRow::default_blocks;
  bool vectors = true;
  std::int64_t values = 0;
  kernel::Spectrum spectrum = kernel::Spectrum::uniform;
  Duration time_budget = 60;
  bool tune_crossover = true;
  std::optional<tuning::Extent> validate;
  std::optional<Duration> validation_budget;
  std::int64_t repetitions = 5;
  std::uint64_t seed = 1;
  bool fresh = false;
  std::vector<std::string> blas;
  SizeList threads;
};

/// Ranks the variants of a family, or of a LAPACK routine, each at its own best block size, without running them. Ranks in every place that
/// request.blas and request.threads name, one after the other; the places share the budgets. Drivers of a job are executed to be timed. Throws bad_input for an unknown family or
/// variant. After a cancellation it returns what is complete by then, or throws Cancelled if that is nothing.
Ranking rank(const Workbench& bench, const RankRequest& request, const RunContext& context = {},
             const TuningObserver<Ranking>& observer = {});

/// Chooses variant, block size, threads and library together. The libraries' own routines take part with every block size. Without any
/// variant (an empty list), only they do.
Ranking tune_jointly(const Workbench& bench, RankRequest request, const RunContext& context = {},
                     const TuningObserver<Ranking>& observer = {});

/// Returns every pair of a BLAS and a number of threads that are named; without any, those of `common`, of which the rest is taken. A library
/// that has one thread only is skipped with other numbers, and a note says so. Throws bad_input if nothing is left.
std::vector<machine::LibraryChoice> places(const std::vector<std::string>& blas, const std::vector<std::int64_t>& threads,
                                           const machine::LibraryChoice& common = {}, const RunContext& context = {});

template <>
Fields FieldTable<TuningSettings>::fields();
template <>
Fields FieldTable<TuneRequest>::fields();
template <>
Fields FieldTable<LapackRequest>::fields();
template <>
Fields FieldTable<RankRequest>::fields();

/// Converts to and from the document {"schema": "flopcast-rank-3", ...}.
std::string to_json(const Ranking& ranking);
Ranking ranking_from_json(std::string_view text);

}  // namespace flopcast
