#include <fmt/format.h>

#include <initializer_list>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"

namespace nlohmann {

/// An interval is [low, high].
template <>
struct adl_serializer<flopcast::Interval, void> {
  static void to_json(json& json, const flopcast::Interval& interval) { json = {interval.low, interval.high}; }
  static void from_json(const json& json, flopcast::Interval& interval) {
    std::array<double, 2> ends{};
    flopcast::read_value(json, ends);
    interval = {ends[0], ends[1]};
  }
};

}  // namespace nlohmann

namespace flopcast {

template <>
struct FieldTable<algorithm::BlockParameters> {
  using T = algorithm::BlockParameters;
  static constexpr auto fields = std::tuple(
      field("nb", &T::nb), optional_field("nbmin", &T::nbmin, "ISPEC 2: smallest block size worth using when the workspace is short"),
      optional_field("nx", &T::nx, "ISPEC 3: crossover, the order below which the rest is done unblocked"));
};
template <>
struct FieldTable<tuning::Alternative> {
  using T = tuning::Alternative;
  static constexpr auto fields =
      std::tuple(optional_field("variant", &T::variant, "name in the registry of algorithms; empty: the library's own routine"),
                 inlined_field(&T::blocks));
};
template <>
struct FieldTable<tuning::Forecast> {
  using T = tuning::Forecast;
  static constexpr auto fields =
      std::tuple(optional_field("variant", &T::variant), inlined_field(&T::blocks), field("seconds", &T::seconds),
                 optional_field("interval", &T::interval),
                 optional_field("extrapolated", &T::extrapolated, "share of the time that lies outside of the sampled range"));
};
template <>
struct FieldTable<tuning::VariantRank> {
  using T = tuning::VariantRank;
  static constexpr auto fields =
      std::tuple(inlined_field(&T::best),
                 field("rank", &T::rank, "1 + the number of variants that are certainly faster; never decreases along the ranking"),
                 field("behind", &T::behind, "predicted time / predicted time of the chosen variant - 1"),
                 field("ties", &T::ties, "other variants that tie with it, in the order of the ranking"),
                 field("block_ties", &T::block_ties, "its other block sizes that tie with its best one"),
                 field("regret", &T::regret, "upper bound (95 %) of time / time of the best alternative - 1"));
};
template <>
struct FieldTable<tuning::Measured> {
  using T = tuning::Measured;
  static constexpr auto fields =
      std::tuple(optional_field("variant", &T::variant), inlined_field(&T::blocks), field("seconds", &T::median),
                 field("times", &T::times, "drift-normalised times of the undisturbed runs"), field("error", &T::error),
                 optional_field("wall_times", &T::wall_times, "raw times of all runs"),
                 optional_field("normalised_error", &T::normalised_error), optional_field("within", &T::within));
};
template <>
struct FieldTable<tuning::RunWarning> {
  using T = tuning::RunWarning;
  static constexpr auto fields =
      std::tuple(field("run", &T::run, "such as \"500 library, nb 64\": order, variant, block size"), field("text", &T::text));
};
template <>
struct FieldTable<tuning::OrderCheck> {
  using T = tuning::OrderCheck;
  static constexpr auto fields =
      std::tuple(field("pairs", &T::pairs, "number of pairs of variants whose measured medians differ by more than a margin"),
                 field("right", &T::right, "of these, the pairs that were predicted in this order"));
};
template <>
struct FieldTable<tuning::Check> {
  using T = tuning::Check;
  static constexpr auto fields = std::tuple(
      optional_field("measured", &T::measured, "the alternatives that were run, in the order of the decision's forecasts"),
      optional_field("default_seconds", &T::default_seconds, "medians; 0: not run"), optional_field("chosen_seconds", &T::chosen_seconds),
      optional_field("best_seconds", &T::best_seconds), field("best", &T::best, "the fastest one that was run"),
      optional_field("gain_kept", &T::gain_kept,
                     "best / chosen: share of the best speed that the choice reaches; 1 is perfect (paper 000's yield)"),
      optional_field("regret", &T::regret, "chosen / best - 1: 0 is perfect"),
      field("repeatability", &T::repeatability,
            "median over alternatives of |first half / second half - 1|: how far two measurements of one run differ"),
      optional_field("order", &T::order, "check of the ranking"), optional_field("warnings", &T::warnings));
};
template <>
struct FieldTable<tuning::Decision> {
  using T = tuning::Decision;
  static constexpr auto fields = std::tuple(
      field("sizes", &T::sizes, "sizes of the routine, without those that are derived from others"),
      optional_field("flops", &T::flops, "operations of the routine"),
      optional_field("default", &T::default_, "forecast without tuning; 0 seconds if the problem has no default"),
      field("chosen", &T::chosen), field("gain", &T::gain, "time of the default / time of the chosen alternative - 1"),
      optional_field("ties", &T::ties, "other block sizes of the chosen variant that tie with the chosen one"),
      field("regret", &T::regret, "upper bound (95 %) of time of the chosen / time of the best alternative - 1, over all candidates"),
      optional_field("candidates", &T::candidates,
                     "number of pairs of a variant and a block size that were asked for, with the default; 0: not known"),
      optional_field("considered", &T::considered, "of these, the pairs that were predicted"),
      optional_field("samples", &T::samples, "measured calls that the predictions rest on, with those of earlier runs"),
      optional_field("ranking", &T::ranking, "ranking of the variants, the fastest first"),
      optional_field("forecasts", &T::forecasts, "forecasts of every alternative, by variant and block size"),
      field("validation", &T::validation, "if the alternatives were run"));
};
template <>
struct FieldTable<tuning::SamplingCost> {
  using T = tuning::SamplingCost;
  static constexpr auto fields =
      std::tuple(field("segments", &T::segments, "number of measured segments"),
                 field("timings", &T::timings, "repetitions of timed calls"), field("measuring_seconds", &T::measuring));
};
template <>
struct FieldTable<tuning::JointRank> {
  using T = tuning::JointRank;
  static constexpr auto fields = std::tuple(inlined_field(&T::best), field("place", &T::place, "index of the decision"),
                                            field("behind", &T::behind, "predicted time / predicted time of the fastest - 1"),
                                            field("tied", &T::tied, "the variant ties with the fastest"));
};
template <>
struct FieldTable<tuning::JointDecision> {
  using T = tuning::JointDecision;
  static constexpr auto fields =
      std::tuple(optional_field("sizes", &T::sizes),
                 field("ranking", &T::ranking, "every variant of every place at its own best block size, the fastest first"),
                 field("regret", &T::regret, "upper bound (95 %) of time of the fastest / time of any other - 1"));
};
template <>
struct FieldTable<TuningSettings> {
  using T = TuningSettings;
  static constexpr auto fields =
      std::tuple(field("time_budget", &T::time_budget), field("nb", &T::nb, "block sizes to choose from"), field("seed", &T::seed));
};
template <>
struct FieldTable<QuerySizes> {
  static constexpr auto fields = std::tuple(field("m", &QuerySizes::m), field("n", &QuerySizes::n));
};
template <>
struct FieldTable<RoutineTuning> {
  using T = RoutineTuning;
  static constexpr auto fields =
      std::tuple(field("routine", &T::routine, "\"dpotrf\""), field("flags", &T::flags, "ilaenv's options, such as \"L\""),
                 optional_field("queries", &T::queries), field("decisions", &T::decisions, "for each query"), field("cost", &T::cost),
                 field("complete", &T::complete, "false if the time budget ended sampling before the predictions had their precision"));
};
template <>
struct FieldTable<Tuning> {
  using T = Tuning;
  static constexpr auto fields =
      std::tuple(field("routine", &T::routine), field("environment", &T::environment),
                 optional_field("settings", &T::kernel_settings, "variables in force that select the BLAS's kernels"),
                 field("options", &T::options), field("parts", &T::parts, "the routine itself, or the tunable ones below it"));
};
template <>
struct FieldTable<LapackRoutine> {
  using T = LapackRoutine;
  static constexpr auto fields =
      std::tuple(field("routine", &T::routine), field("flags", &T::flags),
                 field("remark", &T::remark, "why it wasn't tuned, or which sizes are undecided; empty: nothing to say"),
                 field("seconds", &T::seconds, "time that its tuning took"), field("decisions", &T::decisions));
};
template <>
struct FieldTable<LapackTuning> {
  using T = LapackTuning;
  static constexpr auto fields =
      std::tuple(field("environment", &T::environment), field("profile", &T::profile, "file with what was decided"),
                 field("routines", &T::routines, "in the order of tuning"),
                 field("left_out", &T::left_out, "routines that the time budget didn't reach"));
};
template <>
struct FieldTable<VariantInfo> {
  using T = VariantInfo;
  static constexpr auto fields = std::tuple(field("variant", &T::variant), field("description", &T::description),
                                            field("lapack", &T::is_lapacks, "LAPACK's own algorithm"));
};
template <>
struct FieldTable<PlaceRanking> {
  using T = PlaceRanking;
  static constexpr auto fields = std::tuple(optional_field("blas", &T::blas, "as it was asked for; empty: the default"),
                                            field("threads", &T::threads), field("environment", &T::environment),
                                            field("decisions", &T::decisions), field("cost", &T::cost), field("complete", &T::complete));
};
template <>
struct FieldTable<Ranking> {
  using T = Ranking;
  static constexpr auto fields =
      std::tuple(optional_field("family", &T::family), field("routine", &T::routine),
                 optional_field("flags", &T::flags, "the routine's, such as \"L\""), field("options", &T::options),
                 optional_field("variants", &T::variants), field("places", &T::places), field("joint", &T::joint, "for each problem"));
};

std::string to_json(const Tuning& tuning) { return to_document(tuning, "flopcast-tune-3").dump(2); }
Tuning tuning_from_json(std::string_view text) { return from_document<Tuning>(text, "tuning", {"flopcast-tune-3"}); }

std::string to_json(const LapackTuning& tuning) { return to_document(tuning, "flopcast-tune-lapack-3").dump(2); }
LapackTuning lapack_tuning_from_json(std::string_view text) {
  return from_document<LapackTuning>(text, "tuning of LAPACK", {"flopcast-tune-lapack-3"});
}

std::string to_json(const Ranking& ranking) { return to_document(ranking, "flopcast-rank-3").dump(2); }
Ranking ranking_from_json(std::string_view text) { return from_document<Ranking>(text, "ranking", {"flopcast-rank-3"}); }

std::vector<PublishedSchema> tuning_schemas() {
  return {published<Tuning>("flopcast-tune-3", "Block sizes chosen for a routine"),
          published<LapackTuning>("flopcast-tune-lapack-3", "Block sizes chosen for all of LAPACK"),
          published<Ranking>("flopcast-rank-3", "Variants of an algorithm by predicted time, in one or several places")};
}

}  // namespace flopcast
