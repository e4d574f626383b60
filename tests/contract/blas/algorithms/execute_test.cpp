#include "flopcast/contract/algorithms/algorithm.hpp"

#include <gtest/gtest.h>

#include <array>

#include "flopcast/contract/algorithms/validate.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"
#include "tests/contract/blas/random_contraction.hpp"
#include "tests/resident_growth.hpp"

namespace flopcast::contract {
namespace {

FindRoutine openblas() {
  static const machine::Library library = machine::Library::open("openblas-serial");
  return [](std::string_view routine) { return library.function(routine); };
}

/// Runs every algorithm of `contraction` and compares the results with nested loops.
void expect_all_right(const Contraction& contraction, std::mt19937& random) {
  const Buffers buffers = random_buffers(contraction, random);
  const std::complex<double> alpha = random() % 2 == 0 ? 1.0 : -0.5;
  const std::complex<double> beta = random() % 2 == 0 ? 0.0 : 0.75;
  std::vector<std::byte> expected = buffers.c;
  contract_naively(contraction, buffers.a.data(), buffers.b.data(), expected.data(), alpha, beta);
  for (const Algorithm& algorithm : generate(contraction)) {
    std::vector<std::byte> result = buffers.c;
    Execution(algorithm, contraction, openblas()).run(buffers.a.data(), buffers.b.data(), result.data(), alpha, beta);
    EXPECT_LE(largest_difference(contraction.precision, result, expected), tolerance(contraction))
        << algorithm.name() << " of " << to_string(contraction.notation());
  }
}

TEST(Execute, AgreesWithNestedLoopsOnThePapersContractions) {
  std::mt19937 random(1);
  for (const char* text : {"abc=ai,ibc", "a=iaj,ji", "abc=ija,jbic"}) {
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      for (const Order order : {Order::column_major, Order::row_major}) {
        const Extents extents{{'a', 5}, {'b', 4}, {'c', 3}, {'i', 6}, {'j', 7}};
        expect_all_right(make_contraction(parse_notation(text), extents, precision, order), random);
      }
    }
  }
}

TEST(Execute, AgreesWithNestedLoopsOnRandomContractions) {
  std::mt19937 random(2);
  for (int i = 0; i < 600; ++i) {
    const std::array<int, 4> counts = {static_cast<int>(random() % 3), static_cast<int>(random() % 3), static_cast<int>(random() % 3),
                                       static_cast<int>(random() % 2)};
    expect_all_right(random_contraction(random, counts, i % 10 == 0 ? 0 : 1, 4, i % 3 == 0), random);
  }
}

TEST(Execute, PartsAddUpToTheWhole) {
  std::mt19937 random(4);
  const Contraction contraction = make_contraction(parse_notation("abc=ija,jbic"), {{'a', 4}, {'b', 5}, {'c', 3}, {'i', 2}, {'j', 6}});
  const Buffers buffers = random_buffers(contraction, random);
  for (const Algorithm& algorithm : generate(contraction)) {
    std::vector<std::byte> expected = buffers.c, result = buffers.c;
    Execution whole(algorithm, contraction, openblas()), parts(algorithm, contraction, openblas());
    whole.run(buffers.a.data(), buffers.b.data(), expected.data(), 1.0, 1.0);
    const Execution::Pointers tensors = {const_cast<std::byte*>(buffers.a.data()), const_cast<std::byte*>(buffers.b.data()), result.data()};
    const std::int64_t outermost = contraction.extent(algorithm.loops[0]);
    for (std::int64_t i = 0; i < outermost; ++i) {
      const std::array<std::int64_t, 1> outer = {i};
      if (algorithm.loops.size() == 1) {
        parts.run_iterations(tensors, {}, i, i + 1);
        continue;
      }
      const std::int64_t length = contraction.extent(algorithm.loops[1]);
      parts.run_copies(tensors, outer, false);
      parts.run_iterations(tensors, outer, 0, 1);
      parts.run_iterations(tensors, outer, 1, length);
      parts.run_copies(tensors, outer, true);
    }
    EXPECT_EQ(result, expected) << algorithm.name();
  }
}

TEST(Execute, TakesThePredictedMemory) {
  const Contraction contraction =
      make_contraction(parse_notation("ab=jia,jbi"), {{'a', 3000}, {'b', 500}, {'i', 1000}, {'j', 2}}, Precision::d, Order::column_major);
  const Algorithm algorithm = find_algorithm("j''-gemm", generate(contraction, std::array{BlasKernel::gemm}));
  tests::warm_up(openblas(), 500);
  tests::expect_growth(resident_bytes(algorithm, contraction), [&] {
    Workspace tensors(contraction);
    Execution(algorithm, contraction, openblas()).run(tensors.tensor(Operand::a), tensors.tensor(Operand::b), tensors.tensor(Operand::c));
  });
}

TEST(Execute, OverwritesNaNWhereBetaIsZero) {
  const Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 2}, {'i', 4}});
  const std::vector<double> a(12, 1.0), b(8, 2.0);
  for (const Algorithm& algorithm : generate(contraction)) {
    std::vector<double> c(6, std::numeric_limits<double>::quiet_NaN());
    Execution(algorithm, contraction, openblas()).run(a.data(), b.data(), c.data());
    EXPECT_EQ(c, std::vector<double>(6, 8.0)) << algorithm.name();
  }
}

TEST(Execute, RefusesOperandsInTheResultsMemory) {
  const Contraction contraction = make_contraction(parse_notation("ab=ai,ib"), {{'a', 3}, {'b', 4}, {'i', 4}});
  std::vector<double> memory(40, 1.0);
  const std::vector<double> before = memory;
  Execution execution(generate(contraction).front(), contraction, openblas());
  EXPECT_THROW(execution.run(memory.data(), memory.data() + 20, memory.data() + 11), Error);
  EXPECT_THROW(execution.run(memory.data() + 20, memory.data(), memory.data()), Error);
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace flopcast::contract
