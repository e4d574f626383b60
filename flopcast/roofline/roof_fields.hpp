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
  static constexpr auto fields = std::tuple(field("level", &T::level), field("stream", &T::stream), field("nontemporal", &T::nontemporal),
                                            field("threads", &T::threads), field("working_set_bytes", &T::working_set_bytes),
                                            field("flops_per_byte", &T::flops_per_byte), field("moved_per_byte", &T::moved_per_byte),
                                            field("bytes_per_second", &T::bytes));
};

template <>
struct FieldTable<roofline::GemmTrial> {
  using T = roofline::GemmTrial;
  static constexpr auto fields = std::tuple(field("shape", &T::shape), field("state", &T::state), field("flops_per_second", &T::flops));
};

template <>
struct FieldTable<roofline::GemmRoof> {
  using T = roofline::GemmRoof;
  static constexpr auto fields =
      std::tuple(field("library", &T::library), optional_field("routine", &T::routine),  // early files, which knew only dgemm, lack it
                 field("setting", &T::setting), field("threads", &T::threads), field("shape", &T::shape),
                 field("flops_per_second", &T::flops), field("confirmed", &T::confirmed), field("search", &T::search),
                 field("ending", &T::ending), field("possible_gain", &T::possible_gain), field("error_probability", &T::error_probability),
                 field("evaluations", &T::evaluations), field("seconds", &T::seconds), field("trials", &T::trials));
};

template <>
struct FieldTable<roofline::Point> {
  using T = roofline::Point;
  static constexpr auto fields = std::tuple(optional_field("level", &T::level), optional_field("precision", &T::precision),
                                            field("name", &T::name), field("flops", &T::flops), field("bytes", &T::bytes),
                                            field("threads", &T::threads), field("flops_per_second", &T::flops_rate));
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
  static constexpr auto fields = std::tuple(field("name", &T::name), field("threads", &T::threads), field("factors", &T::factors),
                                            field("flops_per_second", &T::flops));
};

template <>
struct FieldTable<roofline::EffectiveOptions> {
  using T = roofline::EffectiveOptions;
  static constexpr auto fields =
      std::tuple(optional_field("version", &T::version), optional_field("threads", &T::threads), optional_field("affinity", &T::affinity),
                 optional_field("cores", &T::cores), optional_field("blas", &T::blas), optional_field("kernels", &T::kernels),
                 optional_field("gemm", &T::gemm), optional_field("space", &T::space), optional_field("m", &T::m),
                 optional_field("n", &T::n), optional_field("k", &T::k), optional_field("shapes", &T::shapes),
                 optional_field("search", &T::search), optional_field("order", &T::order), optional_field("tolerance", &T::tolerance),
                 optional_field("error_probability", &T::error_probability), optional_field("enough", &T::stop_at),
                 optional_field("streams", &T::streams), optional_field("nominal_clock_gigahertz", &T::nominal_clock_gigahertz),
                 optional_field("fma_units", &T::fma_units), optional_field("time_budget", &T::time_budget),
                 optional_field("seed", &T::seed), optional_field("quick", &T::quick), optional_field("huge_pages", &T::huge_pages));
};

/// The schema is written and checked by roofline::to_json and roofline_from_json.
template <>
struct FieldTable<roofline::Roofline> {
  using T = roofline::Roofline;
  static constexpr auto fields = std::tuple(
      field("cpu", &T::cpu), field("fingerprint", &T::fingerprint), field("date", &T::date), field("cpus", &T::cpus),
      field("affinity", &T::affinity), field("levels", &T::levels), field("compute", &T::compute), field("bandwidth", &T::bandwidth),
      optional_field("triad_lengths", &T::triad_lengths), field("gemm", &T::gemm), field("peaks", &T::peaks), field("points", &T::points),
      field("findings", &T::findings), field("options", &T::options), field("seconds", &T::seconds));
};

}  // namespace flopcast

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const Rates& rates);
void from_json(const nlohmann::json& json, Rates& rates);
void to_json(nlohmann::json& json, const ComputeRoof& roof);
void from_json(const nlohmann::json& json, ComputeRoof& roof);

}  // namespace flopcast::roofline
