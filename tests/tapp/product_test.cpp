// TAPP as programs use it: everything here goes through tapp.h and libtapp-flopcast.so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tapp.h>
#include <tapp_flopcast.h>

#include "tests/data_folder.hpp"

namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

std::string explained(TAPP_error error) {
  std::string text(TAPP_explain_error(error, 0, nullptr), ' ');
  EXPECT_EQ(TAPP_explain_error(error, text.size() + 1, text.data()), text.size());
  return text;
}

/// Expects an error code and a part of its explanation.
void expect_refusal(TAPP_error error, flopcast_tapp_error expected, const std::string& text) {
  EXPECT_EQ(error, expected) << explained(error);
  EXPECT_FALSE(TAPP_check_success(error));
  EXPECT_THAT(explained(error), HasSubstr(text));
}

void expect_success(TAPP_error error) { EXPECT_TRUE(TAPP_check_success(error)) << error << ": " << explained(error); }

/// An object of TAPP that ends with its scope.
class Owned {
 public:
  Owned(std::intptr_t number, TAPP_error (*end)(std::intptr_t)) : number_(number), end_(end) {}
  Owned(Owned&& other) noexcept : number_(std::exchange(other.number_, 0)), end_(other.end_) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned& operator=(Owned&&) = delete;
  ~Owned() { EXPECT_EQ(end_(number_), 0); }
  operator std::intptr_t() const { return number_; }

 private:
  std::intptr_t number_;
  TAPP_error (*end_)(std::intptr_t);
};

Owned new_handle() {
  TAPP_handle handle = 0;
  expect_success(TAPP_create_handle(&handle));
  return {handle, TAPP_destroy_handle};
}

Owned new_executor() {
  TAPP_executor executor = 0;
  expect_success(TAPP_create_executor(&executor));
  return {executor, TAPP_destroy_executor};
}

Owned new_info(TAPP_datatype type, const Numbers& extents, const Numbers& strides) {
  TAPP_tensor_info info = 0;
  expect_success(TAPP_create_tensor_info(&info, type, static_cast<int>(extents.size()), extents.data(), strides.data()));
  return {info, TAPP_destroy_tensor_info};
}

/// A tensor's indices and its place in memory. `first` is the offset of the first element from the lowest.
struct Tensor {
  Numbers labels, extents, strides;
  std::size_t first = 0, elements = 1;
  TAPP_element_op op = TAPP_IDENTITY;
};

/// A tensor in row-major order.
Tensor dense(const Numbers& labels, const Numbers& extents) {
  Tensor tensor{labels, extents, Numbers(labels.size())};
  for (std::size_t i = labels.size(); i-- > 0;) {
    tensor.strides[i] = static_cast<std::int64_t>(tensor.elements);
    tensor.elements *= static_cast<std::size_t>(extents[i]);
  }
  return tensor;
}

/// Plans a product. `plan` is the product's number, or the failure's.
TAPP_error try_product(TAPP_tensor_product& plan, TAPP_handle handle, TAPP_datatype type, const Tensor& a, const Tensor& b, const Tensor& c,
                       const Tensor& d, TAPP_prectype precision = TAPP_DEFAULT_PREC) {
  const Owned info_a = new_info(type, a.extents, a.strides), info_b = new_info(type, b.extents, b.strides),
              info_c = new_info(type, c.extents, c.strides), info_d = new_info(type, d.extents, d.strides);
  return TAPP_create_tensor_product(&plan, handle, a.op, info_a, a.labels.data(), b.op, info_b, b.labels.data(), c.op, info_c,
                                    c.labels.data(), d.op, info_d, d.labels.data(), precision);
}

Owned new_product(TAPP_handle handle, TAPP_datatype type, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
  TAPP_tensor_product plan = 0;
  expect_success(try_product(plan, handle, type, a, b, c, d));
  return {plan, TAPP_destroy_tensor_product};
}

template <class Number>
constexpr TAPP_datatype type_of = TAPP_F64;
template <>
constexpr TAPP_datatype type_of<float> = TAPP_F32;
template <>
constexpr TAPP_datatype type_of<std::complex<float>> = TAPP_C32;
template <>
constexpr TAPP_datatype type_of<std::complex<double>> = TAPP_C64;

template <class Number>
Number with_operation(Number value, TAPP_element_op op) {
  if constexpr (std::is_floating_point_v<Number>) {
    return value;
  } else {
    return op == TAPP_CONJUGATE ? std::conj(value) : value;
  }
}

/// Values of all labels of a product, and loops over them.
class Loops {
 public:
  explicit Loops(const std::vector<const Tensor*>& tensors) {
    for (const Tensor* tensor : tensors) {
      for (std::size_t i = 0; i < tensor->labels.size(); ++i) {
        if (extents_.emplace(tensor->labels[i], tensor->extents[i]).second) {
          order_.push_back(tensor->labels[i]);
        }
      }
    }
  }

  /// Calls `body` for all values of the labels `from` to `to` in the order of their first appearance.
  template <class Body>
  void run(std::size_t from, std::size_t to, const Body& body) {
    if (from == to) {
      body();
      return;
    }
    for (std::int64_t value = 0; value < extents_.at(order_[from]); ++value) {
      values_[order_[from]] = value;
      run(from + 1, to, body);
    }
  }

  /// Returns the place of the present element of a tensor.
  [[nodiscard]] std::size_t place(const Tensor& tensor) const {
    auto place = static_cast<std::int64_t>(tensor.first);
    for (std::size_t i = 0; i < tensor.labels.size(); ++i) {
      place += values_.at(tensor.labels[i]) * tensor.strides[i];
    }
    return static_cast<std::size_t>(place);
  }
  [[nodiscard]] std::size_t count() const { return order_.size(); }

 private:
  std::map<std::int64_t, std::int64_t> extents_, values_;
  Numbers order_;
};

/// Computes D := op(alpha op(A) op(B) + beta op(C)) by the definition. C is not read if beta is 0.
template <class Number>
void multiply(const std::array<Tensor, 4>& tensors, Number alpha, const std::vector<Number>& a, const std::vector<Number>& b, Number beta,
              const std::vector<Number>& c, std::vector<Number>& d) {
  const Tensor &in_a = tensors[0], &in_b = tensors[1], &in_c = tensors[2], &in_d = tensors[3];
  const std::size_t outer = Loops({&in_d}).count();
  Loops loops({&in_d, &in_a, &in_b});
  loops.run(0, outer, [&] {
    Number sum = 0;
    loops.run(outer, loops.count(),
              [&] { sum += with_operation(a[loops.place(in_a)], in_a.op) * with_operation(b[loops.place(in_b)], in_b.op); });
    const Number addend = beta == Number(0) ? Number(0) : beta * with_operation(c[loops.place(in_c)], in_c.op);
    d[loops.place(in_d)] = with_operation(alpha * sum + addend, in_d.op);
  });
}

/// Random products with all kinds of indices, layouts and operations. All numbers are small integers, so that sums are exact.
class RandomProduct {
 public:
  explicit RandomProduct(unsigned seed) : random_(seed) {
    const int count = between(0, 6);
    Numbers names, extents;
    for (int i = 0; i < count; ++i) {
      names.push_back(seed % 3 == 0 ? 'a' + i : (i % 2 == 0 ? 1 : -1) * (std::numeric_limits<std::int64_t>::max() - i));
      extents.push_back(between(0, 19) == 0 ? 0 : between(1, 4));
    }
    Numbers in_result;
    for (std::size_t i = 0; i < names.size(); ++i) {
      constexpr int in_a = 1, in_b = 2, in_d = 4;
      const int where = between(0, 1) * in_d + between(1, 3);
      add(tensors_[0], where & in_a, names[i], extents[i]);
      add(tensors_[1], where & in_b, names[i], extents[i]);
      add(tensors_[3], where & in_d, names[i], extents[i]);
    }
    tensors_[2].labels = tensors_[3].labels;
    for (Tensor& tensor : tensors_) {
      if (&tensor != &tensors_[2]) {
        std::shuffle(tensor.labels.begin(), tensor.labels.end(), random_);
      }
    }
    tensors_[2].labels = tensors_[3].labels;
    for (Tensor& tensor : tensors_) {
      tensor.extents.clear();
      for (const std::int64_t label : tensor.labels) {
        tensor.extents.push_back(extents[static_cast<std::size_t>(std::find(names.begin(), names.end(), label) - names.begin())]);
      }
      place(tensor, &tensor < &tensors_[2]);
      tensor.op = between(0, 1);
    }
    in_place_ = between(0, 3) == 0;
    if (in_place_) {
      const TAPP_element_op op = tensors_[2].op;
      tensors_[2] = tensors_[3];
      tensors_[2].op = op;
    }
  }

  [[nodiscard]] const std::array<Tensor, 4>& tensors() const { return tensors_; }
  [[nodiscard]] bool in_place() const { return in_place_; }

  template <class Number>
  Number number() {
    const auto part = [this] { return static_cast<float>(between(-3, 3)); };
    if constexpr (std::is_floating_point_v<Number>) {
      return part();
    } else {
      const float real = part();
      return Number(real, part());
    }
  }
  template <class Number>
  std::vector<Number> numbers(std::size_t tensor) {
    std::vector<Number> list(tensors_[tensor].elements);
    std::generate(list.begin(), list.end(), [this] { return number<Number>(); });
    return list;
  }

 private:
  int between(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

  /// Gives a tensor a label, now and then twice.
  void add(Tensor& tensor, bool has_label, std::int64_t label, std::int64_t extent) {
    for (int times = has_label ? (between(0, 9) == 0 ? 2 : 1) : 0; times > 0; --times) {
      tensor.labels.push_back(label);
      tensor.extents.push_back(extent);
    }
  }

  /// Gives a tensor strides: dimensions in any order, with gaps, some of them negative; for an operand some of them 0.
  void place(Tensor& tensor, bool is_operand) {
    std::vector<std::size_t> order(tensor.labels.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random_);
    tensor.strides.assign(order.size(), 0);
    std::int64_t stride = between(1, 2);
    for (const std::size_t i : order) {
      tensor.strides[i] = is_operand && between(0, 14) == 0 ? 0 : between(0, 2) == 0 ? -stride : stride;
      stride *= std::max<std::int64_t>(1, tensor.extents[i]) + between(0, 1);
    }
    std::int64_t first = 0, last = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int64_t reach = std::max<std::int64_t>(0, tensor.extents[i] - 1) * tensor.strides[i];
      (reach < 0 ? first : last) += reach;
    }
    tensor.first = static_cast<std::size_t>(-first);
    tensor.elements = static_cast<std::size_t>(last - first + 1);
  }

  std::mt19937 random_;
  std::array<Tensor, 4> tensors_;
  bool in_place_ = false;
};

template <class Number>
void expect_right_products() {
  constexpr unsigned products = 300;
  const Owned handle = new_handle(), executor = new_executor();
  for (unsigned seed = 0; seed < products; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProduct product(seed);
    const auto& [in_a, in_b, in_c, in_d] = product.tensors();
    const std::vector<Number> a = product.numbers<Number>(0), b = product.numbers<Number>(1);
    std::vector<Number> c = product.numbers<Number>(2), d = product.numbers<Number>(3);
    const Number alpha = product.number<Number>(), beta = product.number<Number>();
    if (beta == Number(0) && !product.in_place()) {
      std::fill(c.begin(), c.end(), Number(std::numeric_limits<float>::quiet_NaN()));
    }
    std::vector<Number> expected = d;
    multiply(product.tensors(), alpha, a, b, beta, product.in_place() ? d : c, expected);
    const Owned plan = new_product(handle, type_of<Number>, in_a, in_b, in_c, in_d);
    TAPP_status status = -1;
    Number* const result = d.data() + in_d.first;
    expect_success(TAPP_execute_product(plan, executor, &status, &alpha, a.data() + in_a.first, b.data() + in_b.first, &beta,
                                        product.in_place() ? result : c.data() + in_c.first, result));
    EXPECT_EQ(status, 0);
    EXPECT_EQ(d, expected);  // elements between those of D, too
  }
}

TEST(Tapp, MultipliesAsTheDefinitionSaysInSinglePrecision) { expect_right_products<float>(); }
TEST(Tapp, MultipliesAsTheDefinitionSaysInDoublePrecision) { expect_right_products<double>(); }
TEST(Tapp, MultipliesAsTheDefinitionSaysInComplexSinglePrecision) { expect_right_products<std::complex<float>>(); }
TEST(Tapp, MultipliesAsTheDefinitionSaysInComplexDoublePrecision) { expect_right_products<std::complex<double>>(); }

/// D_ik := sum over j of A_ij B_jk with small integers, large enough for BLAS.
struct MatrixProduct {
  explicit MatrixProduct(std::int64_t m = 70, std::int64_t n = 50, std::int64_t k = 60)
      : of_a(dense({'i', 'j'}, {m, k})),
        of_b(dense({'j', 'k'}, {k, n})),
        of_d(dense({'i', 'k'}, {m, n})),
        a(of_a.elements),
        b(of_b.elements),
        expected(of_d.elements) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<double>(i * 7 % 11) - 5;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = static_cast<double>(i * 5 % 13) - 6;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto columns = static_cast<std::size_t>(n), inner = static_cast<std::size_t>(k);
      for (std::size_t j = 0; j < inner; ++j) {
        expected[i] += a[i / columns * inner + j] * b[j * columns + i % columns];
      }
    }
  }

  Tensor of_a, of_b, of_d;
  std::vector<double> a, b, expected;
};

/// Executes D := A B with a product. Returns D.
std::vector<double> product_of(const MatrixProduct& matrices, TAPP_tensor_product plan, TAPP_executor executor) {
  std::vector<double> d(matrices.expected.size(), -1);
  const double one = 1, zero = 0;
  expect_success(TAPP_execute_product(plan, executor, nullptr, &one, matrices.a.data(), matrices.b.data(), &zero, nullptr, d.data()));
  return d;
}

TEST(Tapp, ProductsOutliveTheirHandleAndDescriptions) {
  const MatrixProduct matrices;
  const Owned executor = new_executor();
  const Owned plan = new_product(new_handle(), TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  EXPECT_EQ(product_of(matrices, plan, executor), matrices.expected);
}

TEST(Tapp, ThreadsExecuteOneProductAtOnce) {
  const MatrixProduct matrices;
  const Owned executor = new_executor(), handle = new_handle();
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  std::array<std::vector<double>, 4> results;
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] { result = product_of(matrices, plan, executor); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<double>& result : results) {
    EXPECT_EQ(result, matrices.expected);
  }
}

TEST(Tapp, AForkedChildExecutesItsParentsProductsWithOtherThreads) {
  const MatrixProduct matrices;
  const Owned executor = new_executor(), handle = new_handle();
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool executes = product_of(matrices, plan, executor) == matrices.expected;
    int two = 2;
    expect_success(TAPP_attr_set(executor, FLOPCAST_TAPP_THREADS, &two));
    const bool plans = product_of(matrices, plan, executor) == matrices.expected;
    ::_exit(executes && plans ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Tapp, LabelsThatAreNoLettersAppearAsNumbers) {
  const Owned handle = new_handle(), executor = new_executor();
  const auto text = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const Tensor of_d = dense({i, k}, {2, 2});
    const Owned plan = new_product(handle, TAPP_F64, dense({i, j}, {2, 2}), dense({j, k}, {2, 2}), of_d, of_d);
    std::array<double, 4> d{};
    const double one = 1;
    const TAPP_error error = TAPP_execute_product(plan, executor, nullptr, &one, d.data(), d.data(), &one, d.data(), d.data());
    EXPECT_EQ(error, FLOPCAST_TAPP_BAD_INPUT);
    return explained(error);
  };
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(text('i', 'j', 'K'), HasSubstr("expression 'ij,jK->iK'"));
  EXPECT_THAT(text('i', -7, 3), HasSubstr("expression '[105 -7],[-7 3]->[105 3]'"));
  EXPECT_THAT(text('i', largest, -largest), HasSubstr("expression '[0 1],[1 2]->[0 2]'")) << "numbered where C has no such numbers";
}

int attribute(TAPP_attr object, TAPP_key key) {
  void* value = nullptr;
  expect_success(TAPP_attr_get(object, key, &value));
  return value == nullptr ? -1 : *static_cast<int*>(value);
}

TEST(Tapp, AttributesAreSetReadAndCleared) {
  const Owned handle = new_handle(), executor = new_executor();
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_THREADS), 1);
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_EFFORT), FLOPCAST_TAPP_ESTIMATE);
  EXPECT_EQ(attribute(executor, FLOPCAST_TAPP_THREADS), 0);
  int two = 2, none = 0, many = 1025, negative = -1, three = 3;
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_THREADS, &two));
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_EFFORT, &two));
  expect_success(TAPP_attr_set(executor, FLOPCAST_TAPP_THREADS, &two));
  for (const std::intptr_t object : {std::intptr_t(handle), std::intptr_t(executor)}) {
    EXPECT_EQ(attribute(object, FLOPCAST_TAPP_THREADS), 2);
  }
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_EFFORT), FLOPCAST_TAPP_MEASURE);
  expect_refusal(TAPP_attr_set(handle, FLOPCAST_TAPP_THREADS, &none), FLOPCAST_TAPP_VALUE, "threads is 0, expected 1 to 1024");
  expect_refusal(TAPP_attr_set(executor, FLOPCAST_TAPP_THREADS, &many), FLOPCAST_TAPP_VALUE, "threads is 1025, expected 0 to 1024");
  expect_refusal(TAPP_attr_set(executor, FLOPCAST_TAPP_THREADS, &negative), FLOPCAST_TAPP_VALUE, "threads is -1");
  expect_refusal(TAPP_attr_set(handle, FLOPCAST_TAPP_EFFORT, &three), FLOPCAST_TAPP_VALUE, "effort of planning is 3, expected 0 to 2");
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_EFFORT), FLOPCAST_TAPP_MEASURE);
  expect_success(TAPP_attr_clear(handle, FLOPCAST_TAPP_EFFORT));
  expect_success(TAPP_attr_clear(executor, FLOPCAST_TAPP_THREADS));
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_EFFORT), FLOPCAST_TAPP_ESTIMATE);
  EXPECT_EQ(attribute(executor, FLOPCAST_TAPP_THREADS), 0);
  EXPECT_EQ(attribute(handle, FLOPCAST_TAPP_THREADS), 2);
}

TEST(Tapp, ObjectsHaveOnlyTheirAttributes) {
  const MatrixProduct matrices;
  const Owned handle = new_handle(), executor = new_executor(), info = new_info(TAPP_F64, {2}, {1});
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  int one = 1;
  void* value = nullptr;
  expect_refusal(TAPP_attr_set(executor, FLOPCAST_TAPP_EFFORT, &one), FLOPCAST_TAPP_KEY, "an executor has no attribute with the key 4097");
  expect_refusal(TAPP_attr_set(handle, 7, &one), FLOPCAST_TAPP_KEY, "a handle has no attribute with the key 7");
  expect_refusal(TAPP_attr_set(plan, FLOPCAST_TAPP_SECONDS, &one), FLOPCAST_TAPP_KEY, "a product has no attribute");
  expect_refusal(TAPP_attr_clear(plan, FLOPCAST_TAPP_EXPLANATION), FLOPCAST_TAPP_KEY, "a product has no attribute");
  expect_refusal(TAPP_attr_get(info, FLOPCAST_TAPP_THREADS, &value), FLOPCAST_TAPP_KEY, "a description of a tensor has no attribute");
  expect_refusal(TAPP_attr_get(12345, FLOPCAST_TAPP_THREADS, &value), FLOPCAST_TAPP_NO_OBJECT, "attr is 0x3039");
  expect_refusal(TAPP_attr_get(handle, FLOPCAST_TAPP_THREADS, nullptr), FLOPCAST_TAPP_NULL_POINTER, "value is a null pointer");
  expect_refusal(TAPP_attr_set(handle, FLOPCAST_TAPP_THREADS, nullptr), FLOPCAST_TAPP_NULL_POINTER, "value is a null pointer");
}

/// Returns the number of threads of this process.
std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// Computes a product with a handle and an executor of these threads. Returns the number of threads that the execution started; started
/// threads are kept.
std::ptrdiff_t started_threads(int of_handle, int of_executor) {
  const MatrixProduct matrices(400, 300, 200);
  const Owned handle = new_handle(), executor = new_executor();
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_THREADS, &of_handle));
  expect_success(TAPP_attr_set(executor, FLOPCAST_TAPP_THREADS, &of_executor));
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  const std::ptrdiff_t before = threads_of_process();
  EXPECT_EQ(product_of(matrices, plan, executor), matrices.expected);
  EXPECT_EQ(product_of(matrices, plan, executor), matrices.expected);
  return threads_of_process() - before;
}

/// Ends the process: with 0 if the execution started threads as expected.
[[noreturn]] void exit_with_threads(int of_handle, int of_executor, bool starts) {
  const std::ptrdiff_t started = started_threads(of_handle, of_executor);
  std::fprintf(stderr, "%td threads started\n", started);
  std::exit((started > 0) == starts && !::testing::Test::HasFailure() ? 0 : 1);
}

TEST(TappDeathTest, HandlesAndExecutorsDecideTheThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr auto done = [](int status) { return ::testing::ExitedWithCode(0)(status); };
  EXPECT_EXIT(exit_with_threads(1, 0, false), done, "0 threads started");
  EXPECT_EXIT(exit_with_threads(1, 2, true), done, "threads started");
  EXPECT_EXIT(exit_with_threads(2, 0, true), done, "threads started");
}

TEST(Tapp, ProductsTellTheirTimeAndTheirPlan) {
  const MatrixProduct matrices;
  const Owned handle = new_handle();
  int effort = FLOPCAST_TAPP_MICROBENCH;
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_EFFORT, &effort));
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  void* value = nullptr;
  expect_success(TAPP_attr_get(plan, FLOPCAST_TAPP_SECONDS, &value));
  EXPECT_GT(*static_cast<double*>(value), 0);
  expect_success(TAPP_attr_get(plan, FLOPCAST_TAPP_EXPLANATION, &value));
  EXPECT_THAT(std::string(static_cast<char*>(value)), HasSubstr("ij,jk->ik"));
}

/// Plans and computes a product where no folder can be written. Returns whether the explanation says so.
bool plan_without_folder(const std::string& data) {
  const flopcast::tests::DataFolder folder(data);
  const Tensor of_a = dense({1, 2}, {40, 40}), of_b = dense({2, 3}, {40, 40}), of_d = dense({1, 3}, {40, 40});
  const Owned handle = new_handle(), executor = new_executor();
  const int effort = FLOPCAST_TAPP_MICROBENCH, threads = 2;
  int copy = effort;
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_EFFORT, &copy));
  copy = threads;
  expect_success(TAPP_attr_set(handle, FLOPCAST_TAPP_THREADS, &copy));
  const Owned plan = new_product(handle, TAPP_F64, of_a, of_b, of_d, of_d);
  const std::vector<double> a(1600, 1), b(1600, 2);
  std::vector<double> d(1600);
  const double one = 1, zero = 0;
  expect_success(TAPP_execute_product(plan, executor, nullptr, &one, a.data(), b.data(), &zero, nullptr, d.data()));
  EXPECT_EQ(d, std::vector<double>(1600, 80));
  void* value = nullptr;
  expect_success(TAPP_attr_get(plan, FLOPCAST_TAPP_EXPLANATION, &value));
  const std::string explanation = static_cast<char*>(value);
  EXPECT_THAT(explanation, HasSubstr("\nwarning: measurements and choices of plans are kept in this process only: "));
  return !testing::Test::HasFailure();
}

TEST(Tapp, PlansWithoutAFolderForChoices) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // each in a process of its own, because a process opens one store
  const auto code = [](const char* data) { return plan_without_folder(data) ? 0 : 1; };
  EXPECT_EXIT(std::exit(code("/proc/no such folder")), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(code("")), testing::ExitedWithCode(0), "");
}

TEST(Tapp, BatchesAreComputedInTurns) {
  const Tensor of_a = dense({1, 2}, {2, 3}), of_b = dense({2}, {3}), of_d = dense({1}, {2});
  const Owned handle = new_handle(), executor = new_executor();
  const Owned plan = new_product(handle, TAPP_F64, of_a, of_b, of_d, of_d);
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, ones = {1, 1, 1}, ramp = {1, 2, 3}, c = {100, 200};
  std::vector<double> first = {-1, -1}, second = {-1, -1};
  std::array<const void*, 2> of_as = {a.data(), a.data()}, of_bs = {ones.data(), ramp.data()}, of_cs = {c.data(), c.data()};
  std::array<void*, 2> of_ds = {first.data(), second.data()};
  const double two = 2, one = 1, zero = 0;
  TAPP_status status = -1;
  expect_success(
      TAPP_execute_batched_product(plan, executor, &status, 2, &two, of_as.data(), of_bs.data(), &one, of_cs.data(), of_ds.data()));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(first, (std::vector<double>{112, 230}));
  EXPECT_EQ(second, (std::vector<double>{128, 264}));
  expect_success(TAPP_execute_batched_product(plan, executor, nullptr, 2, &one, of_as.data(), of_bs.data(), &zero, nullptr, of_ds.data()));
  EXPECT_EQ(first, (std::vector<double>{6, 15}));
  EXPECT_EQ(second, (std::vector<double>{14, 32}));
  expect_success(TAPP_execute_batched_product(plan, executor, nullptr, 0, &one, nullptr, nullptr, &zero, nullptr, nullptr));
  expect_refusal(TAPP_execute_batched_product(plan, executor, nullptr, 2, &one, of_as.data(), of_bs.data(), &one, nullptr, of_ds.data()),
                 FLOPCAST_TAPP_MISSING_C, "C is a null pointer, but beta is not 0");
  expect_refusal(TAPP_execute_batched_product(plan, executor, nullptr, -1, &one, of_as.data(), of_bs.data(), &zero, nullptr, of_ds.data()),
                 FLOPCAST_TAPP_VALUE, "the number of products is -1");
  expect_refusal(TAPP_execute_batched_product(plan, executor, nullptr, 2, &one, nullptr, of_bs.data(), &zero, nullptr, of_ds.data()),
                 FLOPCAST_TAPP_NULL_POINTER, "A is a null pointer");
  of_bs[1] = nullptr;
  first = {-1, -1};
  expect_refusal(TAPP_execute_batched_product(plan, executor, nullptr, 2, &one, of_as.data(), of_bs.data(), &zero, nullptr, of_ds.data()),
                 FLOPCAST_TAPP_BAD_INPUT, "null");
  EXPECT_EQ(first, (std::vector<double>{6, 15}));
}

/// Expects that tensors are refused, and that an execution of the failed product gives the same code.
void expect_no_product(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, flopcast_tapp_error code,
                       const std::string& text, TAPP_datatype type = TAPP_F32, TAPP_prectype precision = TAPP_DEFAULT_PREC) {
  SCOPED_TRACE(text);
  const Owned handle = new_handle(), executor = new_executor();
  TAPP_tensor_product plan = 0;
  expect_refusal(try_product(plan, handle, type, a, b, c, d, precision), code, text);
  std::array<float, 64> room{};
  expect_refusal(
      TAPP_execute_product(plan, executor, nullptr, room.data(), room.data(), room.data(), room.data(), room.data(), room.data()), code,
      text);
  expect_success(TAPP_destroy_tensor_product(plan));
}

TEST(Tapp, TensorsThatContradictEachOtherAreRefused) {
  const Tensor ij = dense({'i', 'j'}, {2, 3}), jk = dense({'j', 'k'}, {3, 4}), ik = dense({'i', 'k'}, {2, 4});
  expect_no_product(ij, dense({'j', 'k'}, {4, 4}), ik, ik, FLOPCAST_TAPP_EXTENTS_OF_A_AND_B, "index j has extent 3 in A, but 4 in B");
  expect_no_product(ij, dense({'j', 'k'}, {1, 4}), ik, ik, FLOPCAST_TAPP_EXTENTS_OF_A_AND_B, "index j has extent 3 in A, but 1 in B");
  expect_no_product(ij, jk, dense({'i', 'k'}, {5, 4}), dense({'i', 'k'}, {5, 4}), FLOPCAST_TAPP_EXTENTS_OF_A_AND_D,
                    "index i has extent 2 in A, but 5 in D");
  expect_no_product(ij, jk, ik, dense({'i', 'k'}, {2, 5}), FLOPCAST_TAPP_EXTENTS_OF_B_AND_D, "index k has extent 4 in B, but 5 in D");
  expect_no_product(ij, jk, ik, dense({'i', 'x'}, {2, 4}), FLOPCAST_TAPP_INDEX_OF_D_ALONE, "D has index x, which neither A nor B has");
  expect_no_product(ij, jk, dense({'i'}, {2}), ik, FLOPCAST_TAPP_DIMENSIONS_OF_C, "C has 1 dimension, but D has 2");
  expect_no_product(ij, jk, dense({'k', 'i'}, {4, 2}), ik, FLOPCAST_TAPP_INDICES_OF_C, "dimension 0 has index k in C, but i in D");
  expect_no_product(ij, jk, dense({'i', 'k'}, {2, 5}), ik, FLOPCAST_TAPP_EXTENTS_OF_C, "index k has extent 5 in C, but 4 in D");
  expect_no_product(dense({'i', 'i'}, {2, 3}), jk, ik, ik, FLOPCAST_TAPP_EXTENTS_IN_A, "index i has the extents 2 and 3 in A");
  expect_no_product(ij, dense({'k', 'k'}, {2, 3}), ik, ik, FLOPCAST_TAPP_EXTENTS_IN_B, "index k has the extents 2 and 3 in B");
  expect_no_product(ij, jk, dense({'i', 'i'}, {2, 3}), dense({'i', 'i'}, {2, 3}), FLOPCAST_TAPP_EXTENTS_IN_D,
                    "index i has the extents 2 and 3 in D");
  expect_no_product(dense({7, -8}, {2, 3}), dense({-8, 9}, {4, 4}), dense({7, 9}, {2, 4}), dense({7, 9}, {2, 4}),
                    FLOPCAST_TAPP_EXTENTS_OF_A_AND_B, "index -8 has extent 3 in A, but 4 in B");
  Tensor overlapping = ik;
  overlapping.strides = {3, 1};
  expect_no_product(ij, jk, ik, overlapping, FLOPCAST_TAPP_ALIASING_IN_D, "of shape (2, 4) with the strides (3, 1)");
  overlapping.strides = {4, 0};
  expect_no_product(ij, jk, ik, overlapping, FLOPCAST_TAPP_ALIASING_IN_D, "share addresses");
  Tensor far = ij;
  far.strides = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  expect_no_product(far, jk, ik, ik, FLOPCAST_TAPP_BAD_INPUT, "62 bits");
  Tensor far_result = ik;
  far_result.strides = far.strides;
  expect_no_product(ij, jk, ik, far_result, FLOPCAST_TAPP_BAD_INPUT, "62 bits");
  Tensor far_diagonal = dense({'i', 'i'}, {2, 2});
  far_diagonal.strides = {std::numeric_limits<std::int64_t>::max(), 1};
  expect_no_product(ij, jk, far_diagonal, far_diagonal, FLOPCAST_TAPP_BAD_INPUT, "64 bits");
  Tensor twice = ij;
  twice.op = 2;
  expect_no_product(twice, jk, ik, ik, FLOPCAST_TAPP_OPERATION, "op_A is 2");
}

TEST(Tapp, PrecisionsBeyondTheElementsAreRefused) {
  const Tensor ij = dense({'i', 'j'}, {2, 3}), jk = dense({'j', 'k'}, {3, 4}), ik = dense({'i', 'k'}, {2, 4});
  expect_no_product(ij, jk, ik, ik, FLOPCAST_TAPP_PRECISION, "isn't supported for elements of single precision", TAPP_F32,
                    TAPP_F64F64_ACCUM_F64);
  expect_no_product(ij, jk, ik, ik, FLOPCAST_TAPP_PRECISION, "the precision 3 is unknown", TAPP_C64, 3);
  const Owned handle = new_handle();
  for (const TAPP_prectype precision :
       {TAPP_F32F32_ACCUM_F32, TAPP_F64F64_ACCUM_F64, TAPP_F16F16_ACCUM_F16, TAPP_F16F16_ACCUM_F32, TAPP_BF16BF16_ACCUM_F32}) {
    TAPP_tensor_product plan = 0;
    expect_success(try_product(plan, handle, TAPP_C64, ij, jk, ik, ik, precision));
    expect_success(TAPP_destroy_tensor_product(plan));
  }
}

TEST(Tapp, ProductsOfSeveralTypesAreRefused) {
  const Numbers extents = {2}, strides = {1}, labels = {5};
  const Owned handle = new_handle(), single = new_info(TAPP_F32, extents, strides), complex = new_info(TAPP_C32, extents, strides);
  TAPP_tensor_product plan = 0;
  expect_refusal(TAPP_create_tensor_product(&plan, handle, 0, single, labels.data(), 0, single, labels.data(), 0, complex, labels.data(), 0,
                                            complex, labels.data(), TAPP_DEFAULT_PREC),
                 FLOPCAST_TAPP_MIXED_TYPES, "A has elements of type TAPP_F32, but C of type TAPP_C32");
}

TEST(Tapp, ExecutionsRefuseWhatTheyCannotUse) {
  const MatrixProduct matrices;
  const Owned handle = new_handle(), executor = new_executor();
  const Owned plan = new_product(handle, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  const double one = 1, zero = 0;
  std::vector<double> d = matrices.expected;
  const auto execute = [&](TAPP_executor with, const void* alpha, const void* a, const void* beta, const void* c, void* to) {
    return TAPP_execute_product(plan, with, nullptr, alpha, a, matrices.b.data(), beta, c, to);
  };
  const double* const a = matrices.a.data();
  expect_refusal(execute(executor, nullptr, a, &zero, nullptr, d.data()), FLOPCAST_TAPP_NULL_POINTER, "alpha is a null pointer");
  expect_refusal(execute(executor, &one, a, nullptr, nullptr, d.data()), FLOPCAST_TAPP_NULL_POINTER, "beta is a null pointer");
  expect_refusal(execute(executor, &one, a, &one, nullptr, d.data()), FLOPCAST_TAPP_MISSING_C, "C is a null pointer, but beta is not 0");
  expect_refusal(execute(executor, &one, nullptr, &zero, nullptr, d.data()), FLOPCAST_TAPP_BAD_INPUT, "the address of operand 1 is null");
  expect_refusal(execute(executor, &one, a, &zero, nullptr, nullptr), FLOPCAST_TAPP_BAD_INPUT, "the address of the result is null");
  expect_refusal(execute(executor, &one, d.data(), &zero, nullptr, d.data()), FLOPCAST_TAPP_BAD_INPUT, "the result overlaps operand 1");
  expect_refusal(execute(0, &one, a, &zero, nullptr, d.data()), FLOPCAST_TAPP_NO_EXECUTOR, "exec is 0x0");
  expect_refusal(execute(plan, &one, a, &zero, nullptr, d.data()), FLOPCAST_TAPP_NO_EXECUTOR, "another kind of object");
  EXPECT_EQ(d, matrices.expected);
  expect_refusal(TAPP_execute_product(0, executor, nullptr, &one, a, a, &zero, nullptr, d.data()), FLOPCAST_TAPP_NO_OBJECT, "plan is 0x0");
}

TEST(Tapp, EndedObjectsAreRefused) {
  TAPP_handle handle = 0;
  TAPP_executor executor = 0;
  TAPP_tensor_info info = 0;
  const std::int64_t extent = 2, stride = 1, label = 3;
  expect_success(TAPP_create_handle(&handle));
  expect_success(TAPP_create_executor(&executor));
  expect_success(TAPP_create_tensor_info(&info, TAPP_F64, 1, &extent, &stride));
  expect_refusal(TAPP_destroy_handle(executor), FLOPCAST_TAPP_NO_OBJECT, "another kind of object");
  const auto plan = [&](TAPP_tensor_product& made) {
    return TAPP_create_tensor_product(&made, handle, 0, info, &label, 0, info, &label, 0, info, &label, 0, info, &label, TAPP_DEFAULT_PREC);
  };
  TAPP_tensor_product product = 0, other = 0;
  expect_success(plan(product));
  expect_success(TAPP_destroy_executor(executor));
  expect_success(TAPP_destroy_handle(handle));
  expect_refusal(plan(other), FLOPCAST_TAPP_NO_OBJECT, "is destroyed");
  expect_success(TAPP_destroy_tensor_info(info));
  const double one = 1;
  double d[] = {0, 0};
  expect_refusal(TAPP_execute_product(product, executor, nullptr, &one, &one, &one, &one, d, d), FLOPCAST_TAPP_NO_EXECUTOR, "is destroyed");
  expect_success(TAPP_destroy_tensor_product(product));
  expect_refusal(TAPP_execute_product(product, executor, nullptr, &one, &one, &one, &one, d, d), FLOPCAST_TAPP_NO_OBJECT, "is destroyed");
  expect_refusal(TAPP_destroy_tensor_product(product), FLOPCAST_TAPP_NO_OBJECT, "is destroyed");
  expect_refusal(TAPP_destroy_tensor_info(info), FLOPCAST_TAPP_NO_OBJECT, "is destroyed");
  expect_refusal(TAPP_destroy_executor(executor), FLOPCAST_TAPP_NO_EXECUTOR, "is destroyed");
  expect_refusal(TAPP_destroy_handle(1), FLOPCAST_TAPP_NO_OBJECT, "no function of libtapp-flopcast created");
  expect_refusal(TAPP_destroy_status(1), FLOPCAST_TAPP_NO_OBJECT, "gives only 0");
  for (const auto end :
       {TAPP_destroy_handle, TAPP_destroy_executor, TAPP_destroy_tensor_info, TAPP_destroy_tensor_product, TAPP_destroy_status}) {
    expect_success(end(0));
  }
}

TEST(Tapp, AHandleThatWasNeverCreatedStandsForDefaults) {
  const MatrixProduct matrices;
  const Owned executor = new_executor();
  const Owned plan = new_product(42, TAPP_F64, matrices.of_a, matrices.of_b, matrices.of_d, matrices.of_d);
  EXPECT_EQ(product_of(matrices, plan, executor), matrices.expected);
}

TEST(Tapp, DescriptionsOfTensorsAreReadAndChanged) {
  const Owned info = new_info(TAPP_C32, {2, 3}, {-1, 2});
  Numbers list(3, -7);
  EXPECT_EQ(TAPP_get_nmodes(info), 2);
  TAPP_get_extents(info, list.data());
  EXPECT_EQ(list, (Numbers{2, 3, -7}));
  TAPP_get_strides(info, list.data());
  EXPECT_EQ(list, (Numbers{-1, 2, -7}));
  expect_success(TAPP_set_nmodes(info, 3));
  EXPECT_EQ(TAPP_get_nmodes(info), 3);
  TAPP_get_extents(info, list.data());
  EXPECT_EQ(list, (Numbers{2, 3, 1}));
  TAPP_get_strides(info, list.data());
  EXPECT_EQ(list, (Numbers{-1, 2, 0}));
  const Numbers extents = {4, 0, 6}, strides = {1, -4, 24}, wrong = {4, 5, -6};
  expect_success(TAPP_set_extents(info, extents.data()));
  expect_success(TAPP_set_strides(info, strides.data()));
  expect_refusal(TAPP_set_extents(info, wrong.data()), FLOPCAST_TAPP_NEGATIVE_EXTENT, "the extent of dimension 2 is -6");
  expect_refusal(TAPP_set_extents(info, nullptr), FLOPCAST_TAPP_NULL_POINTER, "extents is a null pointer");
  expect_refusal(TAPP_set_nmodes(info, -1), FLOPCAST_TAPP_NEGATIVE_NMODES, "the number of dimensions is -1");
  expect_refusal(TAPP_set_nmodes(info, 1 << 30), FLOPCAST_TAPP_VALUE, "the number of dimensions is 1073741824, expected 0 to 1024");
  TAPP_get_extents(info, list.data());
  EXPECT_EQ(list, extents);
  TAPP_get_strides(info, list.data());
  EXPECT_EQ(list, strides);
  expect_success(TAPP_set_nmodes(info, 0));
  EXPECT_EQ(TAPP_get_nmodes(info), 0);
  TAPP_get_extents(info, nullptr);
  EXPECT_EQ(TAPP_get_nmodes(0), -1);
}

TEST(Tapp, DescriptionsOfTensorsAreChecked) {
  const Numbers two = {2}, negative = {-2};
  TAPP_tensor_info info = 7;
  expect_refusal(TAPP_create_tensor_info(&info, TAPP_F16, 1, two.data(), two.data()), FLOPCAST_TAPP_TYPE, "type 4 (TAPP_F16)");
  expect_refusal(TAPP_create_tensor_info(&info, TAPP_BF16, 1, two.data(), two.data()), FLOPCAST_TAPP_TYPE, "type 5 (TAPP_BF16)");
  expect_refusal(TAPP_create_tensor_info(&info, -1, 1, two.data(), two.data()), FLOPCAST_TAPP_TYPE, "type -1 aren't supported");
  expect_refusal(TAPP_create_tensor_info(&info, TAPP_F64, -1, two.data(), two.data()), FLOPCAST_TAPP_NEGATIVE_NMODES, "is -1");
  expect_refusal(TAPP_create_tensor_info(&info, TAPP_F64, 1, negative.data(), two.data()), FLOPCAST_TAPP_NEGATIVE_EXTENT, "is -2");
  expect_refusal(TAPP_create_tensor_info(&info, TAPP_F64, 1, two.data(), nullptr), FLOPCAST_TAPP_NULL_POINTER, "strides is a null pointer");
  expect_refusal(TAPP_create_tensor_info(nullptr, TAPP_F64, 1, two.data(), two.data()), FLOPCAST_TAPP_NULL_POINTER,
                 "info is a null pointer");
  EXPECT_EQ(info, 7);
}

TEST(Tapp, ExplanationsFitTheirRoom) {
  EXPECT_EQ(explained(0), "success");
  expect_refusal(TAPP_create_handle(nullptr), FLOPCAST_TAPP_NULL_POINTER, "handle is a null pointer");
  std::array<char, 8> room;
  room.fill('x');
  EXPECT_EQ(TAPP_explain_error(FLOPCAST_TAPP_NULL_POINTER, 7, room.data()), 6U);
  EXPECT_EQ(std::string(room.data()), "handle");
  EXPECT_EQ(room[7], 'x');
  EXPECT_EQ(TAPP_explain_error(FLOPCAST_TAPP_NULL_POINTER, 1, room.data()), 0U);
  EXPECT_EQ(room[0], '\0');
  EXPECT_THAT(explained(99), HasSubstr("none of libtapp-flopcast's"));
  std::thread([] { EXPECT_EQ(explained(FLOPCAST_TAPP_NULL_POINTER), "an argument is a null pointer"); }).join();  // no failure there
  constexpr std::array codes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 33};
  std::vector<std::string> texts;
  for (const int code : codes) {
    texts.push_back(explained(code));
  }
  for (int code = FLOPCAST_TAPP_NO_OBJECT; code <= FLOPCAST_TAPP_INTERNAL; ++code) {
    texts.push_back(explained(code));
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 1) << text;
    EXPECT_THAT(text, ::testing::Not(HasSubstr("none of")));
  }
}

}  // namespace
