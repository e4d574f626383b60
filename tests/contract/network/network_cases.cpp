#include "tests/contract/network/network_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

namespace flopcast::contract {
namespace {

using Number = std::complex<double>;

/// Calls visit(values) for all values of the labels.
template <class Visit>
void for_all_values(const std::vector<Label>& labels, const LabelExtents& extents, std::map<Label, std::int64_t>& values, std::size_t from,
                    Visit&& visit) {
  if (from == labels.size()) {
    visit();
    return;
  }
  for (std::int64_t i = 0; i < extents.at(labels[from]); ++i) {
    values[labels[from]] = i;
    for_all_values(labels, extents, values, from + 1, visit);
  }
}

std::int64_t offset(const std::vector<Label>& labels, const std::vector<std::int64_t>& strides,
                    const std::map<Label, std::int64_t>& values) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    at += strides[i] * values.at(labels[i]);
  }
  return at;
}

std::vector<std::int64_t> dense_strides(const std::vector<Label>& labels, const LabelExtents& extents) {
  std::vector<std::int64_t> strides(labels.size());
  std::int64_t stride = 1;
  for (std::size_t i = labels.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents.at(labels[i]);
  }
  return strides;
}

std::int64_t elements(const std::vector<Label>& labels, const LabelExtents& extents) {
  std::int64_t count = 1;
  for (const Label label : labels) {
    count *= extents.at(label);
  }
  return count;
}

void run_naively(const StepCall& call, const Number* a, const Number* b, Number* c, Number alpha, Number beta) {
  std::vector<Label> summed;
  for (const auto& [label, extent] : call.extents) {
    if (std::find(call.c.labels.begin(), call.c.labels.end(), label) == call.c.labels.end()) {
      summed.push_back(label);
    }
  }
  std::map<Label, std::int64_t> values;
  for_all_values(call.c.labels, call.extents, values, 0, [&] {
    Number sum = 0;
    for_all_values(summed, call.extents, values, 0, [&] {
      const Number of_a = a[offset(call.a.labels, call.a.strides, values)];
      const Number of_b = call.b ? b[offset(call.b->labels, call.b->strides, values)] : 1;
      sum += (call.a.conjugated ? std::conj(of_a) : of_a) * (call.b && call.b->conjugated ? std::conj(of_b) : of_b);
    });
    Number& element = c[offset(call.c.labels, call.c.strides, values)];
    element = alpha * sum + (beta == 0.0 ? 0.0 : beta * element);
  });
}

}  // namespace

Network network_of(std::string_view text, const std::map<char, std::int64_t>& extents, std::int64_t otherwise) {
  Network network;
  network.precision = Precision::z;
  network.operands.emplace_back();
  const std::size_t arrow = text.find("->");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      network.operands.emplace_back();
    } else if (i != arrow && i != arrow + 1) {
      std::vector<Label>& labels = i < arrow ? network.operands.back().labels : network.output.labels;
      labels.push_back(text[i]);
      const auto found = extents.find(text[i]);
      network.extents[text[i]] = found == extents.end() ? otherwise : found->second;
    }
  }
  return network;
}

PrepareStep naive_steps() {
  return [](const StepCall& call) -> StepFunction {
    EXPECT_EQ(call.precision, Precision::z);
    return [call](const void* a, const void* b, void* c, Number alpha, Number beta) {
      run_naively(call, static_cast<const Number*>(a), static_cast<const Number*>(b), static_cast<Number*>(c), alpha, beta);
    };
  };
}

std::vector<const void*> NetworkData::pointers() const {
  std::vector<const void*> all;
  std::transform(tensors.begin(), tensors.end(), std::back_inserter(all), [](const auto& tensor) { return tensor.data(); });
  return all;
}

NetworkData random_data(const Network& network, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  const Network whole = completed(network);
  NetworkData data;
  std::map<int, std::size_t> first;
  for (std::size_t i = 0; i < whole.operands.size(); ++i) {
    const NetworkTensor& operand = whole.operands[i];
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < operand.labels.size(); ++axis) {
      last += operand.strides[axis] * std::max<std::int64_t>(0, whole.extents.at(operand.labels[axis]) - 1);
    }
    std::vector<Number> numbers(static_cast<std::size_t>(last + 1));
    std::generate(numbers.begin(), numbers.end(), [&] { return Number(number(random), number(random)); });
    const auto [found, is_new] = first.emplace(operand.tensor, i);
    data.tensors.push_back(operand.tensor < 0 || is_new ? numbers : data.tensors[found->second]);
  }
  return data;
}

std::vector<Number> evaluate_naively(const Network& network, const NetworkData& data) {
  const Network whole = completed(network);
  const std::vector<std::int64_t> strides = dense_strides(whole.output.labels, whole.extents);
  std::vector<Number> output(static_cast<std::size_t>(elements(whole.output.labels, whole.extents)));
  std::set<Label> used;
  for (const NetworkTensor& operand : whole.operands) {
    used.insert(operand.labels.begin(), operand.labels.end());
  }
  const std::vector<Label> labels(used.begin(), used.end());
  std::map<Label, std::int64_t> values;
  for_all_values(labels, whole.extents, values, 0, [&] {
    Number product = 1;
    for (std::size_t i = 0; i < whole.operands.size(); ++i) {
      const NetworkTensor& operand = whole.operands[i];
      const Number factor = data.tensors[i][static_cast<std::size_t>(offset(operand.labels, operand.strides, values))];
      product *= operand.conjugated ? std::conj(factor) : factor;
    }
    output[static_cast<std::size_t>(offset(whole.output.labels, strides, values))] += product;
  });
  return output;
}

std::vector<Number> execute(const ContractionTree& tree, const NetworkData& data) {
  const Number unset(std::numeric_limits<double>::quiet_NaN(), 0);
  const NetworkTensor& output = tree.network.output;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < output.labels.size(); ++axis) {
    last += output.strides[axis] * std::max<std::int64_t>(0, tree.network.extents.at(output.labels[axis]) - 1);
  }
  std::vector<Number> strided(static_cast<std::size_t>(last + 1), unset);
  NetworkPlan(tree, naive_steps()).execute(data.pointers(), strided.data());
  const std::vector<std::int64_t> strides = dense_strides(output.labels, tree.network.extents);
  std::vector<Number> dense(static_cast<std::size_t>(elements(output.labels, tree.network.extents)));
  std::map<Label, std::int64_t> values;
  for_all_values(output.labels, tree.network.extents, values, 0, [&] {
    dense[static_cast<std::size_t>(offset(output.labels, strides, values))] =
        strided[static_cast<std::size_t>(offset(output.labels, output.strides, values))];
  });
  return dense;
}

void expect_near(const std::vector<Number>& found, const std::vector<Number>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double largest = 1;
  for (const Number& number : expected) {
    largest = std::max(largest, std::abs(number));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_LT(std::abs(found[i] - expected[i]), 1e-11 * largest) << what << ", element " << i;
  }
}

Network random_network(std::mt19937& random, int operands, bool has_twins) {
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  Network network;
  network.precision = Precision::z;
  const int labels = 1 + below(operands + 3);
  for (Label label = 0; label < labels; ++label) {
    network.extents[label] = 1 + below(3);
  }
  std::set<Label> used;
  for (int i = 0; i < operands; ++i) {
    NetworkTensor operand;
    if (has_twins && i > 0 && below(2) == 0) {  // the same tensor with other labels of the same extents
      operand = network.operands[static_cast<std::size_t>(below(i))];
      operand.tensor = network.operands.front().tensor = 0;
      operand = network.operands.front();
      for (Label& label : operand.labels) {
        const Label other = below(labels);
        label = network.extents[other] == network.extents[label] ? other : label;
      }
    } else {
      for (int axis = below(4); axis > 0; --axis) {
        operand.labels.push_back(below(labels));
      }
      operand.conjugated = below(4) == 0;
    }
    used.insert(operand.labels.begin(), operand.labels.end());
    network.operands.push_back(operand);
  }
  for (const Label label : used) {
    if (below(3) == 0) {
      network.output.labels.insert(network.output.labels.begin() + below(static_cast<int>(network.output.labels.size()) + 1), label);
    }
  }
  if (below(2) == 0) {  // gaps, and the first label fastest
    std::int64_t stride = 1 + below(2);
    for (const Label label : network.output.labels) {
      network.output.strides.push_back(stride);
      stride *= network.extents[label] + below(2);
    }
  }
  return network;
}

TreeOptions without_clock() {
  TreeOptions options;
  options.search.time_budget = options.search.min_time = std::numeric_limits<double>::infinity();
  options.search.max_trials = 20;
  return options;
}

}  // namespace flopcast::contract
