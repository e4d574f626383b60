#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

/// A rate measured repeatedly: flops or bytes per second, every sample kept.
struct Rates {
  std::vector<double> samples;

  void add(const Rates& later) { samples.insert(samples.end(), later.samples.begin(), later.samples.end()); }
  /// Returns the rate for a bandwidth or a gemm, which is the upper quartile, because most disturbances make samples slower.
  [[nodiscard]] double attained() const { return quantile(samples, 0.75); }
  [[nodiscard]] double median() const { return flopcast::median(samples); }
  /// Returns the distribution-free 95 % interval of the median.
  [[nodiscard]] Interval interval() const { return median_interval(samples); }
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// Rate of a loop of one arithmetic instruction.
struct ComputeRoof {
  std::string name;  ///< "AVX-512 double FMA"
  std::string precision;
  int lanes = 1;
  int flops_per_lane = 1;  ///< 2 for FMA
  bool fused = true;
  int threads = 1;
  Rates flops;                        ///< flops per second of all threads together
  std::vector<double> clocks;         ///< clock in hertz of each sample: mean over its threads, right after the sample
  double instructions_per_cycle = 0;  ///< instructions per cycle and core, from the best sample and the highest clock

  /// Returns the best sample: only the core's units and clock make such a loop fast, and all disturbances make it slower.
  [[nodiscard]] double ceiling() const { return *std::max_element(flops.samples.begin(), flops.samples.end()); }
  friend bool operator==(const ComputeRoof&, const ComputeRoof&) = default;
};

/// Rate of a stream over working sets that lie in one level.
struct BandwidthRoof {
  std::string level;   ///< "L1", "L2", "L3", "memory"
  std::string stream;  ///< "triad"
  bool nontemporal = false;
  int threads = 1;
  std::int64_t working_set_bytes = 0;  ///< bytes of all threads together
  double flops_per_byte = 0;           ///< operational intensity of the stream, with counted bytes
  double moved_per_byte = 1;           ///< bytes moved per byte counted, if plain stores first read the line they write (write-allocate)
  Rates bytes;                         ///< counted bytes per second, all threads together

  [[nodiscard]] std::string name() const { return level + ' ' + stream + (nontemporal ? " non-temporal" : ""); }
  friend bool operator==(const BandwidthRoof&, const BandwidthRoof&) = default;
};

/// C := A B with A m x k and B k x n. Tørring et al. (2021) exchange m and n: their C has n rows.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;

  [[nodiscard]] double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  /// Returns the number of elements of A, B and C together.
  [[nodiscard]] std::int64_t elements() const { return m * k + k * n + m * n; }
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// Returns "1000x4096x128": m, n, k.
std::string to_string(const GemmShape& shape);

/// Returns the precision as in ComputeRoof: "single" for sgemm, "double" for dgemm.
std::string precision(std::string_view gemm);

/// One configuration of a search with all its measurements.
struct GemmTrial {
  GemmShape shape;
  std::string state;  ///< "tie", "slower", "unsettled", or the reason why it was dropped
  Rates flops;        ///< flops per second
  friend bool operator==(const GemmTrial&, const GemmTrial&) = default;
};

/// Rate of the best gemm of a library.
struct GemmRoof {
  LibraryIdentity library;
  std::string routine = "dgemm";  ///< or "sgemm"
  std::string setting;            ///< environment variables that make the library use its present kernels; empty: the library's default
  int threads = 1;
  GemmShape shape;               ///< the best one
  Rates flops;                   ///< flops per second of this shape: in fresh processes if `confirmed`, else during the search
  bool confirmed = false;        ///< the shape was confirmed in fresh processes
  std::string ending;            ///< reason why the search ended
  double possible_gain = 1;      ///< fraction of its time that the best shape may lose to another shape of the space
  double error_probability = 1;  ///< error probability of `possible_gain`
  std::int64_t evaluations = 0;
  Seconds seconds = 0;            ///< time of the search
  std::vector<GemmTrial> trials;  ///< the best first
  friend bool operator==(const GemmRoof&, const GemmRoof&) = default;
};

/// A call or program on the roofline.
struct Point {
  std::string name;
  double flops = 0, bytes = 0;  ///< the operational intensity is their ratio; bytes are those of the operands, each counted once
  int threads = 1;
  Rates flops_rate;                  ///< flops per second
  std::string level;                 ///< level that contains its operands from call to call: "L2", "memory"; empty: unknown
  std::string precision = "double";  ///< "double" or "single", as in ComputeRoof

  [[nodiscard]] double intensity() const { return flops / bytes; }
  friend bool operator==(const Point&, const Point&) = default;
};

/// A peak computed from factors, each with its source (Tørring et al. 2021, equation 9).
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
  double flops = 0;  ///< flops per second, the product of the factors
  friend bool operator==(const TheoreticalPeak&, const TheoreticalPeak&) = default;
};

/// The options with which a roofline was measured. Texts, lists and values that a document lacks are empty.
struct EffectiveOptions {
  std::string version;  ///< version of flopcast
  std::optional<int> threads;
  std::string affinity;
  std::string cores;              ///< kind of cores; empty: all cores are alike
  std::vector<std::string> blas;  ///< libraries given; empty: the default ones
  std::string kernels;            ///< see machine::LibraryChoice
  std::vector<std::string> gemm;  ///< routines
  std::string space, m, n, k;     ///< name of the space of shapes, and the sizes of one of the user's own
  std::optional<std::int64_t> shapes;
  std::optional<double> tolerance, error_probability;
  std::optional<double> stop_at;  ///< share of the FMA ceiling at which searches end; 0: no such share
  std::vector<std::string> streams;
  std::optional<double> nominal_clock_gigahertz;
  std::optional<int> fma_units;
  std::string time_budget;  ///< "60s"
  std::optional<std::uint64_t> seed;
  std::optional<bool> quick;
  std::string huge_pages;  ///< setting of the system
  friend bool operator==(const EffectiveOptions&, const EffectiveOptions&) = default;
};

/// A machine's roofs.
struct Roofline {
  std::string cpu;
  std::string fingerprint;  ///< fingerprint of the hardware
  std::string date;         ///< UTC, ISO 8601
  std::vector<int> cpus;    ///< CPUs that were used, in order of the threads
  std::string affinity;
  std::vector<CacheLevel> levels;  ///< measured capacities
  std::vector<ComputeRoof> compute;
  std::vector<BandwidthRoof> bandwidth;
  std::vector<BandwidthRoof> triad_lengths;  ///< the plain triad by length, with empty levels
  std::vector<GemmRoof> gemm;
  std::vector<TheoreticalPeak> peaks;
  std::vector<Point> points;
  std::vector<std::string> findings;  ///< facts that the user should know
  EffectiveOptions options;
  Seconds seconds = 0;  ///< time of the measurement

  [[nodiscard]] int max_threads() const;
  friend bool operator==(const Roofline&, const Roofline&) = default;
};

inline constexpr const char* schema = "flopcast-roofline-1";

/// Returns the roofline as a document with its schema.
std::string to_json(const Roofline& roofline);
/// Reads a document that to_json wrote; `document` names it in messages. Throws bad_input that names the
/// missing member or the member of the wrong kind.
Roofline roofline_from_json(std::string_view text, const std::string& document = "the roofline");

/// Returns the highest FMA (or multiply, add) ceiling of `threads` threads in `precision`, or nullptr.
const ComputeRoof* best_compute(const Roofline& roofline, int threads, const std::string& precision = "double");
/// Returns the fastest dgemm of `threads` threads, or nullptr.
const GemmRoof* best_gemm(const Roofline& roofline, int threads);
/// Returns the plain roof of a level's stream, or nullptr.
const BandwidthRoof* find_bandwidth(const Roofline& roofline, const std::string& level, const std::string& stream, int threads,
                                    bool nontemporal = false);

/// Returns the innermost of the measured caches that holds `bytes`; "memory" if none does.
std::string level_of(std::span<const CacheLevel> levels, double bytes);

/// The lowest roof over a point: the minimum of the FMA ceiling and of a bandwidth times the point's intensity, for the point's threads, or
/// else for the threads that were measured. The bandwidth is that of the fastest plain stream in the point's level, or of the triad in
/// memory if the level is unknown. 0 if neither was measured.
struct Bound {
  std::string name;
  double flops = 0;  ///< flops per second
};
Bound bound_of(const Roofline& roofline, const Point& point);

/// Returns a sentence for each impossible figure: a rate that surpasses the sustained peak, or the roof over a point, by more than the
/// measurement error. The clock or the roof was then measured in a slower moment than the rate, so that neither share says anything.
std::vector<std::string> impossible_figures(const Roofline& roofline);

/// Shapes of dgemm to search.
struct GemmSpace {
  std::string name;
  std::vector<GemmShape> shapes;

  /// Returns the number of elements of the largest A, B and C together.
  [[nodiscard]] std::int64_t elements() const;
};

/// Returns a space by name. "full" has the 539 shapes of Tørring et al. 2021, equation 8. "reduced" has its 96 shapes of IV-A: 512 to 4096
/// for one side, 500 to 4000 for the leading dimension, 64 to 2048 for k. "brief" has the reduced shapes with at most `brief_flops`. Throws
/// usage_error for another name.
GemmSpace gemm_space(std::string_view name);
inline constexpr double brief_flops = 1.1e9;

/// Returns every combination of the sizes, those of `k` changing fastest. Throws bad_input for more than 100000, and for a list that is
/// empty or has a size twice.
GemmSpace gemm_space(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k);

}  // namespace flopcast::roofline
