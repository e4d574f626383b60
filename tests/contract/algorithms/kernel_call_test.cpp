#include "flopcast/contract/algorithms/algorithm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// Returns the values of a call's integers as "m=3 n=5", without flags and scalars.
std::string integers(const Call& call) {
  std::string text;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::size || argument.kind == Kind::leading_dimension || argument.kind == Kind::increment) {
      text += (text.empty() ? "" : " ") + argument.name + "=" + std::to_string(call.arguments[i]);
    }
  }
  return text;
}

/// The product C(a, b) := sum over i of A(a, i) B(i, b), column-major: A is 3 x 7, B 7 x 5.
Contraction product() { return make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 5}, {'i', 7}}); }

KernelCall call_of(const std::string& name, const Contraction& contraction) {
  return kernel_call(find_algorithm(name, generate(contraction)), contraction);
}

TEST(KernelCalls, TakeTheDimensionsOfTheirSlices) {
  const KernelCall gemm = call_of("gemm", product());
  EXPECT_EQ(gemm.call.routine->name, "dgemm");
  EXPECT_EQ(integers(gemm.call), "m=3 n=5 k=7 lda=3 ldb=7 ldc=3");
  const KernelCall gemv = call_of("b-gemv", product());
  EXPECT_EQ(gemv.call.routine->name, "dgemv");
  EXPECT_EQ(integers(gemv.call), "m=3 n=7 lda=3 incx=1 incy=1");
  const KernelCall of_rows = call_of("a-gemv", product());
  EXPECT_EQ(integers(of_rows.call), "m=7 n=5 lda=7 incx=3 incy=3") << "rows of A and C, and B transposed";
  const KernelCall ger = call_of("i-ger", product());
  EXPECT_EQ(integers(ger.call), "m=3 n=5 incx=1 incy=7 lda=3");
  const KernelCall dot = call_of("ab-dot", product());
  EXPECT_EQ(integers(dot.call), "n=7 incx=3 incy=1");
}

TEST(Algorithms, NeedTheMemoryOfTensorsAndCopies) {
  const Contraction contraction = make_contraction(parse_notation("ab=jia,jbi"), {{'a', 3}, {'b', 5}, {'i', 7}, {'j', 2}});
  const std::vector<Algorithm> all = generate(contraction, std::array{BlasKernel::gemm});
  const std::int64_t tensors = 8 * (2 * 7 * 3 + 2 * 5 * 7 + 3 * 5);
  EXPECT_EQ(resident_bytes(find_algorithm("i-gemm", all), contraction), tensors) << "the kernel goes along j, the contiguous index";
  EXPECT_EQ(resident_bytes(find_algorithm("j''-gemm", all), contraction), tensors + 8 * (7 * 3 + 7 * 5)) << "copies of slices of A and B";
  const Contraction apart = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 5}, {'i', 7}}, Precision::z, Order::column_major,
                                             {std::vector<std::int64_t>{1, 10}, {}, {}});
  EXPECT_EQ(resident_bytes(find_algorithm("gemm", generate(apart)), apart), 16 * (63 + 7 * 5 + 3 * 5)) << "columns of A lie apart";
}

TEST(KernelCalls, SayWhichArgumentsTakeTheTensors) {
  const KernelCall gemm = call_of("gemm", product());
  for (const auto& [operand, name] : {std::pair{Operand::a, "A"}, {Operand::b, "B"}, {Operand::c, "C"}}) {
    EXPECT_EQ(gemm.argument_of(operand), gemm.call.routine->index(name)) << name;
  }
  const KernelCall dot = call_of("ab-dot", product());
  EXPECT_EQ(dot.argument_of(Operand::c), -1) << "the function's result";
}

TEST(MatrixViews, AreContiguousAlongOneIndex) {
  const Contraction contraction = make_contraction(parse_notation("abc=aib,ic"), {{'a', 3}, {'b', 5}, {'c', 2}, {'i', 7}});
  const Tensor& a = contraction.tensor(Operand::a);  // a has stride 1, i 3, b 21
  const auto view = matrix_view(a, "ib", contraction.extents);
  EXPECT_FALSE(view) << "neither index has stride 1";
  const auto along_a = matrix_view(a, "ba", contraction.extents);
  ASSERT_TRUE(along_a);
  EXPECT_EQ(along_a->rows, 'a');
  EXPECT_EQ(along_a->columns, 'b');
  EXPECT_EQ(along_a->leading_dimension, 21);
}

TEST(KernelCalls, OperandsThatAreNoMatricesAreCopiedByColumns) {
  const Contraction contraction = make_contraction(parse_notation("abc=aib,ic"), {{'a', 3}, {'b', 5}, {'c', 2}, {'i', 7}});
  const Algorithm copied = find_algorithm("a''-gemm", generate(contraction));
  ASSERT_NE(copied.copy_of(Operand::a), nullptr);
  const Tensor buffer = kernel_tensor(copied, contraction, Operand::a);
  EXPECT_EQ(buffer.stride('i'), 1) << "in the order of memory: i before b";
  EXPECT_EQ(buffer.stride('b'), 7);
  const Call to_buffer = column_copy(copied, contraction, Operand::a), back = column_copy(copied, contraction, Operand::a, true);
  EXPECT_EQ(to_buffer.routine->name, "dcopy");
  EXPECT_EQ(integers(to_buffer), "n=7 incx=3 incy=1");
  EXPECT_EQ(integers(back), "n=7 incx=1 incy=3");
}

TEST(KernelCalls, StridesBeyond32BitsAreRefused) {
  const Contraction wide = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 5}, {'i', 7}}, Precision::d, Order::column_major,
                                            {{{1, std::int64_t{1} << 31}, {}, {}}});
  const Algorithm gemm = find_algorithm("gemm", generate(wide));
  EXPECT_THROW(require_callable(gemm, wide), Error);
  EXPECT_NO_THROW(require_callable(find_algorithm("gemm", generate(product())), product()));
}

}  // namespace
}  // namespace flopcast::contract
