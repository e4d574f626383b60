#pragma once

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/fields.hpp"

/// Members of rooflines in documents.
namespace flopcast {

template <>
struct FieldTable<roofline::GemmShape> {
  using T = roofline::GemmShape;
  static constexpr auto fields = std::tuple(field("m", &T::m), field("n", &T::n), field("k", &T::k));
};

template <>
struct FieldTable<roofline::BandwidthRoof> {
  using T = roofline::BandwidthRoof;
  static constexpr auto fields =
      std::tuple(field("level", &T::level, "\"L1\", \"L2\", \"L3\", \"memory\""), field("stream", &T::stream, "\"triad\""),
                 field("nontemporal", &T::nontemporal), field("threads", &T::threads),
                 field("working_set_bytes", &T::working_set_bytes, "bytes of all threads together"),
                 field("flops_per_byte", &T::flops_per_byte, "operational intensity of the stream, with counted bytes"),
                 field("moved_per_byte", &T::moved_per_byte,
                       "bytes moved per byte counted, if plain stores first read the line they write (write-allocate)"),
                 field("bytes_per_second", &T::bytes, "counted bytes per second, all threads together"));
};

template <>
struct FieldTable<roofline::GemmTrial> {
  using T = roofline::GemmTrial;
  static constexpr auto fields = std::tuple(
      field("shape", &T::shape), field("state", &T::state, "\"tie\", \"slower\", \"unsettled\", or the reason why it was dropped"),
      field("flops_per_second", &T::flops, "flops per second"));
};

template <>
struct FieldTable<roofline::GemmRoof> {
  using T = roofline::GemmRoof;
  static constexpr auto fields = std::tuple(
      field("library", &T::library), optional_field("routine", &T::routine, "\"dgemm\" or \"sgemm\""),
      field("setting", &T::setting, "environment variables that make the library use its present kernels; empty: the library's default"),
      field("threads", &T::threads), field("shape", &T::shape, "the best shape"), field("flops_per_second", &T::flops),
      field("confirmed", &T::confirmed, "the shape was confirmed in fresh processes"),
      field("ending", &T::ending, "reason why the search ended"),
      field("possible_gain", &T::possible_gain, "fraction of its time that the best shape may lose to another shape of the space"),
      field("error_probability", &T::error_probability), field("evaluations", &T::evaluations),
      field("seconds", &T::seconds, "time of the search"), field("trials", &T::trials, "the best first"));
};

template <>
struct FieldTable<roofline::Point> {
  using T = roofline::Point;
  static constexpr auto fields =
      std::tuple(optional_field("level", &T::level, "level that holds the operands from call to call: \"L2\", \"memory\"; empty: unknown"),
                 optional_field("precision", &T::precision), field("name", &T::name), field("flops", &T::flops), field("bytes", &T::bytes),
                 field("threads", &T::threads), field("flops_per_second", &T::flops_rate, "flops per second"));
};

template <>
struct FieldTable<roofline::PeakFactor> {
  using T = roofline::PeakFactor;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("value", &T::value), field("unit", &T::unit), field("source", &T::source));
};

template <>
struct FieldTable<roofline::TheoreticalPeak> {
  using T = roofline::TheoreticalPeak;
  static constexpr auto fields =
      std::tuple(field("name", &T::name, "\"nominal\", \"sustained clock\""), field("threads", &T::threads), field("factors", &T::factors),
                 field("flops_per_second", &T::flops, "flops per second, the product of the factors"));
};

template <>
struct FieldTable<roofline::EffectiveOptions> {
  using T = roofline::EffectiveOptions;
  static constexpr auto fields = std::tuple(
      optional_field("version", &T::version, "version of flopcast"), optional_field("threads", &T::threads),
      optional_field("affinity", &T::affinity), optional_field("cores", &T::cores, "kind of cores; empty: all cores are alike"),
      optional_field("blas", &T::blas, "libraries given; empty: the default ones"), optional_field("kernels", &T::kernels),
      optional_field("gemm", &T::gemm, "routines"), optional_field("space", &T::space), optional_field("m", &T::m),
      optional_field("n", &T::n), optional_field("k", &T::k, "sizes of a space of the user's own"), optional_field("shapes", &T::shapes),
      optional_field("tolerance", &T::tolerance), optional_field("error_probability", &T::error_probability),
      optional_field("enough", &T::stop_at, "share of the FMA ceiling at which searches end; 0: no such share"),
      optional_field("streams", &T::streams), optional_field("nominal_clock_gigahertz", &T::nominal_clock_gigahertz),
      optional_field("fma_units", &T::fma_units), optional_field("time_budget", &T::time_budget, "\"60s\""),
      optional_field("seed", &T::seed), optional_field("quick", &T::quick),
      optional_field("huge_pages", &T::huge_pages, "setting of the system"));
};

/// The schema is written and checked by roofline::to_json and roofline_from_json.
template <>
struct FieldTable<roofline::Roofline> {
  using T = roofline::Roofline;
  static constexpr auto fields = std::tuple(
      field("cpu", &T::cpu), field("fingerprint", &T::fingerprint, "fingerprint of the hardware"), field("date", &T::date, "UTC, ISO 8601"),
      field("cpus", &T::cpus, "CPUs that were used, in order of the threads"), field("affinity", &T::affinity),
      field("levels", &T::levels, "measured capacities"), field("compute", &T::compute), field("bandwidth", &T::bandwidth),
      optional_field("triad_lengths", &T::triad_lengths, "the plain triad by length, with empty levels"), field("gemm", &T::gemm),
      field("peaks", &T::peaks), field("points", &T::points), field("findings", &T::findings, "facts that the user should know"),
      field("options", &T::options), field("seconds", &T::seconds, "time of the measurement"));
};

}  // namespace flopcast

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const Rates& rates);
void from_json(const nlohmann::json& json, Rates& rates);
void to_json(nlohmann::json& json, const ComputeRoof& roof);
void from_json(const nlohmann::json& json, ComputeRoof& roof);

}  // namespace flopcast::roofline
