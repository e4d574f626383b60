#pragma once

/// JSON and schemas of environments, cache levels, library identities, intervals, samples, model keys, placements and traces.
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Environments kept by earlier versions lack the chases.
template <>
inline Fields FieldTable<CacheLevel>::fields() {
  return {field<&T::name>("\"L1\", \"L2\", \"L3\""),
          field<&T::capacity_bytes>("measured: best estimate of the capacity knee; the share of one core if the level is private"),
          field<&T::capacity_low_bytes>("lower end of the interval of the capacity knee"),
          field<&T::capacity_high_bytes>("upper end of the interval of the capacity knee"),
          field<&T::reported_bytes>("capacity that the system reports; 0 if it reports none"),
          field<&T::line_bytes>("bytes of a cache line"),
          field<&T::associativity>("reported; 0 if unknown"),
          field<&T::bandwidth>("rate of the triad with one core").measured_in("B/s", Best::large),
          field<&T::latency_seconds>("latency of a serial pointer chase"),
          optional_field<&T::serial_chase_bytes>("capacity seen by reads that wait for each other"),
          optional_field<&T::parallel_chase_bytes>("capacity seen by independent random reads")};
}

/// Environments kept by earlier versions lack the bytes of integers.
template <>
inline Fields FieldTable<LibraryIdentity>::fields() {
  return {field<&T::name>("\"openblas\", \"blis\", \"reference\""),
          field<&T::path>("resolved path of the loaded file"),
          field<&T::version>("version that the library reports"),
          field<&T::kernels>("kernels that the library chose for this CPU, if it reports them (\"SkylakeX\"); else empty"),
          field<&T::threading>("\"serial\", \"pthread\", \"openmp\", or empty"),
          field<&T::digest>("digest of the file: tells builds apart"),
          optional_field<&T::integer_bytes>("bytes of the integers that its routines take: 4 (LP64) or 8 (ILP64)")};
}

template <>
inline Fields FieldTable<Environment>::fields() {
  return {field<&T::cpu>("model name"),
          field<&T::cores>("number of cores"),
          field<&T::caches>("from L1 outwards"),
          field<&T::memory_bandwidth>("triad, bytes per second, one core"),
          field<&T::peak_flops>("best double-precision rate seen on one core (reference dgemm), flops per second"),
          field<&T::blas>("the loaded BLAS"),
          field<&T::lapack>("the loaded LAPACK"),
          field<&T::threads>("threads of BLAS"),
          field<&T::affinity>("CPUs that the process was bound to"),
          field<&T::fingerprint>("digest of CPU, classes of the measured caches, and libraries; models hold only where it is equal")};
}

inline void to_json(nlohmann::json& json, const Interval& interval) { json = {interval.low, interval.high}; }
inline void from_json(const nlohmann::json& json, Interval& interval) {
  std::array<double, 2> ends{};
  read_value(json, ends);
  interval = {ends[0], ends[1]};
}

template <>
Fields FieldTable<OperandState>::fields();
template <>
Fields FieldTable<Repetition>::fields();
template <>
Fields FieldTable<ModelKey>::fields();
template <>
Fields FieldTable<Sample>::fields();

void to_json(nlohmann::json& json, const Placement& placement);
void from_json(const nlohmann::json& json, Placement& placement);
template <>
struct SchemaOf<Placement> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return array_schema(maker.of<OperandState>()); }
};

/// Returns a call as the JSON array [routine, argument, ...]: flags as strings, integers as numbers, scalars as numbers or [re, im],
/// operands as "name+offset_bytes" within `allocations`, or null when not given.
nlohmann::json to_json(const Call& call, const std::vector<Allocation>& allocations);
Call call_from_json(const nlohmann::json& json, const std::vector<Allocation>& allocations, const RoutineLookup& lookup);
/// Writes the document `{"schema": "flopcast-trace-1", ...}`; from_json throws bad_input that names the problem and its place.
nlohmann::json to_json(const Trace& trace);
Trace trace_from_json(const nlohmann::json& json, const RoutineLookup& lookup);

template <>
struct EnumNames<Precision> {
  static constexpr std::array names{std::pair{Precision::s, "s"}, std::pair{Precision::d, "d"}, std::pair{Precision::c, "c"},
                                    std::pair{Precision::z, "z"}};
};

template <>
struct SchemaOf<Interval> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return described(maker.of<std::array<double, 2>>(), "lower and upper end"); }
};

/// Returns the schema of a trace's document (core/trace_json.hpp).
nlohmann::ordered_json trace_schema(SchemaMaker& maker);

}  // namespace flopcast
