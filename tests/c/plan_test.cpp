// The C library as programs use it: everything here goes through flopcast/flopcast.h and libflopcast.so.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/flopcast.h"
#include "tests/data_folder.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Close {
  void operator()(flopcast_workbench* bench) const { flopcast_workbench_close(bench); }
  void operator()(flopcast_plan* plan) const { flopcast_plan_destroy(plan); }
  void operator()(flopcast_tuning* tuning) const { flopcast_tuning_close(tuning); }
  void operator()(char* text) const { flopcast_free(text); }
};
using Bench = std::unique_ptr<flopcast_workbench, Close>;
using Plan = std::unique_ptr<flopcast_plan, Close>;
using Text = std::unique_ptr<char, Close>;

Bench opened(const flopcast_workbench_options* options = nullptr) {
  flopcast_workbench* bench = nullptr;
  EXPECT_EQ(flopcast_workbench_open(&bench, options), FLOPCAST_DONE) << flopcast_error_message();
  return Bench(bench);
}

/// Expects a status and a part of the message.
void expect_refusal(flopcast_status status, flopcast_status expected, const std::string& message) {
  EXPECT_EQ(status, expected) << flopcast_error_message();
  EXPECT_THAT(std::string(flopcast_error_message()), HasSubstr(message));
}

using Sizes = std::vector<std::int64_t>;

/// Plans the product of two dense tensors. Returns the status and fills `plan`.
flopcast_status try_plan(Plan& plan, const Bench& bench, const char* notation, flopcast_type type, const Sizes& a, const Sizes& b,
                         const Sizes& c, const flopcast_plan_options* options = nullptr) {
  flopcast_plan* made = nullptr;
  const std::int64_t* const shapes[] = {a.data(), b.data()};
  const flopcast_status status = flopcast_plan_einsum(&made, bench.get(), notation, type, 2, shapes, nullptr, c.data(), nullptr, options);
  EXPECT_EQ(made == nullptr, status != FLOPCAST_DONE);
  plan.reset(made);
  return status;
}

/// Computes c := alpha times the expression + beta c.
flopcast_status execute(const Plan& plan, const void* alpha, const std::vector<const void*>& operands, const void* beta, void* c) {
  return flopcast_execute(plan.get(), alpha, static_cast<std::int32_t>(operands.size()), operands.data(), beta, c, c);
}

/// Returns C_ik := sum over j of A_ij B_jk of m x m matrices in row-major order.
template <class Number>
std::vector<Number> product(const std::vector<Number>& a, const std::vector<Number>& b, std::size_t m) {
  std::vector<Number> c(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        c[i * m + k] += a[i * m + j] * b[j * m + k];
      }
    }
  }
  return c;
}

template <class Number>
std::vector<Number> numbers(std::size_t count, int seed) {
  std::vector<Number> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
    if constexpr (std::is_floating_point_v<Number>) {
      values[i] = value;
    } else {
      values[i] = Number(value, static_cast<float>((static_cast<int>(i) * 3 + seed) % 5 - 2));
    }
  }
  return values;
}

template <class Number>
void expect_product(flopcast_type type) {
  constexpr std::size_t m = 9;
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", type, {m, m}, {m, m}, {m, m}), FLOPCAST_DONE) << flopcast_error_message();
  const auto a = numbers<Number>(m * m, 1), b = numbers<Number>(m * m, 2), before = numbers<Number>(m * m, 3);
  const std::vector<Number> expected = product(a, b, m);
  std::vector<Number> c = before;
  ASSERT_EQ(execute(plan, nullptr, {a.data(), b.data()}, nullptr, c.data()), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_EQ(c, expected);  // small integers: exact
  const Number alpha = Number(2), beta = Number(-1);
  c = before;
  ASSERT_EQ(execute(plan, &alpha, {a.data(), b.data()}, &beta, c.data()), FLOPCAST_DONE) << flopcast_error_message();
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(c[i], alpha * expected[i] + beta * before[i]) << i;
  }
}

TEST(CLibrary, ContractsInAllTypes) {
  expect_product<float>(FLOPCAST_F32);
  expect_product<double>(FLOPCAST_F64);
  expect_product<std::complex<float>>(FLOPCAST_C32);
  expect_product<std::complex<double>>(FLOPCAST_C64);
}

TEST(CLibrary, IncrementalPlansTryACandidateInEachExecution) {
  constexpr std::size_t m = 40;
  const Bench bench = opened();
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.effort = FLOPCAST_INCREMENTAL;
  options.fresh = 1;
  Plan plan;
  const auto plan_once = [&] { return try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {m, m}, {m, m}, {m, m}, &options); };
  ASSERT_EQ(plan_once(), FLOPCAST_DONE) << flopcast_error_message();
  const auto a = numbers<double>(m * m, 1), b = numbers<double>(m * m, 2);
  const std::vector<double> expected = product(a, b, m);
  std::int32_t decided = -1;
  ASSERT_EQ(flopcast_plan_decided(plan.get(), &decided), FLOPCAST_DONE);
  EXPECT_EQ(decided, 0);
  options.fresh = 0;
  for (int i = 0; i < 80 && decided == 0; ++i) {
    ASSERT_EQ(plan_once(), FLOPCAST_DONE) << "a plan for each execution; what was measured goes on";
    std::vector<double> c(m * m, -1);
    ASSERT_EQ(execute(plan, nullptr, {a.data(), b.data()}, nullptr, c.data()), FLOPCAST_DONE);
    ASSERT_EQ(c, expected);
    ASSERT_EQ(flopcast_plan_decided(plan.get(), &decided), FLOPCAST_DONE);
  }
  EXPECT_EQ(decided, 1);
  double seconds = 0;
  EXPECT_EQ(flopcast_plan_seconds(plan.get(), &seconds), FLOPCAST_DONE);
  EXPECT_GT(seconds, 0);
  expect_refusal(flopcast_plan_decided(nullptr, &decided), FLOPCAST_USAGE, "plan is a null pointer");
  expect_refusal(flopcast_plan_decided(plan.get(), nullptr), FLOPCAST_USAGE, "decided is a null pointer");
}

TEST(CLibrary, PlansTensorsWithNumberedIndicesAndStrides) {
  const Bench bench = opened();
  // C_ik := sum over j of A_ij B_jk, with A stored by columns and C in every other column of a 2 x 6 matrix
  const std::int32_t ij[] = {100, -7}, jk[] = {-7, 2000000000}, ik[] = {100, 2000000000};
  const Sizes two_four = {2, 4}, four_three = {4, 3}, two_three = {2, 3}, by_columns = {1, 2}, wide = {6, 2};
  const flopcast_tensor operands[] = {{2, 0, ij, two_four.data(), by_columns.data()}, {2, 0, jk, four_three.data(), nullptr}},
                        c = {2, 0, ik, two_three.data(), wide.data()};
  flopcast_plan* made = nullptr;
  ASSERT_EQ(flopcast_plan_from_labels(&made, bench.get(), FLOPCAST_F64, 2, operands, &c, nullptr), FLOPCAST_DONE)
      << flopcast_error_message();
  const Plan plan(made);
  const std::vector<double> of_a = {1, 5, 2, 6, 3, 7, 4, 8}, of_b = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  std::vector<double> of_c(12, -1);
  ASSERT_EQ(execute(plan, nullptr, {of_a.data(), of_b.data()}, nullptr, of_c.data()), FLOPCAST_DONE);
  EXPECT_EQ(of_c, (std::vector<double>{5, -1, 6, -1, 7, -1, 13, -1, 14, -1, 15, -1}));
}

/// Returns the result of an expression whose result has `count` elements.
template <class Number>
std::vector<Number> result_of(const Plan& plan, const std::vector<Number>& a, const std::vector<Number>* b, std::size_t count) {
  std::vector<Number> c(count, Number(-1));
  std::vector<const void*> operands = {a.data()};
  if (b != nullptr) {
    operands.push_back(b->data());
  }
  EXPECT_EQ(execute(plan, nullptr, operands, nullptr, c.data()), FLOPCAST_DONE) << flopcast_error_message();
  return c;
}

TEST(CLibrary, PlansExpressionsOfOneOperand) {
  const Bench bench = opened();
  const auto result = [&](const char* notation, const Sizes& shape, const std::vector<double>& a, std::size_t count) {
    flopcast_plan* made = nullptr;
    const std::int64_t* const first = shape.data();
    EXPECT_EQ(flopcast_plan_einsum(&made, bench.get(), notation, FLOPCAST_F64, 1, &first, nullptr, nullptr, nullptr, nullptr),
              FLOPCAST_DONE)
        << flopcast_error_message();
    return result_of<double>(Plan(made), a, nullptr, count);
  };
  const std::vector<double> a = {1, 2, 3, 4};
  EXPECT_EQ(result("ij->ji", {2, 2}, a, 4), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(result("ii->i", {2, 2}, a, 2), (std::vector<double>{1, 4}));
  EXPECT_EQ(result("ij->", {2, 2}, a, 1), (std::vector<double>{10}));
  EXPECT_EQ(result("i->ii", {2}, {1, 2}, 4), (std::vector<double>{1, 0, 0, 2}));
}

TEST(CLibrary, TakesTheWholeNotation) {
  using Complex = std::complex<double>;
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "conj(ki),kj", FLOPCAST_C64, {2, 1}, {2, 1}, {1, 1}), FLOPCAST_DONE) << flopcast_error_message();
  const std::vector<Complex> x = {{1, 2}, {0, 1}}, y = {{3, 0}, {0, 4}};
  EXPECT_EQ(result_of(plan, x, &y, 1), (std::vector<Complex>{{7, -6}}));
  ASSERT_EQ(try_plan(plan, bench, "ijx,jk->ik", FLOPCAST_F64, {1, 2, 3}, {2, 1}, {1, 1}), FLOPCAST_DONE) << flopcast_error_message();
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1, 10};
  EXPECT_EQ(result_of(plan, a, &b, 1), (std::vector<double>{156}));
  ASSERT_EQ(try_plan(plan, bench, "ij,ij->ij", FLOPCAST_F64, {3, 2}, {1, 2}, {3, 2}), FLOPCAST_DONE) << "an axis of size 1";
  EXPECT_EQ(result_of(plan, a, &b, 6), (std::vector<double>{1, 20, 3, 40, 5, 60}));
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {2, 0}, {0, 1}, {2, 1}), FLOPCAST_DONE) << "an empty sum";
  EXPECT_EQ(result_of(plan, {}, &b, 2), (std::vector<double>{0, 0}));
}

TEST(CLibrary, TheEllipsisStandsForTheDimensionsThatAreGiven) {
  const Bench bench = opened();
  Plan plan;
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  const Sizes shape_a = {2, 1, 2}, shape_b = {3, 2}, shape_c = {2, 3};
  expect_refusal(try_plan(plan, bench, "...i,...i", FLOPCAST_F64, shape_a, shape_b, shape_c), FLOPCAST_USAGE, "options.ranks");
  const std::int32_t ranks[] = {3, 2, 2}, wrong[] = {3, 2, 3}, too_few[] = {0, 2, 2};
  options.ranks = ranks;
  ASSERT_EQ(try_plan(plan, bench, "...i,...i", FLOPCAST_F64, shape_a, shape_b, shape_c, &options), FLOPCAST_DONE)
      << flopcast_error_message();
  const std::vector<double> a = {1, 2, 3, 4}, b = {1, 0, 0, 1, 1, 1};
  EXPECT_EQ(result_of(plan, a, &b, 6), (std::vector<double>{1, 2, 3, 3, 4, 7}));
  options.ranks = wrong;
  expect_refusal(try_plan(plan, bench, "...i,...i", FLOPCAST_F64, shape_a, shape_b, shape_c, &options), FLOPCAST_BAD_INPUT,
                 "C has 3 dimensions");
  options.ranks = too_few;
  expect_refusal(try_plan(plan, bench, "...i,...i", FLOPCAST_F64, shape_a, shape_b, shape_c, &options), FLOPCAST_BAD_INPUT,
                 "A has 0 dimensions, but 1 index");
}

TEST(CLibrary, NumberedIndicesMayRepeatAndTensorsMayBeConjugated) {
  using Complex = std::complex<double>;
  const Bench bench = opened();
  const std::int32_t ii[] = {5, 5}, i[] = {5};
  const Sizes two_two = {2, 2}, two = {2};
  const flopcast_tensor a = {2, 1, ii, two_two.data(), nullptr}, c = {1, 0, i, two.data(), nullptr};
  flopcast_plan* made = nullptr;
  ASSERT_EQ(flopcast_plan_from_labels(&made, bench.get(), FLOPCAST_C64, 1, &a, &c, nullptr), FLOPCAST_DONE) << flopcast_error_message();
  const std::vector<Complex> values = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
  EXPECT_EQ(result_of<Complex>(Plan(made), values, nullptr, 2), (std::vector<Complex>{{1, -1}, {4, -4}}));
}

TEST(CLibrary, MayWriteTheResultApartFromTheAddend) {
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {1, 2}, {2, 2}, {1, 2}), FLOPCAST_DONE) << flopcast_error_message();
  const std::vector<double> a = {1, 2}, b = {1, 0, 0, 1}, c = {10, 20};
  const void* const operands[] = {a.data(), b.data()};
  std::vector<double> d = {-1, -1};
  const double alpha = 2, beta = 3;
  ASSERT_EQ(flopcast_execute(plan.get(), &alpha, 2, operands, &beta, c.data(), d.data()), FLOPCAST_DONE);
  EXPECT_EQ(d, (std::vector<double>{32, 64}));
  expect_refusal(flopcast_execute(plan.get(), &alpha, 2, operands, &beta, nullptr, d.data()), FLOPCAST_BAD_INPUT, "null");
  EXPECT_EQ(d, (std::vector<double>{32, 64}));
}

/// Returns the plan in words.
std::string explanation(const Plan& plan) {
  char* text = nullptr;
  EXPECT_EQ(flopcast_plan_explain(plan.get(), &text), FLOPCAST_DONE) << flopcast_error_message();
  return Text(text).get();
}

TEST(CLibrary, TheAddendMayHaveStridesAndAConjugationOfItsOwn) {
  using Complex = std::complex<double>;
  const Bench bench = opened();
  const Sizes by_columns = {1, 2};
  flopcast_tensor addend = {0, 1, nullptr, nullptr, by_columns.data()};
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.addend = &addend;
  Plan plan;
  const std::vector<Complex> a = {{1, 1}, {2, 0}, {0, 3}, {4, 0}}, one = {1, 0, 0, 1}, c = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
  const void* const operands[] = {a.data(), one.data()};
  const Complex beta = 10;
  std::vector<Complex> d(4);
  const auto sum = [&] {
    EXPECT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_C64, {2, 2}, {2, 2}, {2, 2}, &options), FLOPCAST_DONE)
        << flopcast_error_message();
    EXPECT_EQ(flopcast_execute(plan.get(), nullptr, 2, operands, &beta, c.data(), d.data()), FLOPCAST_DONE) << flopcast_error_message();
    return d;
  };
  EXPECT_EQ(sum(), (std::vector<Complex>{{1, -9}, {2, -30}, {0, -17}, {4, -40}}));
  addend.strides = nullptr;
  EXPECT_EQ(sum(), (std::vector<Complex>{{1, -9}, {2, -20}, {0, -27}, {4, -40}})) << "in the order of D";
  addend = {0, 0, nullptr, nullptr, by_columns.data()};
  EXPECT_EQ(sum(), (std::vector<Complex>{{1, 11}, {2, 30}, {0, 23}, {4, 40}})) << "not conjugated";

  const std::int32_t ij[] = {1, 2}, jk[] = {2, 3}, ik[] = {1, 3};
  const Sizes shape = {2, 2};
  const flopcast_tensor tensors[] = {{2, 0, ij, shape.data(), nullptr}, {2, 0, jk, shape.data(), nullptr}};
  const flopcast_tensor result = {2, 1, ik, shape.data(), nullptr};
  flopcast_plan* made = nullptr;
  ASSERT_EQ(flopcast_plan_from_labels(&made, bench.get(), FLOPCAST_C64, 2, tensors, &result, &options), FLOPCAST_DONE)
      << flopcast_error_message();
  plan.reset(made);
  ASSERT_EQ(flopcast_execute(plan.get(), nullptr, 2, operands, &beta, c.data(), d.data()), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_EQ(d, (std::vector<Complex>{{1, -11}, {2, -30}, {0, -23}, {4, -40}})) << "the conjugate of the sum";
}

TEST(CLibrary, IndicesThatAreAllLettersAppearAsLetters) {
  const Bench bench = opened();
  const Sizes shape = {2, 2};
  const auto text = [&](const std::int32_t* a, const std::int32_t* b, const std::int32_t* c) {
    const flopcast_tensor operands[] = {{2, 0, a, shape.data(), nullptr}, {2, 0, b, shape.data(), nullptr}};
    const flopcast_tensor result = {2, 0, c, shape.data(), nullptr};
    flopcast_plan* made = nullptr;
    EXPECT_EQ(flopcast_plan_from_labels(&made, bench.get(), FLOPCAST_F64, 2, operands, &result, nullptr), FLOPCAST_DONE)
        << flopcast_error_message();
    const Plan plan(made);
    const std::vector<double> x(4);
    std::vector<double> y(4);
    EXPECT_EQ(execute(plan, nullptr, {y.data(), x.data()}, nullptr, y.data()), FLOPCAST_BAD_INPUT);
    return std::string(flopcast_error_message());
  };
  const std::int32_t ij[] = {'i', 'J'}, jk[] = {'J', 'k'}, ik[] = {'i', 'k'}, j1[] = {'J', 1}, i1[] = {'i', 1};
  EXPECT_THAT(text(ij, jk, ik), HasSubstr("expression 'iJ,Jk->ik'"));
  EXPECT_THAT(text(ij, j1, i1), HasSubstr("expression '[105 74],[74 1]->[105 1]'"));
}

TEST(CLibrary, ProductsOfOneTensorAreComputedOnce) {
  constexpr std::size_t m = 6;
  const Bench bench = opened();
  const Sizes shape = {m, m};
  const std::vector<const std::int64_t*> shapes(4, shape.data());
  const auto a = numbers<double>(m * m, 1);
  const std::vector<double> square = product(a, a, m);
  const auto text = [&](const std::int32_t* tensors) {
    flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
    options.tensors = tensors;
    flopcast_plan* made = nullptr;
    EXPECT_EQ(
        flopcast_plan_einsum(&made, bench.get(), "ij,jk,kl,lm->im", FLOPCAST_F64, 4, shapes.data(), nullptr, nullptr, nullptr, &options),
        FLOPCAST_DONE)
        << flopcast_error_message();
    const Plan plan(made);
    std::vector<double> result(m * m);
    EXPECT_EQ(execute(plan, nullptr, {a.data(), a.data(), a.data(), a.data()}, nullptr, result.data()), FLOPCAST_DONE);
    EXPECT_EQ(result, product(square, square, m));
    return explanation(plan);
  };
  const auto lines = [](const std::string& words) { return std::count(words.begin(), words.end(), '\n'); };
  const std::int32_t one_tensor[] = {0, 0, 0, 0}, none[] = {-1, -1, -1, -1};
  EXPECT_EQ(lines(text(one_tensor)), lines(text(nullptr)) - 1) << text(one_tensor) << text(nullptr);
  EXPECT_EQ(text(none), text(nullptr));
}

/// Returns R_im := sum over j, k of A_ij B_jk conj(C_km) of m x m matrices in row-major order.
template <class Number>
std::vector<Number> product(const std::vector<Number>& a, const std::vector<Number>& b, std::vector<Number> c, std::size_t m) {
  if constexpr (!std::is_floating_point_v<Number>) {
    for (Number& value : c) {
      value = std::conj(value);
    }
  }
  return product(product(a, b, m), c, m);
}

template <class Number>
void expect_product_of_three(flopcast_type type) {
  constexpr std::size_t m = 7;
  const Bench bench = opened();
  const Sizes shape = {m, m}, by_columns = {1, m};
  const std::int64_t* const shapes[] = {shape.data(), shape.data(), shape.data()};
  const std::int64_t* const strides[] = {nullptr, by_columns.data(), nullptr};
  flopcast_plan* made = nullptr;
  ASSERT_EQ(flopcast_plan_einsum(&made, bench.get(), "ij,jk,conj(km)->im", type, 3, shapes, strides, shape.data(), nullptr, nullptr),
            FLOPCAST_DONE)
      << flopcast_error_message();
  const Plan plan(made);
  const auto a = numbers<Number>(m * m, 1), b = numbers<Number>(m * m, 2), c = numbers<Number>(m * m, 3),
             addend = numbers<Number>(m * m, 4);
  std::vector<Number> stored_b(m * m);
  for (std::size_t i = 0; i < m * m; ++i) {
    stored_b[i % m * m + i / m] = b[i];
  }
  const std::vector<Number> expected = product(a, b, c, m);
  const void* const operands[] = {a.data(), stored_b.data(), c.data()};
  std::vector<Number> result(m * m, Number(-1));
  ASSERT_EQ(flopcast_execute(plan.get(), nullptr, 3, operands, nullptr, nullptr, result.data()), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_EQ(result, expected);  // small integers: exact
  const Number alpha = Number(2), beta = Number(-1);
  ASSERT_EQ(flopcast_execute(plan.get(), &alpha, 3, operands, &beta, addend.data(), result.data()), FLOPCAST_DONE);
  for (std::size_t i = 0; i < result.size(); ++i) {
    EXPECT_EQ(result[i], alpha * expected[i] - addend[i]) << i;
  }
}

TEST(CLibrary, ContractsManyOperandsInAllTypes) {
  expect_product_of_three<float>(FLOPCAST_F32);
  expect_product_of_three<double>(FLOPCAST_F64);
  expect_product_of_three<std::complex<float>>(FLOPCAST_C32);
  expect_product_of_three<std::complex<double>>(FLOPCAST_C64);
}

TEST(CLibrary, PlansManyTensorsWithNumberedIndices) {
  const Bench bench = opened();
  // D_i := sum over j, k of A_ij B_jk C_kk with indices 5, -1 and 900
  const std::int32_t ij[] = {5, -1}, jk[] = {-1, 900}, kk[] = {900, 900}, i[] = {5};
  const Sizes two_two = {2, 2}, two = {2};
  const flopcast_tensor operands[] = {
      {2, 0, ij, two_two.data(), nullptr}, {2, 0, jk, two_two.data(), nullptr}, {2, 0, kk, two_two.data(), nullptr}};
  const flopcast_tensor result = {1, 0, i, two.data(), nullptr};
  flopcast_plan* made = nullptr;
  ASSERT_EQ(flopcast_plan_from_labels(&made, bench.get(), FLOPCAST_F64, 3, operands, &result, nullptr), FLOPCAST_DONE)
      << flopcast_error_message();
  const Plan plan(made);
  const std::vector<double> a = {1, 2, 3, 4}, b = {1, 0, 1, 1}, c = {10, 99, 99, 100};
  const void* const addresses[] = {a.data(), b.data(), c.data()};
  std::vector<double> d = {-1, -1};
  ASSERT_EQ(flopcast_execute(plan.get(), nullptr, 3, addresses, nullptr, nullptr, d.data()), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_EQ(d, (std::vector<double>{1 * 10 + 2 * (10 + 100), 3 * 10 + 4 * (10 + 100)}));

  flopcast_plan* none = nullptr;
  expect_refusal(flopcast_plan_from_labels(&none, bench.get(), FLOPCAST_F64, 0, operands, &result, nullptr), FLOPCAST_USAGE, "count");
  expect_refusal(flopcast_plan_from_labels(&none, bench.get(), FLOPCAST_F64, 3, nullptr, &result, nullptr), FLOPCAST_USAGE,
                 "operands is a null pointer");
  EXPECT_EQ(none, nullptr);
}

TEST(CLibrary, PlansAnyNumberOfOperandsWithEllipsisAndLimit) {
  const Bench bench = opened();
  const Sizes batch = {2, 3, 40}, matrix = {40, 5}, vector = {5}, shape = {2, 3};
  const std::int64_t* const shapes[] = {batch.data(), matrix.data(), vector.data()};
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.max_bytes = 64;
  flopcast_plan* made = nullptr;
  expect_refusal(flopcast_plan_einsum(&made, bench.get(), "...i,ij,j->...", FLOPCAST_F64, 3, shapes, nullptr, nullptr, nullptr, &options),
                 FLOPCAST_USAGE, "the indices of operand 1 contain '...'");
  const std::int32_t ranks[] = {3, 2, 1, 2};
  options.ranks = ranks;
  ASSERT_EQ(flopcast_plan_einsum(&made, bench.get(), "...i,ij,j->...", FLOPCAST_F64, 3, shapes, nullptr, shape.data(), nullptr, &options),
            FLOPCAST_DONE)
      << flopcast_error_message();
  const Plan plan(made);
  EXPECT_THAT(explanation(plan), HasSubstr("is cut into")) << "30 or 40 intermediate numbers don't fit into 64 bytes";
  const auto a = numbers<double>(240, 1), b = numbers<double>(200, 2), c = numbers<double>(5, 3);
  const void* const operands[] = {a.data(), b.data(), c.data()};
  std::vector<double> result(6), expected(6);
  for (std::size_t x = 0; x < 6; ++x) {
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        expected[x] += a[x * 40 + i] * b[i * 5 + j] * c[j];
      }
    }
  }
  ASSERT_EQ(flopcast_execute(plan.get(), nullptr, 3, operands, nullptr, nullptr, result.data()), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_EQ(result, expected);
}

TEST(CLibrary, TheFunctionsForManyOperandsTakeFewToo) {
  const Bench bench = opened();
  const Sizes shape = {2, 2};
  const std::int64_t* const shapes[] = {shape.data(), shape.data()};
  const std::vector<double> a = {1, 2, 3, 4};
  const void* const operands[] = {a.data(), a.data()};
  const auto result_of_many = [&](const char* notation, std::int32_t count) {
    flopcast_plan* made = nullptr;
    EXPECT_EQ(flopcast_plan_einsum(&made, bench.get(), notation, FLOPCAST_F64, count, shapes, nullptr, nullptr, nullptr, nullptr),
              FLOPCAST_DONE)
        << flopcast_error_message();
    std::vector<double> result(4);
    EXPECT_EQ(flopcast_execute(Plan(made).get(), nullptr, count, operands, nullptr, nullptr, result.data()), FLOPCAST_DONE);
    return result;
  };
  EXPECT_EQ(result_of_many("ij->ji", 1), (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(result_of_many("ij,jk->ik", 2), (std::vector<double>{7, 10, 15, 22}));
}

TEST(CLibrary, RefusesBadUsesOfManyOperands) {
  const Bench bench = opened();
  const Sizes square = {3, 3}, other = {4, 3};
  const std::int64_t *const shapes[] = {square.data(), square.data(), square.data()},
                            *const contradicting[] = {square.data(), other.data(), square.data()},
                            *const incomplete[] = {square.data(), nullptr, square.data()};
  flopcast_plan* made = nullptr;
  const auto plan_many = [&](const std::int64_t* const* of, const flopcast_plan_options* options = nullptr) {
    return flopcast_plan_einsum(&made, bench.get(), "ij,jk,kl->il", FLOPCAST_F64, 3, of, nullptr, nullptr, nullptr, options);
  };
  expect_refusal(plan_many(contradicting), FLOPCAST_BAD_INPUT, "label j");
  expect_refusal(plan_many(incomplete), FLOPCAST_USAGE, "the shape of operand 2 is a null pointer");
  expect_refusal(plan_many(nullptr), FLOPCAST_USAGE, "shapes is a null pointer");
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.max_bytes = -1;
  expect_refusal(plan_many(shapes, &options), FLOPCAST_USAGE, "max_bytes");
  options.max_bytes = 1;
  expect_refusal(plan_many(shapes, &options), FLOPCAST_BAD_INPUT, "allow more bytes");
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(plan_many(shapes), FLOPCAST_DONE) << flopcast_error_message();
  const Plan plan(made);
  const std::vector<double> a(9, 1);
  std::vector<double> result(9, 5);
  const void* const operands[] = {a.data(), nullptr, a.data()};
  expect_refusal(flopcast_execute(plan.get(), nullptr, 3, operands, nullptr, nullptr, result.data()), FLOPCAST_BAD_INPUT, "null");
  expect_refusal(flopcast_execute(plan.get(), nullptr, 3, nullptr, nullptr, nullptr, result.data()), FLOPCAST_USAGE,
                 "operands is a null pointer");
  expect_refusal(flopcast_execute(plan.get(), nullptr, 2, operands, nullptr, nullptr, result.data()), FLOPCAST_BAD_INPUT,
                 "the plan has 3 operands, but 2 addresses are given");
  EXPECT_EQ(result, std::vector<double>(9, 5));
  flopcast_plan* none = nullptr;
  expect_refusal(flopcast_plan_einsum(&none, bench.get(), "ij,jk,kl->il", FLOPCAST_F64, 2, shapes, nullptr, nullptr, nullptr, nullptr),
                 FLOPCAST_BAD_INPUT, "has 3 operands, but 2 are given");
}

TEST(CLibrary, PlansWithoutAFolderForChoicesAndSaysSoOnce) {
  std::string notes;
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.kernels = "library";
  options.user = &notes;
  options.note = [](const char* text, void* user) { *static_cast<std::string*>(user) += std::string(text) + '\n'; };
  const tests::OwnFolder files;
  const std::string wisdom = (files.path() / "wisdom").string();
  {
    Plan plan;
    flopcast_plan_options planning = FLOPCAST_PLAN_OPTIONS;
    planning.effort = FLOPCAST_MICROBENCH;
    const Bench bench = opened(&options);
    ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {33, 34}, {34, 37}, {33, 37}, &planning), FLOPCAST_DONE)
        << flopcast_error_message();
    ASSERT_EQ(flopcast_wisdom_export_to_filename(bench.get(), wisdom.c_str()), FLOPCAST_DONE) << flopcast_error_message();
  }
  for (const auto& [data, reason] : {std::pair("/proc/no such folder", "can't make the directory /proc/no such folder/flopcast"),
                                     std::pair("", "none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set")}) {
    const tests::DataFolder folder(data);
    notes.clear();
    const Bench bench = opened(&options);
    for (const flopcast_effort effort : {FLOPCAST_ESTIMATE, FLOPCAST_MICROBENCH, FLOPCAST_MEASURE, FLOPCAST_INCREMENTAL}) {
      Plan plan;
      flopcast_plan_options planning = FLOPCAST_PLAN_OPTIONS;
      planning.effort = effort;
      planning.threads = 2;
      ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {20, 20}, {20, 20}, {20, 20}, &planning), FLOPCAST_DONE)
          << flopcast_error_message();
      const auto a = numbers<double>(400, 1), b = numbers<double>(400, 2);
      std::vector<double> c(400);
      ASSERT_EQ(execute(plan, nullptr, {a.data(), b.data()}, nullptr, c.data()), FLOPCAST_DONE) << flopcast_error_message();
      EXPECT_EQ(c, product(a, b, 20));
    }
    EXPECT_THAT(notes, AllOf(HasSubstr("kept in this process only"), HasSubstr(reason)));
    EXPECT_EQ(std::count(notes.begin(), notes.end(), '\n'), 1) << notes;
    expect_refusal(flopcast_wisdom_import_from_filename(bench.get(), wisdom.c_str(), nullptr, nullptr), FLOPCAST_ENVIRONMENT, reason);
  }
}

TEST(CLibrary, WisdomTravelsInFiles) {
  std::string notes;
  flopcast_workbench_options with_notes = FLOPCAST_WORKBENCH_OPTIONS;
  with_notes.user = &notes;
  with_notes.note = [](const char* text, void* user) { *static_cast<std::string*>(user) += std::string(text) + '\n'; };
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "wisdom").string();
  {
    const Bench bench = opened();
    Plan plan;
    flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
    options.effort = FLOPCAST_MICROBENCH;
    ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {33, 34}, {34, 35}, {33, 35}, &options), FLOPCAST_DONE)
        << flopcast_error_message();
    ASSERT_EQ(flopcast_wisdom_export_to_filename(bench.get(), file.c_str()), FLOPCAST_DONE) << flopcast_error_message();
    expect_refusal(flopcast_wisdom_export_to_filename(bench.get(), (folder.path() / "no folder" / "x").c_str()), FLOPCAST_ENVIRONMENT,
                   "no folder");
  }
  nlohmann::json wisdom = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(wisdom.at("schema"), "flopcast-wisdom-1");
  const auto entries = static_cast<std::int64_t>(wisdom.at("artifacts").size() + wisdom.at("tunings").size());
  ASSERT_GT(entries, 0);

  const tests::Variable home("FLOPCAST_HOME", (folder.path() / "home").string());
  const Bench bench = opened(&with_notes);
  expect_refusal(flopcast_wisdom_export_to_filename(bench.get(), file.c_str()), FLOPCAST_BAD_INPUT, "there is no wisdom yet");
  std::int64_t taken = -1, left_out = -1;
  ASSERT_EQ(flopcast_wisdom_import_from_filename(bench.get(), file.c_str(), &taken, &left_out), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_GT(taken, 0);
  EXPECT_EQ(taken + left_out, entries);
  EXPECT_EQ(std::count(notes.begin(), notes.end(), '\n'), left_out) << notes;

  for (nlohmann::json& environment : wisdom.at("environments")) {
    environment["cpu"] = "another CPU";
  }
  wisdom["tunings"] = nlohmann::json::array();
  const std::string foreign = (folder.path() / "foreign").string();
  std::ofstream(foreign) << wisdom.dump();
  ASSERT_EQ(flopcast_wisdom_import_from_filename(bench.get(), foreign.c_str(), nullptr, nullptr), FLOPCAST_DONE);
  EXPECT_THAT(notes, HasSubstr("is skipped: it is for the CPU 'another CPU'"));

  expect_refusal(flopcast_wisdom_import_from_filename(bench.get(), "/no such file", &taken, nullptr), FLOPCAST_BAD_INPUT, "/no such file");
  expect_refusal(flopcast_wisdom_import_from_filename(bench.get(), nullptr, nullptr, nullptr), FLOPCAST_USAGE, "file is a null pointer");
  expect_refusal(flopcast_wisdom_import_from_filename(nullptr, file.c_str(), nullptr, nullptr), FLOPCAST_USAGE, "bench is a null pointer");
}

TEST(CLibrary, TheSystemsWisdomIsImported) {
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "wisdom").string();
  {
    const Bench bench = opened();
    Plan plan;
    flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
    options.effort = FLOPCAST_MICROBENCH;
    ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {33, 34}, {34, 36}, {33, 36}, &options), FLOPCAST_DONE);
    ASSERT_EQ(flopcast_wisdom_export_to_filename(bench.get(), file.c_str()), FLOPCAST_DONE);
  }
  const tests::Variable home("FLOPCAST_HOME", (folder.path() / "home").string());
  std::int64_t taken = -1, left_out = -1;
  {
    const tests::Variable none("FLOPCAST_SYSTEM_WISDOM", "");
    EXPECT_EQ(flopcast_wisdom_import_system(opened().get(), &taken, &left_out), FLOPCAST_DONE) << flopcast_error_message();
    EXPECT_EQ(taken, 0);
    EXPECT_EQ(left_out, 0);
  }
  const tests::Variable system("FLOPCAST_SYSTEM_WISDOM", file);
  ASSERT_EQ(flopcast_wisdom_import_system(opened().get(), &taken, nullptr), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_GT(taken, 0);
  ASSERT_EQ(flopcast_wisdom_import_system(opened().get(), &taken, nullptr), FLOPCAST_DONE);
  EXPECT_EQ(taken, 0) << "all of it is the user's own now";
}

TEST(CLibrary, TellsWhatAPlanDoes) {
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ija,jbic->abc", FLOPCAST_F64, {8, 8, 20}, {8, 20, 8, 20}, {20, 20, 20}), FLOPCAST_DONE);
  double seconds = 0;
  EXPECT_EQ(flopcast_plan_seconds(plan.get(), &seconds), FLOPCAST_DONE);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 1);
  EXPECT_THAT(explanation(plan), HasSubstr("abc"));
}

TEST(CLibrary, AClosedWorkbenchLeavesItsPlans) {
  Plan plan;
  {
    const Bench bench = opened();
    ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {1, 1}, {1, 1}, {1, 1}), FLOPCAST_DONE);
  }
  const double a = 3, b = 4;
  double c = 0;
  EXPECT_EQ(execute(plan, nullptr, {&a, &b}, nullptr, &c), FLOPCAST_DONE);
  EXPECT_EQ(c, 12);
}

TEST(CLibrary, AForkedChildExecutesPlansAndOpensAWorkbenchOfItsOwn) {
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {1, 1}, {1, 1}, {1, 1}), FLOPCAST_DONE);
  const pid_t child = ::fork();
  if (child == 0) {
    const double a = 3, b = 4;
    double c = 0;
    Plan more;
    const bool executes = execute(plan, nullptr, {&a, &b}, nullptr, &c) == FLOPCAST_DONE && c == 12;
    const bool refuses = try_plan(more, bench, "ij,jk->ik", FLOPCAST_F64, {1, 1}, {1, 1}, {1, 1}) == FLOPCAST_USAGE &&
                         std::strstr(flopcast_error_message(), "opened before this process was forked") != nullptr;
    flopcast_workbench_close(const_cast<Bench&>(bench).release());  // the parent's store stays open
    const Bench own = opened();
    const bool plans = try_plan(more, own, "ij,jk->ik", FLOPCAST_F64, {2, 2}, {2, 2}, {2, 2}) == FLOPCAST_DONE;
    ::_exit(executes && refuses && plans ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {2, 2}, {2, 2}, {2, 2}), FLOPCAST_DONE);
}

TEST(CLibrary, SeveralThreadsExecuteOnePlan) {
  constexpr std::size_t m = 40;
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {m, m}, {m, m}, {m, m}), FLOPCAST_DONE);
  const auto a = numbers<double>(m * m, 1), b = numbers<double>(m * m, 2);
  const std::vector<double> expected = product(a, b, m);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        std::vector<double> c(m * m);
        right += execute(plan, nullptr, {a.data(), b.data()}, nullptr, c.data()) == FLOPCAST_DONE && c == expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 200);
}

/// Returns a number that no type of elements has, as a program of a later version may pass it.
flopcast_type unknown_type() {
  const int number = 9;
  flopcast_type type = FLOPCAST_F32;
  static_assert(sizeof type == sizeof number);
  std::memcpy(&type, &number, sizeof type);
  return type;
}

TEST(CLibrary, RefusesBadContractions) {
  const Bench bench = opened();
  Plan plan;
  const Sizes square = {4, 4}, long_one = {4, 5};
  expect_refusal(try_plan(plan, bench, "ij,jk->il", FLOPCAST_F64, square, square, square), FLOPCAST_BAD_INPUT, "label l of the result");
  expect_refusal(try_plan(plan, bench, "ij,jk,kl->il", FLOPCAST_F64, square, square, square), FLOPCAST_BAD_INPUT,
                 "has 3 operands, but 2 are given");
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, long_one, square, square), FLOPCAST_BAD_INPUT, "label j");
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, square, square, long_one), FLOPCAST_BAD_INPUT,
                 "index k is 5 long in C, but 4 in the operands");
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", unknown_type(), square, square, square), FLOPCAST_USAGE, "type");
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {4, -4}, square, square), FLOPCAST_BAD_INPUT, "j");
  flopcast_plan_options options = FLOPCAST_PLAN_OPTIONS;
  options.effort = 4;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, square, square, square, &options), FLOPCAST_USAGE, "effort");
  options = FLOPCAST_PLAN_OPTIONS;
  options.order = 2;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, square, square, square, &options), FLOPCAST_USAGE, "order");
  options = FLOPCAST_PLAN_OPTIONS;
  options.threads = -1;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, square, square, square, &options), FLOPCAST_USAGE, "threads");
  options = FLOPCAST_PLAN_OPTIONS;
  const std::int32_t ranks[] = {2, 3, 2};
  options.ranks = ranks;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, square, square, square, &options), FLOPCAST_BAD_INPUT,
                 "B has 3 dimensions, but 2 indices");
  flopcast_plan* none = nullptr;
  const std::int64_t *const shapes[] = {square.data(), square.data()}, *const incomplete[] = {square.data(), nullptr};
  expect_refusal(flopcast_plan_einsum(&none, nullptr, "ij,jk->ik", FLOPCAST_F64, 2, shapes, nullptr, nullptr, nullptr, nullptr),
                 FLOPCAST_USAGE, "bench is a null pointer");
  expect_refusal(flopcast_plan_einsum(&none, bench.get(), nullptr, FLOPCAST_F64, 2, shapes, nullptr, nullptr, nullptr, nullptr),
                 FLOPCAST_USAGE, "notation is a null pointer");
  expect_refusal(flopcast_plan_einsum(&none, bench.get(), "ij,jk->ik", FLOPCAST_F64, 2, incomplete, nullptr, nullptr, nullptr, nullptr),
                 FLOPCAST_USAGE, "shape of B");
  EXPECT_EQ(none, nullptr);
}

TEST(CLibrary, RefusesBadExecutionsAndLeavesTheResult) {
  const Bench bench = opened();
  Plan plan;
  ASSERT_EQ(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {2, 2}, {2, 2}, {2, 2}), FLOPCAST_DONE);
  std::vector<double> a = {1, 2, 3, 4};
  expect_refusal(execute(plan, nullptr, {a.data(), a.data()}, nullptr, a.data()), FLOPCAST_BAD_INPUT, "overlaps");
  EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 4}));
  std::vector<double> c = {5, 6, 7, 8};
  expect_refusal(execute(plan, nullptr, {a.data(), nullptr}, nullptr, c.data()), FLOPCAST_BAD_INPUT, "null");
  EXPECT_EQ(c, (std::vector<double>{5, 6, 7, 8}));
  expect_refusal(execute(Plan(), nullptr, {a.data(), a.data()}, nullptr, a.data()), FLOPCAST_USAGE, "plan is a null pointer");
}

TEST(CLibrary, OptionsMayBeOfAnotherVersion) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.size = sizeof(std::size_t) + sizeof(const char*);  // an earlier version with one option; the others don't count
  options.threads = -5;
  EXPECT_NE(opened(&options), nullptr);

  struct Later {
    flopcast_workbench_options options;
    std::int64_t more;
  } later = {FLOPCAST_WORKBENCH_OPTIONS, 0};
  later.options.size = sizeof later;
  EXPECT_NE(opened(&later.options), nullptr);
  later.more = 1;
  flopcast_workbench* none = nullptr;
  expect_refusal(flopcast_workbench_open(&none, &later.options), FLOPCAST_USAGE, "doesn't know");
  options.size = 0;
  expect_refusal(flopcast_workbench_open(&none, &options), FLOPCAST_USAGE, "expected sizeof(flopcast_workbench_options)");
  options = FLOPCAST_WORKBENCH_OPTIONS;
  options.threads = 5000;
  expect_refusal(flopcast_workbench_open(&none, &options), FLOPCAST_USAGE, "5000 given, expected 1 to 1024");
  options = FLOPCAST_WORKBENCH_OPTIONS;
  options.kernels = "fast";
  expect_refusal(flopcast_workbench_open(&none, &options), FLOPCAST_USAGE, "expected auto or library");
  EXPECT_EQ(none, nullptr);
}

TEST(CLibrary, NamesALibraryThatIsNotThere) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.blas = "no such library";
  const Bench bench = opened(&options);
  Plan plan;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {2, 2}, {2, 2}, {2, 2}), FLOPCAST_BAD_INPUT, "no such library");
}

TEST(CLibrary, MessagesAreThoseOfTheThread) {
  flopcast_workbench* none = nullptr;
  const flopcast_workbench_options wrong = {0, nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr};
  EXPECT_EQ(flopcast_workbench_open(&none, &wrong), FLOPCAST_USAGE);
  std::string elsewhere = "unset";
  std::thread([&] { elsewhere = flopcast_error_message(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_THAT(std::string(flopcast_error_message()), HasSubstr("size"));
}

TEST(CLibrary, CancelsWhatTakesLong) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  int polls = 0;
  options.user = &polls;
  options.cancelled = [](void* user) {
    ++*static_cast<int*>(user);
    return 1;
  };
  const Bench bench = opened(&options);
  Plan plan;
  flopcast_plan_options effort = FLOPCAST_PLAN_OPTIONS;
  effort.effort = FLOPCAST_MEASURE;
  effort.fresh = 1;
  expect_refusal(try_plan(plan, bench, "ij,jk->ik", FLOPCAST_F64, {50, 50}, {50, 50}, {50, 50}, &effort), FLOPCAST_INTERRUPTED,
                 "interrupted");
  EXPECT_GT(polls, 0);
}

TEST(CLibrary, CancelsTheProgramThatAnswers) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.cancelled = [](void*) { return 1; };
  const Bench bench = opened(&options);
  char* none = nullptr;
  expect_refusal(flopcast_ask(bench.get(), R"({"tune": {"routine": "dgeqrf", "n": "200:3200", "time_budget": 600, "fresh": true}})", &none),
                 FLOPCAST_INTERRUPTED, "interrupted");
  EXPECT_EQ(none, nullptr);
}

TEST(CLibrary, ReadsTunedBlockSizes) {
  const tests::OwnFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  std::ofstream(file)
      << R"({"schema": "flopcast-tuning-file-1", "environment": {"cpu": "a CPU", "cores": 1, "caches": [], "memory_bandwidth": 1,
    "peak_flops_per_second": 1, "blas": {"name": "", "path": "", "version": "", "kernels": "", "threading": "", "digest": ""},
    "lapack": {"name": "", "path": "", "version": "", "kernels": "", "threading": "", "digest": ""}, "threads": 1, "affinity": "",
    "fingerprint": ""}, "routines": [{"routine": "dgeqrf", "points": [{"m": 1000, "n": 1000, "nb": 48, "nbmin": 2, "nx": 128}]},
    {"routine": "dpotrf", "flags": "L", "points": [{"m": 500, "n": 500, "nb": 96, "nbmin": 2, "nx": 0}]}]})";
  flopcast_tuning* opened_tuning = nullptr;
  ASSERT_EQ(flopcast_tuning_open(&opened_tuning, file.c_str()), FLOPCAST_DONE) << flopcast_error_message();
  const std::unique_ptr<flopcast_tuning, Close> tuning(opened_tuning);
  const auto block_size = [&](const char* routine, std::int64_t m, std::int64_t n) {
    std::int64_t nb = -1;
    EXPECT_EQ(flopcast_tuned_block_size(tuning.get(), routine, m, n, &nb), FLOPCAST_DONE) << flopcast_error_message();
    return nb;
  };
  EXPECT_EQ(block_size("dgeqrf", 1000, 1000), 48);
  EXPECT_EQ(block_size("dpotrf:L", 500, 500), 96);
  EXPECT_EQ(block_size("dpotrf:U", 500, 500), 0);
  EXPECT_EQ(block_size("dgetrf", 1000, 1000), 0);
  flopcast_tuning* none = nullptr;
  expect_refusal(flopcast_tuning_open(&none, "/no such file"), FLOPCAST_BAD_INPUT, "/no such file");
}

TEST(CLibrary, Predicts) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  options.blas = "openblas-serial";
  const Bench bench = opened(&options);
  flopcast_problem problem = FLOPCAST_PROBLEM;
  problem.n = 200;
  problem.nb = 64;
  problem.flags = "uplo=L";
  problem.time_budget = 1;
  flopcast_prediction found = FLOPCAST_PREDICTION;
  ASSERT_EQ(flopcast_predict(bench.get(), "dpotrf", &problem, &found), FLOPCAST_DONE) << flopcast_error_message();
  EXPECT_GT(found.seconds, 0);
  EXPECT_LE(found.low, found.seconds);
  EXPECT_GE(found.high, found.seconds);
  EXPECT_NEAR(found.flops, 200.0 * 200 * 200 / 3, 2e5);
  expect_refusal(flopcast_predict(bench.get(), "dnosuch", &problem, &found), FLOPCAST_BAD_INPUT, "dnosuch");
  problem.n = -1;
  expect_refusal(flopcast_predict(bench.get(), "dpotrf", &problem, &found), FLOPCAST_BAD_INPUT, "n is -1");
}

TEST(CLibrary, AnswersQuestionsHereAndByTheProgram) {
  flopcast_workbench_options options = FLOPCAST_WORKBENCH_OPTIONS;
  std::string notes;
  options.user = &notes;
  options.note = [](const char* text, void* user) { *static_cast<std::string*>(user) += text; };
  const Bench bench = opened(&options);
  const auto answer_to = [&](const std::string& question) {
    char* answer = nullptr;
    EXPECT_EQ(flopcast_ask(bench.get(), question.c_str(), &answer), FLOPCAST_DONE) << flopcast_error_message();
    const Text text(answer);
    return nlohmann::json::parse(text ? text.get() : "null");
  };
  EXPECT_EQ(answer_to(R"({"contract_list": {"expression": "ai,ib->ab", "sizes": {"a": 4, "b": 5, "i": 6}}})").at("schema"),
            "flopcast-contract-1");
  const nlohmann::json trace = answer_to(R"({"trace": {"routine": "dpotrf", "n": 100, "nb": 50, "arguments": {"uplo": "L"}}})");
  EXPECT_EQ(trace.at("schema"), "flopcast-trace-1");
  EXPECT_EQ(trace.at("parameters").at("nb"), 50);

  char* none = nullptr;
  expect_refusal(flopcast_ask(bench.get(), R"({"trace": {"routine": "dnosuch", "n": 100}})", &none), FLOPCAST_BAD_INPUT, "dnosuch");
  expect_refusal(flopcast_ask(bench.get(), R"({"tune": {"routine": "dgeqrf", "nn": 100}})", &none), FLOPCAST_BAD_INPUT,
                 "tune.nn: no such member");
  expect_refusal(flopcast_ask(bench.get(), "tune", &none), FLOPCAST_BAD_INPUT, "no JSON");
  EXPECT_EQ(none, nullptr);
}

TEST(CLibrary, HasTheSchemas) {
  char* made = nullptr;
  ASSERT_EQ(flopcast_schema("request", &made), FLOPCAST_DONE);
  const Text text(made);
  EXPECT_TRUE(nlohmann::json::parse(text.get()).at("properties").contains("tune"));
  char* none = nullptr;
  expect_refusal(flopcast_schema("no such schema", &none), FLOPCAST_BAD_INPUT, "no such schema");
}

TEST(CLibrary, TakesNullWhereAHandleEnds) {
  flopcast_workbench_close(nullptr);
  flopcast_plan_destroy(nullptr);
  flopcast_tuning_close(nullptr);
  flopcast_free(nullptr);
  EXPECT_THAT(std::string(flopcast_version()), HasSubstr("."));
}

}  // namespace
}  // namespace flopcast
