#include "flopcast/contract/algorithms/algorithm.hpp"

#include <algorithm>
#include <limits>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

std::size_t position(const Call& call, std::string_view argument) {
  const int i = call.routine->index(argument);
  if (i < 0) {
    throw internal_error("{} has no argument {}", call.routine->name, argument);
  }
  return static_cast<std::size_t>(i);
}

void set(Call& call, std::string_view argument, std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::max()) {
    throw bad_input("{} of {} would be {}, but BLAS takes 32-bit integers", argument, call.routine->name, value);
  }
  call.arguments[position(call, argument)] = value;
}

/// Returns a call of this family in the contraction's precision, with alpha and beta 1.
Call blank_call(std::string_view family, Precision precision) {
  Call call;
  call.routine = &kernel::require(static_cast<char>(precision) + std::string(family));
  std::int64_t scalars = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::scalar) {
      call.arguments[i] = scalars;
      call.scalars.at(static_cast<std::size_t>(scalars++)) = 1.0;
    }
  }
  return call;
}

MatrixView required_view(const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  const std::optional<MatrixView> view =
      matrix_view(kernel_tensor(algorithm, contraction, operand), kernel_indices(algorithm, contraction, operand), contraction.extents);
  if (!view) {
    throw internal_error("{} of {} is no BLAS matrix and has no copy", letter(operand), algorithm.name());
  }
  return *view;
}

/// Builds the call of any of the five kernels.
class Builder {
 public:
  Builder(const Algorithm& algorithm, const Contraction& contraction) : algorithm_(algorithm), contraction_(contraction) {}

  KernelCall build() {
    switch (algorithm_.kernel) {
      case BlasKernel::dot: build_dot(); break;
      case BlasKernel::axpy: build_axpy(); break;
      case BlasKernel::gemv: build_gemv(); break;
      case BlasKernel::ger: build_ger(); break;
      case BlasKernel::gemm: build_gemm(); break;
    }
    return kernel_;
  }

 private:
  [[nodiscard]] bool is_complex() const { return flopcast::is_complex(contraction_.precision); }
  [[nodiscard]] std::int64_t extent(char index) const { return contraction_.extent(index); }
  [[nodiscard]] std::string indices(Operand operand) const { return kernel_indices(algorithm_, contraction_, operand); }
  [[nodiscard]] MatrixView view(Operand operand) const { return required_view(algorithm_, contraction_, operand); }

  void start(std::string_view family) { kernel_.call = blank_call(family, contraction_.precision); }
  void set(std::string_view argument, std::int64_t value) { contract::set(kernel_.call, argument, value); }
  void put(Operand operand, std::string_view argument) {
    kernel_.argument[static_cast<std::size_t>(operand)] = static_cast<int>(position(kernel_.call, argument));
  }
  void put_vector(Operand operand, std::string_view argument, std::string_view increment) {
    put(operand, argument);
    const std::string along = indices(operand);
    set(increment, along.empty() ? 1 : std::max<std::int64_t>(1, contraction_.tensor(operand).stride(along[0])));
  }

  void build_dot() {
    start(is_complex() ? "dotu" : "dot");
    set("n", extent(algorithm_.kernel_indices[0]));
    put_vector(Operand::a, "x", "incx");
    put_vector(Operand::b, "y", "incy");
  }

  void build_axpy() {
    start("axpy");
    const bool along_a = algorithm_.kernel_indices.empty() || !indices(Operand::a).empty();
    set("n", algorithm_.kernel_indices.empty() ? 1 : extent(algorithm_.kernel_indices[0]));
    put_vector(along_a ? Operand::a : Operand::b, "x", "incx");
    put_vector(Operand::c, "y", "incy");
  }

  void build_gemv() {
    start("gemv");
    const Operand matrix = indices(Operand::a).size() == 2 ? Operand::a : Operand::b;
    const MatrixView seen = view(matrix);
    set("trans", contraction_.role(seen.rows) == IndexRole::contracted ? 'T' : 'N');
    set("m", extent(seen.rows));
    set("n", extent(seen.columns));
    put(matrix, "A");
    set("lda", seen.leading_dimension);
    put_vector(matrix == Operand::a ? Operand::b : Operand::a, "x", "incx");
    put_vector(Operand::c, "y", "incy");
  }

  void build_ger() {
    start(is_complex() ? "geru" : "ger");
    const MatrixView seen = view(Operand::c);
    const bool rows_from_a = contraction_.role(seen.rows) == IndexRole::free_a;
    set("m", extent(seen.rows));
    set("n", extent(seen.columns));
    put_vector(rows_from_a ? Operand::a : Operand::b, "x", "incx");
    put_vector(rows_from_a ? Operand::b : Operand::a, "y", "incy");
    put(Operand::c, "A");
    set("lda", seen.leading_dimension);
  }

  void build_gemm() {
    start("gemm");
    const MatrixView seen = view(Operand::c);
    const bool rows_from_a = contraction_.role(seen.rows) == IndexRole::free_a;
    const Operand left = rows_from_a ? Operand::a : Operand::b;
    const Operand right = rows_from_a ? Operand::b : Operand::a;
    const MatrixView left_seen = view(left);
    const MatrixView right_seen = view(right);
    set("transa", left_seen.rows == seen.rows ? 'N' : 'T');
    set("transb", right_seen.rows == seen.columns ? 'T' : 'N');
    set("m", extent(seen.rows));
    set("n", extent(seen.columns));
    set("k", extent(algorithm_.kernel_indices[0]));
    put(left, "A");
    set("lda", left_seen.leading_dimension);
    put(right, "B");
    set("ldb", right_seen.leading_dimension);
    put(Operand::c, "C");
    set("ldc", seen.leading_dimension);
  }

  const Algorithm& algorithm_;
  const Contraction& contraction_;
  KernelCall kernel_;
};

}  // namespace

std::optional<MatrixView> matrix_view(const Tensor& tensor, const std::string& indices, const Extents& extents) {
  const auto as_rows = [&](char rows, char columns) -> std::optional<MatrixView> {
    const std::int64_t height = std::max<std::int64_t>(1, extents.at(rows));
    const std::int64_t stride = extents.at(columns) > 1 ? tensor.stride(columns) : std::max(height, tensor.stride(columns));
    if (tensor.stride(rows) != 1 || stride < height) {
      return std::nullopt;
    }
    return MatrixView{rows, columns, stride};
  };
  const std::size_t first = std::min(tensor.indices.find(indices[0]), tensor.indices.find(indices[1]));
  const char earlier = tensor.indices[first];
  const char later = indices[0] == earlier ? indices[1] : indices[0];
  const std::optional<MatrixView> view = as_rows(earlier, later);
  return view ? view : as_rows(later, earlier);
}

Tensor kernel_tensor(const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  const Tensor& tensor = contraction.tensor(operand);
  if (algorithm.copy_of(operand) == nullptr) {
    return tensor;
  }
  std::string indices = kernel_indices(algorithm, contraction, operand);
  if (tensor.stride(indices[1]) < tensor.stride(indices[0])) {
    std::swap(indices[0], indices[1]);
  }
  return {indices, {1, std::max<std::int64_t>(1, contraction.extent(indices[0]))}};
}

std::int64_t copy_bytes(const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  const Tensor buffer = kernel_tensor(algorithm, contraction, operand);
  return contraction.extent(buffer.indices[1]) * buffer.strides[1] * element_bytes(contraction.precision);
}

KernelCall kernel_call(const Algorithm& algorithm, const Contraction& contraction) { return Builder(algorithm, contraction).build(); }

void require_callable(const Algorithm& algorithm, const Contraction& contraction) {
  static_cast<void>(kernel_call(algorithm, contraction));
  for (const Copy& copy : algorithm.copies) {
    static_cast<void>(column_copy(algorithm, contraction, copy.operand, false));
  }
}

Call column_copy(const Algorithm& algorithm, const Contraction& contraction, Operand operand, bool back) {
  const Tensor buffer = kernel_tensor(algorithm, contraction, operand);
  Call call = blank_call("copy", contraction.precision);
  set(call, "n", contraction.extent(buffer.indices[0]));
  set(call, back ? "incy" : "incx", contraction.tensor(operand).stride(buffer.indices[0]));
  set(call, back ? "incx" : "incy", 1);
  return call;
}

}  // namespace flopcast::contract
