#pragma once

#include "flopcast/core/environment.hpp"
#include "flopcast/support/fields.hpp"

/// JSON of environments, cache levels and library identities.
namespace flopcast {

/// Environments kept by earlier versions lack the chases.
template <>
struct FieldTable<CacheLevel> {
  using T = CacheLevel;
  static constexpr auto fields = std::tuple(
      field("name", &T::name, "\"L1\", \"L2\", \"L3\""),
      field("capacity_bytes", &T::capacity_bytes,
            "measured: best estimate of the capacity knee; the share of one core if the level is private"),
      field("capacity_low_bytes", &T::capacity_low_bytes, "lower end of the interval of the capacity knee"),
      field("capacity_high_bytes", &T::capacity_high_bytes, "upper end of the interval of the capacity knee"),
      field("reported_bytes", &T::reported_bytes, "capacity that the system reports; 0 if it reports none"),
      field("line_bytes", &T::line_bytes), field("associativity", &T::associativity, "reported; 0 if unknown"),
      field("bandwidth", &T::bandwidth, "triad, bytes per second, one core"),
      field("latency_seconds", &T::latency_seconds, "latency of a serial pointer chase"),
      optional_field("serial_chase_bytes", &T::serial_chase_bytes), optional_field("parallel_chase_bytes", &T::parallel_chase_bytes));
};

/// Environments kept by earlier versions lack the bytes of integers.
template <>
struct FieldTable<LibraryIdentity> {
  using T = LibraryIdentity;
  static constexpr auto fields = std::tuple(
      field("name", &T::name, "\"openblas\", \"blis\", \"reference\""), field("path", &T::path, "resolved path of the loaded file"),
      field("version", &T::version, "version that the library reports"),
      field("kernels", &T::kernels, "kernels that the library chose for this CPU, if it reports them (\"SkylakeX\"); else empty"),
      field("threading", &T::threading, "\"serial\", \"pthread\", \"openmp\", or empty"),
      field("digest", &T::digest, "digest of the file: tells builds apart"),
      optional_field("integer_bytes", &T::integer_bytes, "bytes of the integers that its routines take: 4 (LP64) or 8 (ILP64)"));
};

template <>
struct FieldTable<Environment> {
  using T = Environment;
  static constexpr auto fields =
      std::tuple(field("cpu", &T::cpu, "model name"), field("cores", &T::cores), field("caches", &T::caches, "from L1 outwards"),
                 field("memory_bandwidth", &T::memory_bandwidth, "triad, bytes per second, one core"),
                 field("peak_flops", &T::peak_flops, "best double-precision rate seen on one core (reference dgemm), flops per second"),
                 field("blas", &T::blas), field("lapack", &T::lapack), field("threads", &T::threads), field("affinity", &T::affinity),
                 field("fingerprint", &T::fingerprint,
                       "digest of CPU, classes of the measured caches, and libraries; models hold only where it is equal"));
};

}  // namespace flopcast
