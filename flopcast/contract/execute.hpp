#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "flopcast/contract/algorithm.hpp"
#include "flopcast/contract/kernel_call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::contract {

/// Where BLAS's routines come from: LibrarySet::function, or a test's own.
using FindRoutine = std::function<kernel::Function(std::string_view routine)>;

/// A generated algorithm made ready to run on real data: its kernel's arguments are fixed, only addresses move.
class Execution {
 public:
  /// Throws as kernel_call and `find` do, and environment_error if the buffers of its copies can't be allocated.
  Execution(const Algorithm& algorithm, const Contraction& contraction, const FindRoutine& find);

  /// C := alpha A B + beta C. The tensors lie as the contraction says. C is scaled first, as all kernels add to it. Throws bad_input if C
  /// overlaps A or B.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0);
  /// Elements of all buffers together.
  [[nodiscard]] std::int64_t buffer_elements() const;

 private:
  /// A loop: its length, and by how many bytes each tensor moves per step.
  struct Loop {
    std::int64_t length = 0;
    std::array<std::int64_t, 3> step_bytes{};
  };
  /// A copy: one call per column between the operand and its buffer.
  struct Buffer {
    Place place = Place::a;
    std::size_t depth = 0;
    kernel::Invocation in, out;
    std::array<std::size_t, 2> from_to{};  ///< arguments x and y
    std::int64_t columns = 0, operand_step_bytes = 0, buffer_step_bytes = 0;
    std::vector<std::byte> memory;
  };
  using Pointers = std::array<std::byte*, 3>;

  Buffer make_buffer(const Algorithm& algorithm, const Contraction& contraction, Place place, std::size_t depth, const FindRoutine& find);
  void descend(std::size_t depth, Pointers at);
  void run_kernel(const Pointers& at);
  void fill(Buffer& buffer, const Pointers& at);
  void write_back(Buffer& buffer, const Pointers& at);

  Precision precision_;
  Contraction contraction_;
  Kernel kernel_;
  KernelCall call_;
  kernel::Invocation invocation_;
  std::vector<Loop> loops_;
  std::vector<Buffer> buffers_;
  std::array<std::byte*, 3> buffer_of_{};
  std::complex<double> alpha_ = 1.0;
  int alpha_argument_ = -1;
  Place factor_ = Place::a;  ///< axpy: whose element is the factor
};

}  // namespace flopcast::contract
