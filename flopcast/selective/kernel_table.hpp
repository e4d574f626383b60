#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/page_allocator.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::selective {

/// Identity of a kernel: its routine and all values that its time is taken to depend on. A plain record: it travels in messages.
struct KernelKey {
  KernelKind kind = KernelKind::computation;
  std::uint32_t routine = 0;            ///< number in the catalogue, of the MPI routine, of the region
  std::array<std::int64_t, 8> words{};  ///< sizes and flags; bytes, size and stride of the communicator
  std::int64_t size_count = 0;          ///< number of a region's words that are sizes; the last ones may be 0
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const noexcept;
};

/// Everything that is known about one kernel. A plain record.
struct KernelRecord {
  KernelKey key;
  KernelStatistics executed;    ///< times of this process's executions
  KernelStatistics in_context;  ///< times of executions among their neighbours, if these were told apart
  KernelStatistics along;       ///< times along the critical path, measured or estimated
  std::int64_t skipped = 0;     ///< executions that were replaced by an estimate
  double flops = 0;             ///< flops of one execution

  /// Returns true if this process has executed the kernel or left it out.
  [[nodiscard]] bool is_met() const noexcept { return executed.count + skipped > 0; }
};

/// The kernels of one process, numbered in the order of their first execution.
class KernelTable {
 public:
  /// Number of the kernel with `key`, new if it wasn't there.
  std::uint32_t number(const KernelKey& key);
  [[nodiscard]] KernelRecord& operator[](std::uint32_t number) { return kernels_[number]; }
  [[nodiscard]] const PageVector<KernelRecord>& kernels() const noexcept { return kernels_; }
  /// Adds another process's knowledge of a kernel.
  void merge(const KernelRecord& kernel);

 private:
  std::unordered_map<KernelKey, std::uint32_t, KernelKeyHash> numbers_;
  PageVector<KernelRecord> kernels_;
  std::array<std::uint32_t, 512> recent_{};  ///< numbers by hash: programs use few kernels again and again
};

}  // namespace flopcast::selective
