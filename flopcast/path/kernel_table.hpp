#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "flopcast/core/own_pages.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::path {

enum class KernelKind : std::uint32_t { computation, communication, region };

/// What makes two executions the same kernel: its routine, and all that its time is taken to depend on. A plain record: it travels in
/// messages.
struct KernelKey {
  KernelKind kind = KernelKind::computation;
  std::uint32_t routine = 0;            ///< number in the catalogue, of the MPI routine, of the region
  std::array<std::int64_t, 8> words{};  ///< sizes and flags; bytes, size and stride of the communicator
  std::int64_t size_count = 0;          ///< how many of a region's words are sizes, the last of which may be 0
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const noexcept;
};

/// Mean and variance of times in one pass (Welford 1962; merged after Chan, Golub and LeVeque 1979). A plain record.
struct KernelStatistics {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations from the mean

  void add(double value) noexcept {
    ++count;
    const double difference = value - mean;
    mean += difference / static_cast<double>(count);
    squares += difference * (value - mean);
  }
  void merge(const KernelStatistics& other) noexcept;
  /// These, `part` having been merged into them, without it again; empty if that is all there is.
  [[nodiscard]] KernelStatistics without(const KernelStatistics& part) const noexcept;
  /// Unbiased; 0 for fewer than two values.
  [[nodiscard]] double variance() const noexcept { return count > 1 ? squares / static_cast<double>(count - 1) : 0; }
  friend bool operator==(const KernelStatistics&, const KernelStatistics&) = default;
};

/// All that is known about one kernel. A plain record.
struct Kernel {
  KernelKey key;
  KernelStatistics executed;    ///< times of this process's executions
  KernelStatistics in_context;  ///< of those that were executed among their neighbours, if that was told apart
  KernelStatistics along;       ///< along the critical path, measured or estimated
  std::int64_t skipped = 0;     ///< executions that were replaced by an estimate
  double flops = 0;             ///< of one execution

  /// Whether this process has executed it or left it out.
  [[nodiscard]] bool is_met() const noexcept { return executed.count + skipped > 0; }
};

/// The kernels of one process, numbered in the order of their first execution.
class KernelTable {
 public:
  /// Number of the kernel with `key`, new if it wasn't there.
  std::uint32_t number(const KernelKey& key);
  [[nodiscard]] Kernel& operator[](std::uint32_t number) { return kernels_[number]; }
  [[nodiscard]] const OwnVector<Kernel>& kernels() const noexcept { return kernels_; }
  /// Adds what another process knows of a kernel.
  void merge(const Kernel& kernel);

 private:
  std::unordered_map<KernelKey, std::uint32_t, KernelKeyHash> numbers_;
  OwnVector<Kernel> kernels_;
  std::array<std::uint32_t, 512> recent_{};  ///< numbers by hash: programs ask for a few kernels again and again
};

}  // namespace flopcast::path
