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
inline Fields FieldTable<roofline::GemmShape>::fields() {
  return {field<&T::m>("rows of C"), field<&T::n>("columns of C"), field<&T::k>("columns of A")};
}

template <>
inline Fields FieldTable<roofline::ComputeRoof>::fields() {
  return {field<&T::name>("a loop of one kind of instruction in registers"),
          field<&T::precision>("precision of the numbers"),
          field<&T::lanes>("numbers that one instruction works on"),
          field<&T::fused>("the instructions multiply and add"),
          field<&T::threads>("number of threads"),
          field<&T::flops_per_lane>("flops of one instruction on one number"),
          field<&T::clocks>("clock of each sample right after the loop, in hertz").measured_in("Hz", Best::large),
          field<&T::flops>("rate of all threads together").named("flops_per_second"),
          field<&T::instructions_per_cycle>("instructions of the loop per cycle").measured_in("1/cycle", Best::large)};
}

template <>
inline Fields FieldTable<roofline::BandwidthRoof>::fields() {
  return {field<&T::level>("cache level, or memory"),
          field<&T::stream>("what is read and written: load, store, copy, scale, add, triad or update"),
          field<&T::nontemporal>("stores bypass the caches"),
          field<&T::threads>("number of threads"),
          field<&T::working_set_bytes>("bytes that the stream goes over again and again, of all threads together"),
          field<&T::flops_per_byte>("operational intensity of the stream, with counted bytes"),
          field<&T::moved_per_byte>("bytes that really move over those counted: a plain store first reads its line")
              .measured_in("", Best::small),
          field<&T::bytes>("counted bytes per second, all threads together").named("bytes_per_second")};
}

template <>
inline Fields FieldTable<roofline::GemmTrial>::fields() {
  return {field<&T::shape>("shape of the product"),
          field<&T::state>("\"tie\", \"slower\", \"unsettled\", or the reason why it was dropped"),
          field<&T::flops>("flops per second").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::GemmRoof>::fields() {
  return {field<&T::library>("library that was called"),
          optional_field<&T::routine>("dgemm or sgemm"),
          field<&T::setting>("environment variables that make the library use its present kernels; empty: the library's default"),
          field<&T::threads>("number of threads"),
          field<&T::shape>("shape of the fastest product that was found"),
          field<&T::flops>("rate of the best shape").named("flops_per_second"),
          field<&T::confirmed>("the shape was confirmed in fresh processes"),
          field<&T::ending>("reason why the search ended: decided, good enough, out of time or rounds"),
          field<&T::possible_gain>("fraction of its time that the best shape loses to another one at most, with a probability of 95 %")
              .measured_in("fraction", Best::small),
          field<&T::error_probability>("probability that the best shape loses more; 1: there is no bound"),
          field<&T::evaluations>("timed products").measured_in("", Best::small),
          field<&T::seconds>("time of the search"),
          field<&T::trials>("shapes that were tried, the best first")};
}

template <>
inline Fields FieldTable<roofline::Point>::fields() {
  return {optional_field<&T::level>("level that holds the operands from call to call: \"L2\", \"memory\"; empty: unknown"),
          optional_field<&T::precision>("precision of the numbers"),
          field<&T::name>("call or program that is placed under the roofs"),
          field<&T::flops>("flops of one execution"),
          field<&T::bytes>("bytes of one execution"),
          field<&T::threads>("number of threads"),
          field<&T::flops_rate>("rate of the executions").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::PeakFactor>::fields() {
  return {field<&T::name>("what the factor counts, such as cores"), field<&T::value>("the factor"), field<&T::unit>("unit of the factor"),
          field<&T::source>("where the value comes from")};
}

template <>
inline Fields FieldTable<roofline::TheoreticalPeak>::fields() {
  return {field<&T::name>("clock that the peak is calculated for: nominal or sustained clock"), field<&T::threads>("number of threads"),
          field<&T::factors>("factors of the peak"),
          field<&T::flops>("flops per second, the product of the factors").named("flops_per_second")};
}

template <>
inline Fields FieldTable<roofline::EffectiveOptions>::fields() {
  return {optional_field<&T::version>("version of flopcast"),
          optional_field<&T::threads>("largest number of threads"),
          optional_field<&T::affinity>("order of the CPUs that threads run on"),
          optional_field<&T::cores>("kind of cores; empty: all cores are alike"),
          optional_field<&T::blas>("libraries given; empty: the default ones"),
          optional_field<&T::kernels>("choice of the kernels of BLAS: auto or library"),
          optional_field<&T::gemm>("routines of gemm that were searched"),
          optional_field<&T::space>("name of the space of shapes"),
          optional_field<&T::m>("rows of C in a space of the user's own; empty: none"),
          optional_field<&T::n>("columns of C in a space of the user's own; empty: none"),
          optional_field<&T::k>("columns of A in a space of the user's own; empty: none"),
          optional_field<&T::shapes>("number of shapes in the space"),
          optional_field<&T::tolerance>("fraction of its time that the best gemm may lose to another shape"),
          optional_field<&T::error_probability>("probability that the best gemm loses more"),
          optional_field<&T::stop_at>("share of the FMA ceiling at which searches end; 0: no such share").named("enough"),
          optional_field<&T::streams>("streams whose bandwidth was measured; empty: all"),
          optional_field<&T::nominal_clock_gigahertz>("clock given for the nominal peak; 0: as the CPU reports it"),
          optional_field<&T::fma_units>("FMA units given for a core; 0: as measured"),
          optional_field<&T::time_budget>("time for searches and roofs, such as \"60s\""),
          optional_field<&T::seed>("seed of random orders"),
          optional_field<&T::quick>("fewer samples were taken"),
          optional_field<&T::huge_pages>("the system's setting of huge pages")};
}

/// The schema is written and checked by roofline::to_json and roofline_from_json.
template <>
inline Fields FieldTable<roofline::Roofline>::fields() {
  return {field<&T::cpu>("model name of the CPU"),
          field<&T::fingerprint>("fingerprint of the hardware"),
          field<&T::date>("time of the measurement: UTC, ISO 8601"),
          field<&T::cpus>("CPUs that were used, in order of the threads"),
          field<&T::affinity>("order of the CPUs that threads run on: close or spread"),
          field<&T::levels>("caches with their measured capacities"),
          field<&T::compute>("roofs of arithmetic in registers"),
          field<&T::bandwidth>("roofs of the streams by level"),
          optional_field<&T::triad_lengths>("the plain triad by length, with empty levels"),
          field<&T::gemm>("the best products of matrices, by library, routine and number of threads"),
          field<&T::peaks>("theoretical peaks"),
          field<&T::points>("calls and programs under the roofs"),
          field<&T::findings>("facts that the user should know"),
          field<&T::options>("options that were in force"),
          field<&T::seconds>("time of the measurement")};
}

}  // namespace flopcast

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const Rates& rates);
void from_json(const nlohmann::json& json, Rates& rates);
void to_json(nlohmann::json& json, const ComputeRoof& roof);
void from_json(const nlohmann::json& json, ComputeRoof& roof);

}  // namespace flopcast::roofline
