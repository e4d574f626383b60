#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/kernel/blas/real_libraries.hpp"

// Libraries differ in signs and scaling of the rotations that they generate. The tests check the defining relations.
namespace flopcast::kernel {
namespace {

template <class T>
std::int64_t address(T& value) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&value));
}

void run(const TestLibrary& library, const Call& call) {
  const Function function = library.find(call.routine->name);
  ASSERT_NE(function, nullptr);
  Invocation(function, call).run();
}

TEST(RotationGenerators, RealRotationAnnihilatesItsSecondComponent) {
  for (const TestLibrary& library : test_libraries()) {
    for (const double b : {0.75, -2.0, 0.0}) {
      double x = -1.25, y = b, c = 0, s = 0;
      Call call = parse_call(require("drotg"), {});
      call.arguments = {address(x), address(y), address(c), address(s)};
      run(library, call);
      EXPECT_NEAR(c * -1.25 + s * b, x, 1e-14) << library.name();
      EXPECT_NEAR(c * b - s * -1.25, 0, 1e-14) << library.name();
      EXPECT_NEAR(c * c + s * s, 1, 1e-14) << library.name();
    }
  }
}

TEST(RotationGenerators, ComplexRotationAnnihilatesItsSecondComponent) {
  const std::complex<double> a{-1.25, 0.5}, b{0.75, 2.0};
  for (const TestLibrary& library : test_libraries()) {
    std::complex<double> x = a, y = b, s = 0;
    double c = 0;
    Call call = parse_call(require("zrotg"), {});
    call.arguments = {address(x), address(y), address(c), address(s)};
    run(library, call);
    EXPECT_NEAR(std::abs(c * a + s * b - x), 0, 1e-14) << library.name();
    EXPECT_NEAR(std::abs(c * b - std::conj(s) * a), 0, 1e-14) << library.name();
    EXPECT_NEAR(c * c + std::norm(s), 1, 1e-14) << library.name();
  }
}

/// Returns H from rotmg's param, with the elements that the flag implies.
std::array<double, 4> h11_h12_h21_h22(const std::array<double, 5>& param) {
  if (param[0] == 0) {
    return {1, param[3], param[2], 1};
  }
  if (param[0] == 1) {
    return {param[1], 1, -1, param[4]};
  }
  return {param[1], param[3], param[2], param[4]};
}

TEST(RotationGenerators, ModifiedRotationAnnihilatesItsSecondComponent) {
  for (const TestLibrary& library : test_libraries()) {
    for (const char* y : {"0.5", "-3"}) {
      double d1 = 2, d2 = 1.5, x1 = 1.25;
      std::array<double, 5> param{};
      Call call = parse_call(require("drotmg"), {{"y1", y}});
      call.arguments = {address(d1), address(d2), address(x1), 0, address(param)};
      const double y1 = call.scalars[0].real();
      run(library, call);
      const auto [h11, h12, h21, h22] = h11_h12_h21_h22(param);
      EXPECT_NEAR(h11 * 1.25 + h12 * y1, x1, 1e-14) << library.name();
      EXPECT_NEAR(h21 * 1.25 + h22 * y1, 0, 1e-14) << library.name();
      EXPECT_NEAR(d1 * x1 * x1, 2 * 1.25 * 1.25 + 1.5 * y1 * y1, 1e-13) << library.name();
    }
  }
}

}  // namespace
}  // namespace flopcast::kernel
