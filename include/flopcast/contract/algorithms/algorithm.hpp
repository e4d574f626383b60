#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::contract {

/// The five BLAS kernels that can compute the innermost part of a contraction (Peise et al. 2015, section 2), by BLAS level.
enum class BlasKernel : std::uint8_t { dot, axpy, gemv, ger, gemm };
std::string_view name(BlasKernel kernel);
/// Returns the BLAS level of a kernel: 1, 2 or 3.
int blas_level(BlasKernel kernel);

/// A copy of an operand into a buffer. A matrix operand needs one if it is contiguous along none of its kernel indices: the buffer holds
/// the present slice.
struct Copy {
  Operand operand = Operand::a;
  std::size_t depth = 0;  ///< number of loops around the copy, which precedes the loop of this number, or the kernel
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// One way to compute a contraction: nested loops with copies between them and one kernel call at their core. Each loop holds one loop or
/// call besides copies, so that these members describe the whole syntax tree.
struct Algorithm {
  BlasKernel kernel = BlasKernel::gemm;
  std::string kernel_indices;  ///< the indices that the kernel takes: contracted, free in A, free in B
  std::string loops;           ///< loop indices, the outermost first
  std::vector<Copy>
      copies;  ///< copies by depth, then in the order A, B, C; C's buffer is filled at this depth and written back after the body

  /// Returns the name as in Peise et al. 2015: the loops, each followed by an apostrophe for each copy in it, then the kernel, as in
  /// `i'c-gemm`. A copy outside of all loops, which only user-defined strides cause, comes first. Without loops the name is the kernel
  /// alone.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Copy* copy_of(Operand operand) const;
  friend bool operator==(const Algorithm&, const Algorithm&) = default;
};

/// Returns the number of kernel calls: the product of the loops' lengths.
double kernel_calls(const Algorithm& algorithm, const Contraction& contraction);

/// Returns the indices of `operand` that the algorithm's kernel takes (none: a scalar, one: a vector, two: a matrix).
std::string kernel_indices(const Algorithm& algorithm, const Contraction& contraction, Operand operand);

/// Two indices of a tensor as a BLAS matrix: contiguous along `rows`, and the leading dimension apart along `columns`.
struct MatrixView {
  char rows = 'i', columns = 'j';
  std::int64_t leading_dimension = 1;
};

/// Returns the matrix that the two `indices` form, or nothing if neither has stride 1 or columns would overlap.
std::optional<MatrixView> matrix_view(const Tensor& tensor, const std::string& indices, const Extents& extents);

/// Returns the tensor that the kernel works on: the buffer of a copied operand (dense, with the indices in the same order in memory),
/// otherwise the operand itself.
Tensor kernel_tensor(const Algorithm& algorithm, const Contraction& contraction, Operand operand);

/// The BLAS call at an algorithm's core, from the routine catalogue, without addresses of operands.
struct KernelCall {
  Call call;
  /// Position of the argument that takes A, B, C; -1 for an operand of one element (axpy's factor, dot's result).
  std::array<int, 3> argument = {-1, -1, -1};

  [[nodiscard]] int argument_of(Operand operand) const { return argument[static_cast<std::size_t>(operand)]; }
};

/// Returns the call that computes C += alpha A B on the kernel's slices. Throws bad_input if a stride doesn't fit BLAS's 32-bit integers.
KernelCall kernel_call(const Algorithm& algorithm, const Contraction& contraction);

/// Throws bad_input if a stride of the algorithm's kernel calls or copies doesn't fit BLAS's 32-bit integers.
void require_callable(const Algorithm& algorithm, const Contraction& contraction);

/// Returns the call that copies one column of the slice of `operand` into its buffer, or with `back` from the buffer to the slice.
Call column_copy(const Algorithm& algorithm, const Contraction& contraction, Operand operand, bool back = false);

/// Returns the bytes of the buffer for the slice of a copied operand.
std::int64_t copy_bytes(const Algorithm& algorithm, const Contraction& contraction, Operand operand);

/// Returns the peak of resident memory that an execution causes: the bytes of the three tensors and of the copies.
std::int64_t resident_bytes(const Algorithm& algorithm, const Contraction& contraction);

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
  BlasKernel kernel_;
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

/// Returns the number of algorithms that generate() would return, without making them.
double algorithm_count(const Contraction& contraction, std::span<const BlasKernel> kernels = {});

/// Returns every BLAS-based algorithm of a contraction (Peise et al. 2015, section 2 and table 1): every choice of the kernel's indices,
/// and for each choice every order of the loops over all other indices. Copies stand as far outside as their operand's indices allow. If
/// all indices are batch indices, or there are none, no kernel has an index to work along; the algorithm is then an axpy on one element.
///
/// `kernels` restricts the kernels; empty: all. The algorithms are ordered by kernel (dot, axpy, gemv, ger, gemm), then by kernel indices,
/// then by loops. Throws bad_input if there are more than `most`, or if a stride is not positive (a BLAS vector would start at its other
/// end).
std::vector<Algorithm> generate(const Contraction& contraction, std::span<const BlasKernel> kernels = {}, double most = 1e6);

/// Returns the algorithms of these kernels (empty: all), or the one called `name`. Throws bad_input if there is none, or an index has size
/// 0.
std::vector<Algorithm> choose_algorithms(const Contraction& contraction, std::span<const BlasKernel> kernels, const std::string& name = {});

/// Adds the copies to an algorithm of which the kernel, the kernel indices and the loops are given.
Algorithm with_copies(Algorithm algorithm, const Contraction& contraction);

/// Returns the algorithm of this name, e.g. "ci'-gemm". Throws bad_input with the nearest names if no algorithm has it.
Algorithm find_algorithm(const std::string& name, std::span<const Algorithm> algorithms);

enum class Language : std::uint8_t { c, cpp };

/// Returns the name of the emitted function, e.g. contract_cj_gemm for cj'-gemm. The name omits the apostrophes, because copies follow from
/// the rest.
std::string function_name(const Algorithm& algorithm);

/// Returns a source file with one function per algorithm, which calls CBLAS and doesn't depend on flopcast. For example,
/// int contract_c_gemm(size_t n_a, size_t n_b, size_t n_c, size_t n_i, const double *A, const double *B, double *C)
/// computes C := A B on dense tensors. The function returns 0, or 1 if memory for a copy isn't available; C is then unchanged. Sizes come
/// in the order of the contraction's indices: those of C, then the contracted ones. User-defined strides are written out as numbers.
std::string emit(std::span<const Algorithm> algorithms, const Contraction& contraction, Language language);

}  // namespace flopcast::contract
