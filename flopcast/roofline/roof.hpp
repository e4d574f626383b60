#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::roofline {

/// A rate measured repeatedly: flops or bytes per second, every sample kept.
struct Rates {
  std::vector<double> samples;

  void add(const Rates& later) { samples.insert(samples.end(), later.samples.begin(), later.samples.end()); }
  /// What stands for a bandwidth or a gemm: the upper quartile, as most that disturbs a sample makes it slower.
  [[nodiscard]] double attained() const { return quantile(samples, 0.75); }
  [[nodiscard]] double median() const { return flopcast::median(samples); }
  /// Of the median, 95 %, distribution-free.
  [[nodiscard]] Interval interval() const { return median_interval(samples); }
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// What a loop of one arithmetic instruction reaches.
struct ComputeRoof {
  std::string name;  ///< "AVX-512 double FMA"
  std::string precision;
  int lanes = 1;
  int flops_per_lane = 1;  ///< 2 for FMA
  bool fused = true;
  int threads = 1;
  Rates flops;                        ///< per second, all threads together
  std::vector<double> clocks;         ///< hertz, of each sample: mean over its threads, right after it
  double instructions_per_cycle = 0;  ///< per core, of the best sample at the highest clock

  /// The best sample: nothing but the core's units and clock makes such a loop fast, and everything else makes it slower.
  [[nodiscard]] double ceiling() const { return *std::max_element(flops.samples.begin(), flops.samples.end()); }
  friend bool operator==(const ComputeRoof&, const ComputeRoof&) = default;
};

/// What a stream over working sets that lie in one level reaches.
struct BandwidthRoof {
  std::string level;   ///< "L1", "L2", "L3", "memory"
  std::string stream;  ///< "triad"
  bool nontemporal = false;
  int threads = 1;
  std::int64_t working_set_bytes = 0;  ///< of all threads together
  double flops_per_byte = 0;           ///< the stream's own intensity, by bytes counted
  double moved_per_byte = 1;           ///< bytes moved per byte counted, if plain stores first read the line they write (write-allocate)
  Rates bytes;                         ///< counted, per second, all threads together

  [[nodiscard]] std::string name() const { return level + ' ' + stream + (nontemporal ? " non-temporal" : ""); }
  friend bool operator==(const BandwidthRoof&, const BandwidthRoof&) = default;
};

/// C := A B with A m x k and B k x n. What paper 003 calls n is m here, and its m is n: its C has n rows.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;

  [[nodiscard]] double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  /// Of A, B and C together.
  [[nodiscard]] std::int64_t elements() const { return m * k + k * n + m * n; }
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// "1000x4096x128": m, n, k.
std::string to_string(const GemmShape& shape);

/// As ComputeRoof has it: "single" of sgemm, "double" of dgemm.
std::string precision(std::string_view gemm);

/// One configuration of a search with everything that was measured of it.
struct GemmTrial {
  GemmShape shape;
  std::string state;  ///< "tie", "slower", "unsettled", or why it was dropped
  Rates flops;        ///< per second
  friend bool operator==(const GemmTrial&, const GemmTrial&) = default;
};

/// What the best gemm of a library reaches.
struct GemmRoof {
  LibraryIdentity library;
  std::string routine = "dgemm";  ///< or "sgemm"
  std::string setting;            ///< environment variables that make the library use its present kernels; empty: as it comes
  int threads = 1;
  GemmShape shape;               ///< the best one
  Rates flops;                   ///< of it, per second: in fresh processes where it was confirmed, else during the search
  bool confirmed = false;        ///< in fresh processes
  std::string search;            ///< "race", "halving" or a technique of paper 003
  std::string ending;            ///< why the search ended
  double possible_gain = 1;      ///< fraction of its time that the best may lose to another one of the space
  double error_probability = 1;  ///< of that statement
  std::int64_t evaluations = 0;
  Seconds seconds = 0;            ///< that the search took
  std::vector<GemmTrial> trials;  ///< the best first
  friend bool operator==(const GemmRoof&, const GemmRoof&) = default;
};

/// A call or program on the roofline.
struct Point {
  std::string name;
  double flops = 0, bytes = 0;  ///< its operational intensity is their ratio; bytes are its operands', each once
  int threads = 1;
  Rates flops_rate;                  ///< per second
  std::string level;                 ///< that holds its operands from call to call: "L2", "memory"; empty: not known
  std::string precision = "double";  ///< or "single", as ComputeRoof has it

  [[nodiscard]] double intensity() const { return flops / bytes; }
  friend bool operator==(const Point&, const Point&) = default;
};

/// A peak computed from factors, each with its source (paper 003, equation 9).
struct PeakFactor {
  std::string name;
  double value = 0;
  std::string unit, source;
  friend bool operator==(const PeakFactor&, const PeakFactor&) = default;
};

struct TheoreticalPeak {
  std::string name;  ///< "nominal", "sustained clock"
  int threads = 1;
  std::vector<PeakFactor> factors;
  double flops = 0;  ///< per second: their product
  friend bool operator==(const TheoreticalPeak&, const TheoreticalPeak&) = default;
};

/// A machine's roofs.
struct Roofline {
  std::string cpu;
  std::string fingerprint;  ///< of the hardware
  std::string date;         ///< UTC, ISO 8601
  std::vector<int> cpus;    ///< that were used, in order of the threads
  std::string affinity;
  std::vector<CacheLevel> levels;  ///< measured capacities
  std::vector<ComputeRoof> compute;
  std::vector<BandwidthRoof> bandwidth;
  std::vector<BandwidthRoof> triad_lengths;  ///< the plain triad by length, whatever level that lies in: levels are empty
  std::vector<GemmRoof> gemm;
  std::vector<TheoreticalPeak> peaks;
  std::vector<Point> points;
  std::vector<std::string> findings;  ///< what the user should know
  nlohmann::json options;             ///< effective ones
  Seconds seconds = 0;                ///< that measuring took

  [[nodiscard]] int most_threads() const;
  friend bool operator==(const Roofline&, const Roofline&) = default;
};

inline constexpr const char* schema = "flopcast-roofline-1";

/// As a document with its schema.
void to_json(nlohmann::json& json, const Roofline& roofline);
/// Throws bad_input naming what is missing or of the wrong kind.
void from_json(const nlohmann::json& json, Roofline& roofline);

/// Highest FMA (or multiply, add) ceiling of `threads` threads in double precision, or nullptr.
const ComputeRoof* best_compute(const Roofline& roofline, int threads, const std::string& precision = "double");
/// The fastest dgemm of `threads` threads, or nullptr.
const GemmRoof* best_gemm(const Roofline& roofline, int threads);
/// The plain roof of a level's stream, or nullptr.
const BandwidthRoof* find_bandwidth(const Roofline& roofline, const std::string& level, const std::string& stream, int threads,
                                    bool nontemporal = false);

/// The innermost of measured caches that holds so many bytes; "memory" if none does.
std::string level_of(std::span<const CacheLevel> levels, double bytes);

/// The lowest roof over a point: the least of a bandwidth's at its intensity and the FMA ceiling, with as many threads as the point has, or
/// as were measured. The bandwidth is that of the fastest plain stream in the point's level; where that isn't known, memory's triad. Nothing
/// (0) if neither was measured.
struct Bound {
  std::string name;
  double flops = 0;  ///< per second
};
Bound bound_of(const Roofline& roofline, const Point& point);

}  // namespace flopcast::roofline
