#include "flopcast/core/documents.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

namespace flopcast {

using nlohmann::ordered_json;

/// Environments kept by earlier versions lack the chases.
template <>
Fields FieldTable<CacheLevel>::fields() {
  return {field<&T::name>("name of the level, such as \"L1\""),
          field<&T::capacity_bytes>("measured capacity, which predictions use; that of one core if the level is private"),
          field<&T::capacity_low_bytes>("lower end of the measured transition to the next level"),
          field<&T::capacity_high_bytes>("upper end of the measured transition to the next level"),
          field<&T::reported_bytes>("capacity that the system reports; 0 if it reports none"),
          field<&T::line_bytes>("bytes of a cache line"),
          field<&T::associativity>("reported; 0 if unknown"),
          field<&T::bandwidth>("rate of the triad on vectors in this level, with one core").measured_in("B/s", Best::large),
          field<&T::latency_seconds>("time of one read that waits for the one before (serial pointer chase); 0: not measured"),
          optional_field<&T::serial_chase_bytes>("capacity seen by reads that wait for each other"),
          optional_field<&T::parallel_chase_bytes>("capacity seen by independent random reads")};
}

/// Environments kept by earlier versions lack the bytes of integers.
template <>
Fields FieldTable<LibraryIdentity>::fields() {
  return {field<&T::name>("name of the library, such as \"openblas\""),
          field<&T::path>("resolved path of the loaded file"),
          field<&T::version>("version that the library reports"),
          field<&T::kernels>("kernels that the library chose for this CPU, such as \"SkylakeX\"; empty if it reports none"),
          field<&T::threading>("way in which the library runs threads: \"serial\", \"pthread\" or \"openmp\"; empty: not known"),
          field<&T::digest>("digest of the file: tells builds apart"),
          optional_field<&T::integer_bytes>("bytes of the integers that its routines take: 4 (LP64) or 8 (ILP64)")};
}

template <>
Fields FieldTable<Environment>::fields() {
  return {field<&T::cpu>("model name"),
          field<&T::cores>("number of cores"),
          field<&T::caches>("from L1 outwards"),
          field<&T::memory_bandwidth>("rate of the triad in memory, one core").measured_in("B/s", Best::large),
          field<&T::peak_flops>("best double-precision rate seen on one core (reference dgemm)").named("peak_flops_per_second"),
          field<&T::blas>("the loaded BLAS"),
          field<&T::lapack>("the loaded LAPACK"),
          field<&T::threads>("threads of BLAS"),
          field<&T::affinity>("CPUs that the process was bound to"),
          field<&T::fingerprint>("digest of CPU, classes of the measured caches, and libraries; models hold only where it is equal")};
}

ordered_json trace_schema(SchemaMaker& maker) {
  const ordered_json call = {{"type", "array"},
                             {"prefixItems", ordered_json::array({{{"type", "string"}}})},
                             {"minItems", 1},
                             {"description",
                              "routine and its arguments: flags as texts, integers and scalars as numbers, complex scalars as [re, im], "
                              "operands as \"allocation+bytes\" or null"}};
  const ordered_json allocation = object_schema({{"name", described(maker.of<std::string>(), "name that operands refer to")},
                                                 {"bytes", described(maker.of<std::int64_t>(), "size of the allocation")}});
  return object_schema({{"algorithm", described(maker.of<std::string>(), "name of the algorithm or routine")},
                        {"parameters", described(maker.of<std::map<std::string, std::int64_t>>(), "parameters of the algorithm by name")},
                        {"allocations", described(array_schema(allocation), "memory that the operands lie in")},
                        {"calls", described(array_schema(call), "calls in the order of time")},
                        {"integer_bytes", {{"enum", {4, 8}}, {"description", "bytes of the integers that the routines take; missing: 4"}}},
                        {"measured_seconds", described(maker.of<std::vector<Seconds>>(), "time of every call; missing: not timed")}},
                       {"integer_bytes", "measured_seconds"});
}

}  // namespace flopcast
