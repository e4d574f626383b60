#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/tiled_contraction.hpp"

namespace flopcast::contract {

/// Memory for the beginnings of a contraction's tensors, at the whole contraction's strides. Only used pages take real memory.
class SampleTensors {
 public:
  /// Reserves room for `most`, which is a part of a contraction. Throws environment_error if the system refuses this much address space.
  explicit SampleTensors(const Folded& most);

  /// Writes numbers into all elements of a part of A and B, so that the pages exist. C's pages come into existence when C is computed.
  void fill(const Folded& part);
  /// Evicts the elements of a part of A and B, and of C if `result`, from all caches.
  void flush(const Folded& part, bool result) const;
  /// C := A B + beta C on the part for which `tiled` was made.
  void run(const TiledContraction& tiled, double beta) const;
  /// Runs like run() on the calling thread. Returns the times of the parts.
  PartTimes run_timed(const TiledContraction& tiled, double beta, const machine::WallClock& clock) const;

 private:
  struct UnmapTensor {
    std::size_t size_bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  struct SampleTensor {
    std::unique_ptr<std::byte, UnmapTensor> memory;
    std::byte* first = nullptr;
  };
  using Offsets = std::vector<std::int64_t>;

  [[nodiscard]] SampleTensor allocate(const Offsets& rows, const Offsets& columns, const Offsets& batch) const;
  void fill(const SampleTensor& tensor, const Offsets& rows, const Offsets& columns, const Offsets& batch) const;
  void flush(const SampleTensor& tensor, Offsets rows, Offsets columns, Offsets batch) const;
  void flush(const SampleTensor& tensor, const Offsets& rows, std::int64_t from) const;

  Precision precision_;
  bool swapped_;
  SampleTensor a_, b_, c_;  ///< tensors as folded: A and B have changed places if `swapped`
};

}  // namespace flopcast::contract
