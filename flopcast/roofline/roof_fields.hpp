#pragma once

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/fields.hpp"

/// Members of rooflines in documents.
namespace flopcast {

template <>
struct SchemaOf<roofline::Rates> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};
template <>
struct SchemaOf<roofline::ComputeRoof> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

template <>
inline Fields FieldTable<roofline::GemmShape>::fields() {
  return {field<&T::m>(), field<&T::n>(), field<&T::k>()};
}

template <>
inline Fields FieldTable<roofline::BandwidthRoof>::fields() {
  return {field<&T::level>("\"L1\", \"L2\", \"L3\", \"memory\""),
          field<&T::stream>("\"triad\""),
          field<&T::nontemporal>(),
          field<&T::threads>(),
          field<&T::working_set_bytes>("bytes of all threads together"),
          field<&T::flops_per_byte>("operational intensity of the stream, with counted bytes"),
          field<&T::moved_per_byte>("bytes moved per byte counted, if plain stores first read the line they write (write-allocate)"),
          field<&T::bytes>("counted bytes per second, all threads together").named("bytes_per_second")};
}

template <>
inline Fields FieldTable<roofline::GemmTrial>::fields() {
  return {field<&T::shape>(), field<&T::state>("\"tie\", \"slower\", \"unsettled\", or the reason why it was dropped"),
          field<&T::flops>("flops per second").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::GemmRoof>::fields() {
  return {field<&T::library>(),
          optional_field<&T::routine>("\"dgemm\" or \"sgemm\""),
          field<&T::setting>("environment variables that make the library use its present kernels; empty: the library's default"),
          field<&T::threads>(),
          field<&T::shape>("the best shape"),
          field<&T::flops>().named("flops_per_second"),
          field<&T::confirmed>("the shape was confirmed in fresh processes"),
          field<&T::ending>("reason why the search ended"),
          field<&T::possible_gain>("fraction of its time that the best shape may lose to another shape of the space"),
          field<&T::error_probability>(),
          field<&T::evaluations>(),
          field<&T::seconds>("time of the search"),
          field<&T::trials>("the best first")};
}

template <>
inline Fields FieldTable<roofline::Point>::fields() {
  return {optional_field<&T::level>("level that holds the operands from call to call: \"L2\", \"memory\"; empty: unknown"),
          optional_field<&T::precision>(),
          field<&T::name>(),
          field<&T::flops>(),
          field<&T::bytes>(),
          field<&T::threads>(),
          field<&T::flops_rate>("flops per second").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::PeakFactor>::fields() {
  return {field<&T::name>(), field<&T::value>(), field<&T::unit>(), field<&T::source>()};
}

template <>
inline Fields FieldTable<roofline::TheoreticalPeak>::fields() {
  return {field<&T::name>("\"nominal\", \"sustained clock\""), field<&T::threads>(), field<&T::factors>(),
          field<&T::flops>("flops per second, the product of the factors").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::EffectiveOptions>::fields() {
  return {optional_field<&T::version>("version of flopcast"),
          optional_field<&T::threads>(),
          optional_field<&T::affinity>(),
          optional_field<&T::cores>("kind of cores; empty: all cores are alike"),
          optional_field<&T::blas>("libraries given; empty: the default ones"),
          optional_field<&T::kernels>(),
          optional_field<&T::gemm>("routines"),
          optional_field<&T::space>(),
          optional_field<&T::m>(),
          optional_field<&T::n>(),
          optional_field<&T::k>("sizes of a space of the user's own"),
          optional_field<&T::shapes>(),
          optional_field<&T::tolerance>(),
          optional_field<&T::error_probability>(),
          optional_field<&T::stop_at>("share of the FMA ceiling at which searches end; 0: no such share").named("enough"),
          optional_field<&T::streams>(),
          optional_field<&T::nominal_clock_gigahertz>(),
          optional_field<&T::fma_units>(),
          optional_field<&T::time_budget>("\"60s\""),
          optional_field<&T::seed>(),
          optional_field<&T::quick>(),
          optional_field<&T::huge_pages>("setting of the system")};
}

/// The schema is written and checked by roofline::to_json and roofline_from_json.
template <>
inline Fields FieldTable<roofline::Roofline>::fields() {
  return {field<&T::cpu>(),
          field<&T::fingerprint>("fingerprint of the hardware"),
          field<&T::date>("UTC, ISO 8601"),
          field<&T::cpus>("CPUs that were used, in order of the threads"),
          field<&T::affinity>(),
          field<&T::levels>("measured capacities"),
          field<&T::compute>(),
          field<&T::bandwidth>(),
          optional_field<&T::triad_lengths>("the plain triad by length, with empty levels"),
          field<&T::gemm>(),
          field<&T::peaks>(),
          field<&T::points>(),
          field<&T::findings>("facts that the user should know"),
          field<&T::options>(),
          field<&T::seconds>("time of the measurement")};
}

}  // namespace flopcast

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const Rates& rates);
void from_json(const nlohmann::json& json, Rates& rates);
void to_json(nlohmann::json& json, const ComputeRoof& roof);
void from_json(const nlohmann::json& json, ComputeRoof& roof);

}  // namespace flopcast::roofline
