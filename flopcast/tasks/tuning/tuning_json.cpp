#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"

namespace flopcast {

template <>
Fields FieldTable<algorithm::BlockParameters>::fields() {
  return {field<&T::nb>("block size, in columns; of a recursion, the order at which it ends"),
          optional_field<&T::nbmin>("ISPEC 2: smallest block size worth using when the workspace is short"),
          optional_field<&T::nx>("ISPEC 3: crossover, the order below which the rest is done unblocked")};
}
template <>
Fields FieldTable<tuning::Alternative>::fields() {
  return {optional_field<&T::variant>("name in the registry of algorithms; empty: the library's own routine"), inlined_field<&T::blocks>()};
}
template <>
Fields FieldTable<tuning::Forecast>::fields() {
  return {
      optional_field<&T::variant>("name of the variant; empty: the library's own routine"), inlined_field<&T::blocks>(),
      field<&T::seconds>("predicted time"),
      optional_field<&T::interval>("95 % interval of a later single run").measured_in("s", Best::small),
      optional_field<&T::extrapolated>("share of the time that lies outside of the sampled range").measured_in("fraction", Best::small)};
}
template <>
Fields FieldTable<tuning::SpectrumTime>::fields() {
  return {field<&T::spectrum>("spectrum of the matrices"), field<&T::seconds>("predicted time"),
          field<&T::interval>("95 % interval of a later single run").measured_in("s", Best::small),
          field<&T::extrapolated>("share of the time that lies outside of the sampled range")};
}
template <>
Fields FieldTable<tuning::VariantRank>::fields() {
  return {inlined_field<&T::best>(),
          field<&T::rank>("1 + the number of variants that are certainly faster; never decreases along the ranking")
              .measured_in("", Best::small),
          field<&T::behind>("predicted time over that of the chosen variant, minus 1").measured_in("fraction", Best::small),
          field<&T::ties>("other variants that can't be told from this one, in the order of the ranking"),
          field<&T::block_ties>("other block sizes of the variant that tie with its best one"),
          field<&T::regret>("this variant takes at most so much longer than the best alternative, at nominal 95 %")
              .measured_in("fraction", Best::small),
          optional_field<&T::resident_bytes>("predicted peak of resident memory: operands, results and work space; 0: not known")
              .measured_in("B", Best::small),
          optional_field<&T::spectra>("predicted times of a driver by spectrum, that of the ranking first").unless_empty()};
}
template <>
Fields FieldTable<tuning::Measured>::fields() {
  return {optional_field<&T::variant>("name of the variant; empty: the library's own routine"),
          inlined_field<&T::blocks>(),
          field<&T::median>("median of interleaved runs (--validate)").named("seconds"),
          field<&T::times>("drift-normalised times of the undisturbed runs").measured_in("s", Best::small),
          field<&T::error>("predicted over measured time, minus 1; best near 0 (--validate)").measured_in("fraction", Best::neither),
          optional_field<&T::wall_times>("raw times of all runs").measured_in("s", Best::small),
          optional_field<&T::normalised_error>("predicted time / median of `times` - 1").measured_in("fraction", Best::neither),
          optional_field<&T::within>("number of `wall_times` in the predicted interval")};
}
template <>
Fields FieldTable<tuning::RunWarning>::fields() {
  return {field<&T::run>("such as \"500 library, nb 64\": order, variant, block size"), field<&T::text>("what is odd about the run")};
}
template <>
Fields FieldTable<tuning::OrderCheck>::fields() {
  return {field<&T::pairs>("number of pairs of variants whose measured medians differ by more than a margin"),
          field<&T::right>("of these, the pairs that were predicted in this order")};
}
template <>
Fields FieldTable<tuning::Check>::fields() {
  return {optional_field<&T::measured>("the alternatives that were run, in the order of the decision's forecasts"),
          optional_field<&T::default_seconds>("median of interleaved runs with the default block size; 0: not run"),
          optional_field<&T::chosen_seconds>("median of interleaved runs with the chosen variant and block size; 0: not run"),
          optional_field<&T::best_seconds>("median of interleaved runs with the variant and block size that were fastest; 0: not run"),
          field<&T::best>("variant and block size that were fastest when measured"),
          optional_field<&T::yield>("measured time of the fastest alternative over that of the chosen one; 100 % is the best")
              .named("gain_kept")
              .measured_in("fraction", Best::large),
          optional_field<&T::regret>("measured time of the chosen alternative over that of the fastest, minus 1; 0 is the best")
              .measured_in("fraction", Best::small),
          field<&T::repeatability>(
              "how far two measurements of the same run differ: deviation of the first half of the runs from the second, median over the "
              "alternatives")
              .measured_in("fraction", Best::small),
          optional_field<&T::order>("check of the ranking"),
          optional_field<&T::warnings>("anomalies of the runs")};
}
template <>
Fields FieldTable<tuning::Decision>::fields() {
  return {
      field<&T::sizes>("order, or all sizes, of the problem, without those that are derived from others"),
      optional_field<&T::flops>("operations of the routine"),
      optional_field<&T::default_>("forecast with the default block size, LAPACK's own; 0 seconds if the problem has none")
          .named("default"),
      field<&T::chosen>("forecast with the chosen variant and block size"),
      field<&T::gain>("predicted time of the default over that of the chosen alternative, minus 1; 100 % is half the time")
          .measured_in("fraction", Best::large),
      optional_field<&T::ties>(
          "other block sizes of the chosen variant that can't be told from the chosen one, each with at least one crossover point"),
      field<&T::regret>("the chosen alternative takes at most so much longer than the best of all that were asked for, at nominal 95 %")
          .measured_in("fraction", Best::small),
      optional_field<&T::candidates>("number of pairs of a variant and a block size that were asked for, with the default; 0: not known"),
      optional_field<&T::considered>(
          "number of pairs of a variant and a block size that were predicted; fewer than asked for where the time budget ended first")
          .measured_in("", Best::large),
      optional_field<&T::samples>("measured calls that the predictions rest on, with those of earlier runs"),
      optional_field<&T::ranking>("ranking of the variants, the fastest first"),
      optional_field<&T::forecasts>("forecasts of every alternative, by variant and block size"),
      field<&T::validation>("measured with --validate")};
}
template <>
Fields FieldTable<tuning::SamplingCost>::fields() {
  return {field<&T::segments>("number of measured segments"), field<&T::timings>("repetitions of timed calls"),
          field<&T::measuring>("time spent on measuring").named("measuring_seconds")};
}
template <>
Fields FieldTable<tuning::JointRank>::fields() {
  return {inlined_field<&T::best>(), field<&T::place>("index of the decision"),
          field<&T::behind>("predicted time over that of the fastest, minus 1").measured_in("fraction", Best::small),
          field<&T::tied>("the variant ties with the fastest")};
}
template <>
Fields FieldTable<tuning::JointDecision>::fields() {
  return {
      optional_field<&T::sizes>("sizes of the routine"),
      field<&T::ranking>("every variant of every place at its own best block size, the fastest first"),
      field<&T::regret>("the fastest takes at most so much longer than any other, at nominal 95 %").measured_in("fraction", Best::small)};
}
template <>
Fields FieldTable<QuerySizes>::fields() {
  return {field<&T::m>("first size"), field<&T::n>("second size; -1: the routine passes one size only")};
}
template <>
Fields FieldTable<RoutineTuning>::fields() {
  return {field<&T::routine>("\"dpotrf\""),
          field<&T::flags>("ilaenv's options, such as \"L\""),
          optional_field<&T::queries>("sizes that the routine passes to ilaenv"),
          field<&T::decisions>("for each query"),
          field<&T::cost>("cost of sampling"),
          field<&T::complete>("false if the time budget ended sampling before the predictions had their precision")};
}
template <>
Fields FieldTable<Tuning>::fields() {
  return {field<&T::routine>("the routine that was asked for"), field<&T::environment>("machine and libraries"),
          optional_field<&T::kernel_settings>("variables in force that select the BLAS's kernels").named("settings"),
          field<&T::options>("options that the result was made with"),
          field<&T::parts>("the routine itself, or the tunable ones below it")};
}
template <>
Fields FieldTable<LapackRoutine>::fields() {
  return {field<&T::routine>("\"dpotrf\""), field<&T::flags>("ilaenv's options, such as \"L\""),
          field<&T::remark>("why the routine wasn't tuned, or which sizes are undecided; empty: neither"),
          field<&T::seconds>("time that tuning the routine took"), field<&T::decisions>("decisions, one for each problem")};
}
template <>
Fields FieldTable<LapackTuning>::fields() {
  return {field<&T::environment>("machine and libraries"), field<&T::tuning>("file with what was decided"),
          field<&T::routines>("in the order of tuning"), field<&T::left_out>("routines that the time budget didn't reach")};
}
template <>
Fields FieldTable<VariantInfo>::fields() {
  return {field<&T::variant>("name within the family"), field<&T::description>("the variant's algorithm in one line"),
          field<&T::is_lapacks>("LAPACK's own algorithm").named("lapack"),
          optional_field<&T::needs>("matrices that a driver takes").unless_empty(),
          optional_field<&T::scipy>("call of a driver from SciPy or NumPy").unless_empty()};
}
template <>
Fields FieldTable<PlaceRanking>::fields() {
  return {optional_field<&T::blas>("as it was asked for; empty: the default"),
          field<&T::threads>("threads of the library"),
          field<&T::environment>("machine and libraries"),
          field<&T::decisions>("decisions, one for each problem"),
          field<&T::cost>("cost of sampling"),
          field<&T::complete>("false if the time budget ended sampling before the predictions had their precision")};
}
template <>
Fields FieldTable<Ranking>::fields() {
  return {optional_field<&T::family>("family of algorithms, such as cholesky"),
          field<&T::routine>("LAPACK routine of the family"),
          optional_field<&T::flags>("the routine's, such as \"L\""),
          field<&T::options>("options that the result was made with"),
          optional_field<&T::spectrum>("spectrum of the matrices by which drivers are ranked; missing: time doesn't depend on it"),
          optional_field<&T::variants>("variants that were compared"),
          field<&T::places>("decisions for each BLAS and number of threads"),
          field<&T::joint>("for each problem")};
}

std::string to_json(const Tuning& tuning) { return to_document(tuning, "flopcast-tune-3").dump(2); }
Tuning tuning_from_json(std::string_view text) { return from_document<Tuning>(text, "tuning", "flopcast-tune-3"); }

std::string to_json(const LapackTuning& tuning) { return to_document(tuning, "flopcast-tune-lapack-3").dump(2); }
LapackTuning lapack_tuning_from_json(std::string_view text) {
  return from_document<LapackTuning>(text, "tuning of LAPACK", "flopcast-tune-lapack-3");
}

std::string to_json(const Ranking& ranking) { return to_document(ranking, "flopcast-rank-3").dump(2); }
Ranking ranking_from_json(std::string_view text) { return from_document<Ranking>(text, "ranking", "flopcast-rank-3"); }

std::vector<PublishedSchema> tuning_schemas() {
  return {published<Tuning>("flopcast-tune-3", "Block sizes chosen for a routine"),
          published<LapackTuning>("flopcast-tune-lapack-3", "Block sizes chosen for all of LAPACK"),
          published<Ranking>("flopcast-rank-3", "Variants of an algorithm by predicted time, in one or several places")};
}

}  // namespace flopcast
