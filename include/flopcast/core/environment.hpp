#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flopcast {

/// One level of cache: measured properties, and beside them those that the system reports.
struct CacheLevel {
  std::string name;                 ///< "L1", "L2", "L3"
  std::int64_t capacity_bytes = 0;  ///< measured: best estimate of the capacity knee; the share of one core if the level is private
  std::int64_t capacity_low_bytes = 0, capacity_high_bytes = 0;  ///< interval of the capacity knee
  std::int64_t reported_bytes = 0;                               ///< capacity that the system reports; 0 if it reports none
  std::int64_t line_bytes = 64;
  int associativity = 0;       ///< reported; 0 if unknown
  double bandwidth = 0;        ///< triad, bytes per second, one core
  double latency_seconds = 0;  ///< latency of a serial pointer chase; 0: not measured
  /// Capacity knees of pointer chases alone: of one chain of dependent reads, and of several chains at once; 0 if unknown.
  std::int64_t serial_chase_bytes = 0, parallel_chase_bytes = 0;
  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

/// A BLAS or LAPACK library that was loaded.
struct LibraryIdentity {
  std::string name;       ///< "openblas", "blis", "reference", ...
  std::string path;       ///< resolved path of the loaded file
  std::string version;    ///< version that the library reports, e.g. "0.3.21"
  std::string kernels;    ///< kernels that the library chose for this CPU, if it reports them ("SkylakeX"); else empty
  std::string threading;  ///< "serial", "pthread", "openmp", or empty
  std::string digest;     ///< digest of the file: tells builds apart
  int integer_bytes = 4;  ///< bytes of the integers that its routines take: 4 (LP64) or 8 (ILP64)
  friend bool operator==(const LibraryIdentity&, const LibraryIdentity&) = default;
};

/// The machine and libraries that a model or sample was measured on.
struct Environment {
  std::string cpu;  ///< model name
  int cores = 1;
  std::vector<CacheLevel> caches;  ///< L1 first
  double memory_bandwidth = 0;     ///< triad, bytes per second, one core
  double peak_flops = 0;           ///< best double-precision rate seen on one core (reference dgemm), flops per second
  LibraryIdentity blas, lapack;
  int threads = 1;
  std::string affinity;     ///< e.g. "0" or "0-1"
  std::string fingerprint;  ///< digest of CPU, classes of the measured caches, and libraries; models hold only where it is equal
  friend bool operator==(const Environment&, const Environment&) = default;
};

}  // namespace flopcast
