#pragma once

#include "flopcast/core/environment.hpp"
#include "flopcast/support/fields.hpp"

/// JSON of environments, cache levels and library identities.
namespace flopcast {

/// Environments kept by earlier versions lack the chases.
template <>
struct FieldTable<CacheLevel> {
  using T = CacheLevel;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("capacity_bytes", &T::capacity_bytes), field("capacity_low_bytes", &T::capacity_low_bytes),
                 field("capacity_high_bytes", &T::capacity_high_bytes), field("reported_bytes", &T::reported_bytes),
                 field("line_bytes", &T::line_bytes), field("associativity", &T::associativity), field("bandwidth", &T::bandwidth),
                 field("latency_seconds", &T::latency_seconds), optional_field("serial_chase_bytes", &T::serial_chase_bytes),
                 optional_field("parallel_chase_bytes", &T::parallel_chase_bytes));
};

/// Environments kept by earlier versions lack the bytes of integers.
template <>
struct FieldTable<LibraryIdentity> {
  using T = LibraryIdentity;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("path", &T::path), field("version", &T::version), field("kernels", &T::kernels),
                 field("threading", &T::threading), field("digest", &T::digest), optional_field("integer_bytes", &T::integer_bytes));
};

template <>
struct FieldTable<Environment> {
  using T = Environment;
  static constexpr auto fields = std::tuple(field("cpu", &T::cpu), field("cores", &T::cores), field("caches", &T::caches),
                                            field("memory_bandwidth", &T::memory_bandwidth), field("peak_flops", &T::peak_flops),
                                            field("blas", &T::blas), field("lapack", &T::lapack), field("threads", &T::threads),
                                            field("affinity", &T::affinity), field("fingerprint", &T::fingerprint));
};

}  // namespace flopcast
