#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flopcast/contract/blocked.hpp"
#include "flopcast/contract/folded.hpp"

namespace flopcast::contract {

/// Memory for the beginnings of a contraction's tensors at the whole contraction's strides. Only pages that are used are real ones.
class SampleTensors {
 public:
  /// Room for `most`, which is a part of a contraction. Throws environment_error if the system refuses so much of the address space.
  explicit SampleTensors(const Folded& most);

  /// Writes numbers into all elements of a part of A and B, so that its pages are there; C's are when it is computed.
  void fill(const Folded& part);
  /// Pushes the elements of a part out of all caches; C's too if `result`.
  void flush(const Folded& part, bool result) const;
  /// C := A B + beta C on that part.
  void run(const Blocked& blocked, double beta) const;
  /// The same on the calling thread; how long its parts took.
  PartTimes run_timed(const Blocked& blocked, double beta, const machine::WallClock& clock) const;

 private:
  struct Unmap {
    std::size_t size_bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  struct Tensor {
    std::unique_ptr<std::byte, Unmap> memory;
    std::byte* first = nullptr;
  };
  using Offsets = std::vector<std::int64_t>;

  [[nodiscard]] Tensor allocate(const Offsets& rows, const Offsets& columns, const Offsets& batch) const;
  void fill(const Tensor& tensor, const Offsets& rows, const Offsets& columns, const Offsets& batch) const;
  void flush(const Tensor& tensor, Offsets rows, Offsets columns, Offsets batch) const;
  void flush(const Tensor& tensor, const Offsets& rows, std::int64_t from) const;

  Precision precision_;
  bool swapped_;
  Tensor a_, b_, c_;  ///< as folded: A and B have changed places if `swapped`
};

}  // namespace flopcast::contract
