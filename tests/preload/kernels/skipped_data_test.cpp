#include "flopcast/preload/kernels/skipped_data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/preload/common/fortran_call.hpp"

namespace flopcast::preload::mpi {
namespace {

const flopcast::Routine& routine(const char* name) { return *kernel::find(name); }

/// C := alpha A B + beta C of order n, as Fortran passes it.
class Product {
 public:
  Product(std::int32_t n, double alpha, double beta)
      : n_(n), alpha_(alpha), beta_(beta), a(static_cast<std::size_t>(n * n), 0.25), b(a), c(a) {}
  [[nodiscard]] Call call() { return call_of(routine("dgemm"), pointers); }

 private:
  char no_ = 'N';
  std::int32_t n_;
  double alpha_, beta_;

 public:
  std::vector<double> a, b, c;
  std::vector<void*> pointers{&no_, &no_, &n_, &n_, &n_, &alpha_, a.data(), &n_, b.data(), &n_, &beta_, c.data(), &n_};
};

TEST(SettleNumbers, ReplacesWhatIsNotFiniteOrTooLarge) {
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> numbers(100, 3.0);
  EXPECT_FALSE(clean_numbers(reinterpret_cast<char*>(numbers.data()), 800, 8));
  numbers[0] = std::nan("");
  numbers[70] = -infinite;
  numbers[98] = 65537;
  numbers[99] = 65536;
  EXPECT_TRUE(clean_numbers(reinterpret_cast<char*>(numbers.data()), 800, 8));
  std::vector<double> expected(100, 3.0);
  expected[0] = expected[70] = expected[98] = 1.0 / 128;
  expected[99] = 65536;
  EXPECT_EQ(numbers, expected);
  std::array<float, 3> singles = {1, std::numeric_limits<float>::infinity(), 2};
  EXPECT_TRUE(clean_numbers(reinterpret_cast<char*>(singles.data()), sizeof singles, 4));
  EXPECT_EQ(singles, (std::array<float, 3>{1, 1.0F / 128, 2}));
}

TEST(CanFail, RoutinesWithInfoCan) {
  EXPECT_TRUE(can_fail(routine("dpotrf")));
  EXPECT_FALSE(can_fail(routine("dgemm")));
}

TEST(SettleOutputs, CleansWhatTheCallWouldHaveReplaced) {
  Product replacing(4, 1, 0), updating(4, 1, 1);
  for (Product* product : {&replacing, &updating}) {
    product->a[0] = product->c[5] = std::nan("");
    clean_outputs(product->call());
    EXPECT_TRUE(std::isnan(product->a[0])) << "an input";
  }
  EXPECT_EQ(replacing.c[5], 1.0 / 128);
  EXPECT_TRUE(std::isnan(updating.c[5])) << "the call would have read it";
}

TEST(SettleMessage, CleansAMessageThatCameEmpty) {
  std::vector<double> numbers(20, 1.0);
  numbers[7] = 1e300;
  clean_message(numbers.data(), 160, 8);
  EXPECT_EQ(numbers[7], 1.0 / 128);
  EXPECT_EQ(numbers[8], 1.0);
}

TEST(MakeSafe, FillsOperandsThatNobodyHasWritten) {
  Product product(16, 1, 1);
  std::fill(product.a.begin(), product.a.end(), 0.0);
  std::fill(product.c.begin(), product.c.end(), 0.0);
  make_safe(product.call());
  for (const double number : product.a) {
    EXPECT_GE(number, 1.0 / 128);
    EXPECT_LT(number, 1.0 / 64);
  }
  EXPECT_EQ(product.b, std::vector<double>(256, 0.25)) << "the program's data stay";
  EXPECT_EQ(product.c, std::vector<double>(256, 0.0)) << "BLAS may update fresh memory";
}

TEST(DampedUpdate, KeepsOnlyUpdatesSmall) {
  Product updating(4, 2, 1), scaling(4, 2, 0.5);
  DampedUpdate damped;
  damped.apply(updating.call(), updating.pointers);
  EXPECT_EQ(*static_cast<const double*>(updating.pointers[5]), 0x1p-49);
  void* const before = scaling.pointers[5];
  damped.apply(scaling.call(), scaling.pointers);
  EXPECT_EQ(scaling.pointers[5], before);
}

}  // namespace
}  // namespace flopcast::preload::mpi
