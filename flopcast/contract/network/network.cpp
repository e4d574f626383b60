#include "flopcast/contract/network/contraction_tree.hpp"

#include <algorithm>
#include <string>

#include "flopcast/contract/notation/expression_rules.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

void complete(NetworkTensor& tensor, const Network& network, const std::string& name) {
  constexpr double most_bytes = 4e18;
  for (const Label label : tensor.labels) {
    const auto found = network.extents.find(label);
    if (found == network.extents.end()) {
      throw bad_input("label {} of {} has no extent", label, name);
    }
    if (found->second < 0) {
      throw bad_input("label {} of {} has the extent {}; 0 or more is needed", label, name, found->second);
    }
  }
  if (!tensor.strides.empty() || tensor.labels.empty()) {
    if (tensor.strides.size() != tensor.labels.size()) {
      throw bad_input("{} strides are given for {}, which has {} labels", tensor.strides.size(), name, tensor.labels.size());
    }
    return;
  }
  if (dense_bytes(tensor.labels, network.extents, network.precision) > most_bytes) {
    throw bad_input("{} has more bytes than 62 bits can address", name);
  }
  tensor.strides.resize(tensor.labels.size());
  std::int64_t stride = 1;
  for (std::size_t i = tensor.labels.size(); i-- > 0;) {
    tensor.strides[i] = stride;
    stride *= std::max<std::int64_t>(1, network.extents.at(tensor.labels[i]));
  }
}

/// Returns the lengths along a tensor's labels.
std::vector<std::int64_t> shape_of(const NetworkTensor& tensor, const LabelExtents& extents) {
  std::vector<std::int64_t> shape;
  for (const Label label : tensor.labels) {
    shape.push_back(extents.at(label));
  }
  return shape;
}

void require_equal_tensors(const Network& network) {
  std::map<int, std::size_t> first;
  for (std::size_t i = 0; i < network.operands.size(); ++i) {
    const NetworkTensor& tensor = network.operands[i];
    const auto [found, is_new] = first.emplace(tensor.tensor, i);
    if (tensor.tensor < 0 || is_new) {
      continue;
    }
    const NetworkTensor& other = network.operands[found->second];
    if (shape_of(other, network.extents) != shape_of(tensor, network.extents) || other.strides != tensor.strides ||
        other.conjugated != tensor.conjugated) {
      throw bad_input("{} and {} are both tensor {}, but differ in extents, strides or conjugation", name_of_operand(found->second),
                      name_of_operand(i), tensor.tensor);
    }
  }
}

}  // namespace

Network completed(Network network) {
  if (network.operands.empty()) {
    throw bad_input("a network needs at least one operand");
  }
  for (std::size_t i = 0; i < network.operands.size(); ++i) {
    complete(network.operands[i], network, name_of_operand(i));
  }
  complete(network.output, network, "the output");
  const std::vector<Label>& output = network.output.labels;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (std::find(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(i), output[i]) !=
        output.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw bad_input("label {} is repeated in the output; give the strides of the output's diagonal instead", output[i]);
    }
    const auto has = [&](const NetworkTensor& tensor) {
      return std::find(tensor.labels.begin(), tensor.labels.end(), output[i]) != tensor.labels.end();
    };
    if (std::none_of(network.operands.begin(), network.operands.end(), has)) {
      throw bad_input("label {} of the output is in no operand", output[i]);
    }
  }
  require_equal_tensors(network);
  return network;
}

double dense_bytes(const std::vector<Label>& labels, const LabelExtents& extents, Precision precision) {
  auto bytes = static_cast<double>(element_bytes(precision));
  for (const Label label : labels) {
    bytes *= static_cast<double>(extents.at(label));
  }
  return bytes;
}

}  // namespace flopcast::contract
