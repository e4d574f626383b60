#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/kernel_call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::contract {

/// The source of BLAS routines: LibrarySet::function, or a substitute in tests.
using FindRoutine = std::function<kernel::Function(std::string_view routine)>;

/// A generated algorithm prepared for real data: its kernel's arguments are fixed, and only addresses change.
class Execution {
 public:
  /// Throws what kernel_call() and `find` throw, and environment_error if the buffers of the copies can't be allocated.
  Execution(const Algorithm& algorithm, const Contraction& contraction, const FindRoutine& find);

  /// C := alpha A B + beta C, with the tensors' layout of the contraction. C is scaled first, because all kernels add to it. Throws
  /// bad_input if C overlaps A or B.
  void run(const void* a, const void* b, void* c, std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0);
  /// Returns the number of elements of all buffers together.
  [[nodiscard]] std::int64_t buffer_elements() const;

  /// Addresses of the first elements of A, B and C.
  using Pointers = std::array<std::byte*, 3>;
  /// Runs a part of the algorithm with alpha = 1: iterations [begin, end) of a loop whose outer loops are at positions `outer`. Copies
  /// outside of this loop aren't made. Requires begin <= end <= the loop's length and outer.size() < number of loops.
  void run_iterations(const Pointers& tensors, std::span<const std::int64_t> outer, std::int64_t begin, std::int64_t end);
  /// Makes the copies right before the loop whose outer loops are at positions `outer`; with `back`, those right after it.
  void run_copies(const Pointers& tensors, std::span<const std::int64_t> outer, bool back);
  /// Returns the buffer of a copied operand; empty if the operand isn't copied.
  [[nodiscard]] std::span<std::byte> buffer_of(Operand operand);

 private:
  /// A loop: its length, and the step of each tensor in bytes.
  struct Loop {
    std::int64_t length = 0;
    std::array<std::int64_t, 3> step_bytes{};
  };
  /// A copy: one call per column between the operand and its buffer.
  struct Buffer {
    Operand operand = Operand::a;
    std::size_t depth = 0;
    kernel::Invocation in, out;
    std::array<std::size_t, 2> from_to{};  ///< positions of the arguments x and y
    std::int64_t columns = 0, operand_step_bytes = 0, buffer_step_bytes = 0;
    std::vector<std::byte> memory;
  };

  Buffer make_buffer(const Algorithm& algorithm, const Contraction& contraction, Operand operand, std::size_t depth,
                     const FindRoutine& find);
  void bind_arguments();
  [[nodiscard]] Pointers inside(Pointers tensors, std::span<const std::int64_t> outer) const;
  void descend(std::size_t depth, const Pointers& at);
  void iterate(std::size_t depth, Pointers at, std::int64_t iterations);
  void run_kernel(const Pointers& at);
  template <class Real>
  void iterate_directly(Pointers at, const std::array<std::int64_t, 3>& steps, std::int64_t iterations);
  [[nodiscard]] std::complex<double> scaled(std::complex<double> value) const;
  void fill(Buffer& buffer, const Pointers& at);
  void write_back(Buffer& buffer, const Pointers& at);

  Precision precision_;
  Contraction contraction_;
  Kernel kernel_;
  KernelCall call_;
  kernel::Invocation invocation_;
  std::vector<Loop> loops_;
  std::vector<Buffer> buffers_;
  /// Positions of the arguments that move with the loops, each with the number of its tensor. Buffers stay in place.
  std::vector<std::pair<std::size_t, std::size_t>> moving_;
  std::complex<double> alpha_ = 1.0;
  int alpha_argument_ = -1;
  Operand factor_ = Operand::a;  ///< axpy: the tensor whose element is the factor
  kernel::Function function_ = nullptr;
  bool is_direct_ = false;  ///< dot and axpy of real numbers are so short that they are called directly through their own types
};

}  // namespace flopcast::contract
