#include "tests/contract/einsum/naive_einsum.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/notation/overlap.hpp"

namespace flopcast::contract {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t pick(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}
bool chance(std::mt19937& random, unsigned one_in) { return random() % one_in == 0; }

void store_number(Precision precision, std::byte* address, std::complex<double> value) {
  with_element(precision, [&](auto zero) {
    using Element = decltype(zero);
    *reinterpret_cast<Element*>(address) = to_element<Element>(value);
  });
}

std::complex<double> not_a_number() { return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}; }

/// Visits all combinations of values below `extents`.
template <class Work>
void visit(const Shape& extents, Work&& work) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
    return;
  }
  Shape at(extents.size());
  for (;;) {
    work(at);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == extents[i]) {
      at[i++] = 0;
    }
    if (i == at.size()) {
      return;
    }
  }
}

/// Strides of axes in a random order, with gaps.
Shape spread_strides(const Shape& shape, std::mt19937& random) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Shape strides(shape.size());
  std::int64_t next = pick(random, 1, 2);
  for (const std::size_t i : order) {
    strides[i] = next;
    next = next * std::max<std::int64_t>(1, shape[i]) + pick(random, 0, 2);
  }
  return strides;
}

Shape dense_strides(const Shape& shape, bool row_major) {
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t step = 0; step < shape.size(); ++step) {
    const std::size_t i = row_major ? shape.size() - 1 - step : step;
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/// Strides that may interleave elements but give each an address of its own.
Shape interleaved_strides(const Shape& shape, std::mt19937& random) {
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    Shape strides;
    std::vector<Axis> axes;
    for (const std::int64_t size : shape) {
      strides.push_back(pick(random, 1, 30));
      axes.push_back({strides.back(), std::max<std::int64_t>(1, size)});
    }
    if (!may_share_addresses(axes)) {
      return strides;
    }
  }
  return spread_strides(shape, random);
}

TestTensor random_tensor(const Shape& shape, Precision precision, bool is_result, std::mt19937& random) {
  TestTensor tensor;
  tensor.shape = shape;
  switch (random() % 4) {
    case 0: tensor.strides = dense_strides(shape, true); break;
    case 1: tensor.strides = dense_strides(shape, false); break;
    case 2: tensor.strides = spread_strides(shape, random); break;
    default: tensor.strides = interleaved_strides(shape, random); break;
  }
  for (std::int64_t& stride : tensor.strides) {
    stride = chance(random, 5) ? -stride : !is_result && chance(random, 12) ? 0 : stride;
  }
  std::int64_t last = 0;
  bool is_empty = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t reach = (shape[i] - 1) * tensor.strides[i];
    is_empty = is_empty || shape[i] == 0;
    (reach < 0 ? tensor.first : last) += std::abs(reach);
  }
  if (is_empty) {
    tensor.first = last = 0;
  }
  const auto elements = static_cast<std::size_t>(tensor.first + last + 1);
  const auto bytes = static_cast<std::size_t>(element_bytes(precision));
  tensor.memory.resize(elements * bytes);
  for (std::size_t i = 0; i < elements; ++i) {
    store_number(precision, tensor.memory.data() + i * bytes,
                 {static_cast<double>(pick(random, -3, 3)), static_cast<double>(pick(random, -3, 3))});
  }
  return tensor;
}

std::int64_t offset(const TestTensor& tensor, const Shape& at) {
  std::int64_t sum = tensor.first;
  for (std::size_t i = 0; i < at.size(); ++i) {
    sum += at[i] * tensor.strides[i];
  }
  return sum;
}

std::complex<double> element(const TestTensor& tensor, Precision precision, const Shape& at, bool conjugated) {
  const std::complex<double> value = load(precision, tensor.memory.data() + offset(tensor, at) * element_bytes(precision));
  return conjugated ? std::conj(value) : value;
}

/// Writes NaN into all elements, but not between them.
void fill_with_nan(TestTensor& tensor, Precision precision) {
  visit(tensor.shape, [&](const Shape& at) {
    store_number(precision, tensor.memory.data() + offset(tensor, at) * element_bytes(precision), not_a_number());
  });
}

/// Labels, conjugation and shapes.
struct Draw {
  std::vector<Subscripts> operands;
  std::vector<Shape> shapes;
  Subscripts result;
};

/// Returns the number of elements of a tensor with these labels.
double elements(const std::vector<Label>& labels, const Shape& extents) {
  double product = 1;
  for (const Label label : labels) {
    product *= static_cast<double>(std::max<std::int64_t>(1, extents[static_cast<std::size_t>(label)]));
  }
  return product;
}

Subscripts draw_operand(std::mt19937& random, const EinsumRanges& ranges, std::int64_t labels) {
  Subscripts subscripts;
  const std::int64_t axes = pick(random, ranges.min_axes, ranges.max_axes);
  for (std::int64_t i = 0; i < axes; ++i) {
    const Label label = pick(random, 0, labels - 1);
    if (std::find(subscripts.labels.begin(), subscripts.labels.end(), label) == subscripts.labels.end() || chance(random, 4)) {
      subscripts.labels.push_back(label);
    }
  }
  subscripts.conjugated = chance(random, 3);
  return subscripts;
}

Subscripts draw_result(std::mt19937& random, const std::set<Label>& known) {
  Subscripts result;
  std::vector<Label> order(known.begin(), known.end());
  std::shuffle(order.begin(), order.end(), random);
  const auto kept = static_cast<unsigned>(pick(random, 1, 3));
  for (const Label label : order) {
    if (random() % 4 < kept) {
      result.labels.push_back(label);
      if (chance(random, 12)) {
        result.labels.insert(result.labels.begin(), label);
      }
    }
  }
  result.conjugated = chance(random, 8);
  return result;
}

Draw draw(std::mt19937& random, const EinsumRanges& ranges) {
  const std::int64_t labels = pick(random, 1, ranges.max_labels);
  Draw drawn;
  std::set<Label> known;
  const auto count = static_cast<std::size_t>(
      pick(random, static_cast<std::int64_t>(ranges.min_operands), static_cast<std::int64_t>(ranges.max_operands)));
  for (std::size_t t = 0; t < count; ++t) {
    drawn.operands.push_back(draw_operand(random, ranges, labels));
    known.insert(drawn.operands.back().labels.begin(), drawn.operands.back().labels.end());
  }
  drawn.result = draw_result(random, known);
  Shape extents(static_cast<std::size_t>(labels), 1);
  for (const Label label : known) {
    extents[static_cast<std::size_t>(label)] = chance(random, 8) ? 1 : pick(random, 1, ranges.largest);
  }
  const auto is_too_large = [&] {
    return elements({known.begin(), known.end()}, extents) > ranges.max_products ||
           elements(drawn.result.labels, extents) > ranges.max_products ||
           std::any_of(drawn.operands.begin(), drawn.operands.end(),
                       [&](const Subscripts& operand) { return elements(operand.labels, extents) > ranges.max_products; });
  };
  while (is_too_large()) {
    std::int64_t& largest = *std::max_element(extents.begin(), extents.end());
    largest = (largest + 1) / 2;
  }
  if (!known.empty() && chance(random, 12)) {
    extents[static_cast<std::size_t>(*known.begin())] = 0;
  }
  for (const Subscripts& operand : drawn.operands) {
    Shape shape;
    std::map<Label, std::int64_t> sizes;
    for (const Label label : operand.labels) {
      shape.push_back(sizes.emplace(label, chance(random, 12) ? 1 : extents[static_cast<std::size_t>(label)]).first->second);
    }
    drawn.shapes.push_back(shape);
  }
  return drawn;
}

}  // namespace

EinsumStrides EinsumCase::strides() const {
  EinsumStrides all;
  for (const TestTensor& operand : operands) {
    all.operands.push_back(operand.strides);
  }
  all.result = result.strides;
  all.addend = in_place ? result.strides : addend.strides;
  all.conjugated_addend = conjugated_addend;
  return all;
}

EinsumCase random_case(std::mt19937& random, const EinsumRanges& ranges) {
  static constexpr std::array<Precision, 4> precisions = {Precision::s, Precision::d, Precision::c, Precision::z};
  EinsumCase problem;
  problem.precision = precisions[random() % precisions.size()];
  const Draw drawn = draw(random, ranges);
  problem.expression = with_shapes(make_expression(drawn.operands, drawn.result), drawn.shapes);
  for (const Shape& shape : drawn.shapes) {
    problem.operands.push_back(random_tensor(shape, problem.precision, false, random));
  }
  const Shape shape = problem.expression.result_shape();
  problem.result = random_tensor(shape, problem.precision, true, random);
  problem.addend = random_tensor(shape, problem.precision, false, random);
  problem.in_place = chance(random, 2);
  problem.conjugated_addend = chance(random, 4);
  const double imaginary = is_complex(problem.precision) && chance(random, 2) ? 1 : 0;
  problem.alpha = chance(random, 12) ? 0.0 : chance(random, 2) ? std::complex<double>(1) : std::complex<double>(-2, imaginary);
  problem.beta = chance(random, 2) ? 0.0 : chance(random, 2) ? std::complex<double>(1) : std::complex<double>(3, -imaginary);
  if (problem.beta == 0.0) {
    fill_with_nan(problem.result, problem.precision);
    fill_with_nan(problem.addend, problem.precision);
  }
  return problem;
}

std::vector<std::byte> result_of_loops(const EinsumCase& problem) {
  const SizedExpression& expression = problem.expression;
  const auto bytes = element_bytes(problem.precision);
  std::vector<std::complex<double>> sums(problem.result.memory.size() / static_cast<std::size_t>(bytes));
  const TestTensor& addend = problem.in_place ? problem.result : problem.addend;
  visit(problem.result.shape, [&](const Shape& at) {
    sums[static_cast<std::size_t>(offset(problem.result, at))] =
        problem.beta == 0.0 ? 0.0 : problem.beta * element(addend, problem.precision, at, problem.conjugated_addend);
  });
  Shape extents;
  std::vector<Shape> steps(problem.operands.size() + 1);  // of each tensor along each label; D is the last one
  for (const auto& [label, extent] : expression.extents) {
    extents.push_back(extent);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const bool is_result = t == problem.operands.size();
      const std::vector<Label>& labels = is_result ? expression.result.labels : expression.operands[t].labels;
      const TestTensor& tensor = is_result ? problem.result : problem.operands[t];
      steps[t].push_back(0);
      for (std::size_t axis = 0; axis < labels.size(); ++axis) {
        steps[t].back() += labels[axis] == label && tensor.shape[axis] != 1 ? tensor.strides[axis] : 0;
      }
    }
  }
  const auto place = [&](const Shape& at, std::size_t t, std::int64_t first) {
    return std::inner_product(at.begin(), at.end(), steps[t].begin(), first);
  };
  if (problem.alpha != 0.0) {
    visit(extents, [&](const Shape& at) {
      std::complex<double> product = problem.alpha;
      for (std::size_t t = 0; t < problem.operands.size(); ++t) {
        const std::complex<double> value =
            load(problem.precision, problem.operands[t].memory.data() + place(at, t, problem.operands[t].first) * bytes);
        product *= expression.operands[t].conjugated ? std::conj(value) : value;
      }
      sums[static_cast<std::size_t>(place(at, problem.operands.size(), problem.result.first))] += product;
    });
  }
  std::vector<std::byte> memory = problem.result.memory;
  visit(problem.result.shape, [&](const Shape& at) {
    const std::int64_t i = offset(problem.result, at);
    const std::complex<double> sum = sums[static_cast<std::size_t>(i)];
    store_number(problem.precision, memory.data() + i * bytes, expression.result.conjugated ? std::conj(sum) : sum);
  });
  return memory;
}

std::vector<std::byte> result_of_plan(const EinsumCase& problem, const Plan& plan) {
  TestTensor result = problem.result;
  std::vector<const void*> operands;
  for (const TestTensor& operand : problem.operands) {
    operands.push_back(operand.data(problem.precision));
  }
  std::byte* const d = result.data(problem.precision);
  plan.execute(operands, problem.in_place ? d : problem.addend.data(problem.precision), d, problem.alpha, problem.beta);
  return result.memory;
}

std::string describe(const EinsumCase& problem) {
  std::string text = fmt::format("{} of {}, alpha {}+{}i, beta {}+{}i{}{}\n", to_string(problem.expression.expression),
                                 static_cast<char>(problem.precision), problem.alpha.real(), problem.alpha.imag(), problem.beta.real(),
                                 problem.beta.imag(), problem.in_place ? ", C is D" : "", problem.conjugated_addend ? ", conj(C)" : "");
  for (const TestTensor& operand : problem.operands) {
    text += fmt::format("  {} strides {}\n", operand.shape, operand.strides);
  }
  return text +
         fmt::format("  result {} strides {}, addend strides {}\n", problem.result.shape, problem.result.strides, problem.addend.strides);
}

bool hold_equal_numbers(Precision precision, const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
  const auto bytes = static_cast<std::size_t>(real_bytes(precision));
  const Precision real = bytes == sizeof(float) ? Precision::s : Precision::d;
  for (std::size_t i = 0; i + bytes <= x.size(); i += bytes) {
    const double one = load(real, x.data() + i).real(), other = load(real, y.data() + i).real();
    if (one != other && !(std::isnan(one) && std::isnan(other))) {
      return false;
    }
  }
  return x.size() == y.size();
}

}  // namespace flopcast::contract
