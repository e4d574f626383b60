#include "flopcast/contract/algorithms/syntax_tree.hpp"

#include <algorithm>

namespace flopcast::contract {
namespace {

Slice kernel_slice(const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  std::string whole = kernel_indices(algorithm, contraction, operand);
  std::sort(whole.begin(), whole.end());
  return {operand, algorithm.copy_of(operand) != nullptr, whole};
}

Node copy_node(NodeKind kind, const Algorithm& algorithm, const Contraction& contraction, Operand operand) {
  const Slice buffer = kernel_slice(algorithm, contraction, operand);
  Slice original = buffer;
  original.buffer = false;
  return {kind, '\0', operand, {}, {original, buffer}};
}

Node kernel_node(const Algorithm& algorithm, const Contraction& contraction) {
  Node node{NodeKind::kernel, '\0', Operand::a, {}, {}};
  for (const Operand operand : all_operands) {
    node.touched.push_back(kernel_slice(algorithm, contraction, operand));
  }
  return node;
}

/// Returns the nodes inside of the first `depth` loops.
std::vector<Node> body(const Algorithm& algorithm, const Contraction& contraction, std::size_t depth) {
  std::vector<Node> nodes;
  for (const Copy& copy : algorithm.copies) {
    if (copy.depth == depth) {
      nodes.push_back(copy_node(NodeKind::copy_in, algorithm, contraction, copy.operand));
    }
  }
  if (depth < algorithm.loops.size()) {
    nodes.push_back({NodeKind::loop, algorithm.loops[depth], Operand::a, body(algorithm, contraction, depth + 1), {}});
  } else {
    nodes.push_back(kernel_node(algorithm, contraction));
  }
  if (const Copy* copy = algorithm.copy_of(Operand::c); copy != nullptr && copy->depth == depth) {
    nodes.push_back(copy_node(NodeKind::copy_out, algorithm, contraction, Operand::c));
  }
  return nodes;
}

void insert_sorted(std::string& letters, char letter) {
  if (letters.find(letter) == std::string::npos) {
    letters.insert(std::upper_bound(letters.begin(), letters.end(), letter), letter);
  }
}

}  // namespace

Node syntax_tree(const Algorithm& algorithm, const Contraction& contraction) {
  return {NodeKind::root, '\0', Operand::a, body(algorithm, contraction, 0), {}};
}

std::vector<std::size_t> path_to(const Node& root, NodeKind kind, Operand operand) {
  for (std::size_t i = 0; i < root.body.size(); ++i) {
    const Node& node = root.body[i];
    if (node.kind == kind && (kind == NodeKind::kernel || node.operand == operand)) {
      return {i};
    }
    if (node.kind == NodeKind::loop) {
      std::vector<std::size_t> rest = path_to(node, kind, operand);
      if (!rest.empty()) {
        rest.insert(rest.begin(), i);
        return rest;
      }
    }
  }
  return {};
}

std::int64_t slice_bytes(const Slice& slice, const Contraction& contraction) {
  std::int64_t bytes = element_bytes(contraction.precision);
  for (const char index : slice.whole) {
    bytes *= contraction.extent(index);
  }
  return bytes;
}

bool varies(const Slice& slice, char index, const Contraction& contraction) {
  return !slice.buffer && contraction.tensor(slice.operand).has(index) && slice.whole.find(index) == std::string::npos;
}

Slice joined(Slice slice, char index, const Contraction& contraction) {
  if (varies(slice, index, contraction)) {
    insert_sorted(slice.whole, index);
  }
  return slice;
}

void merge(std::vector<Slice>& set, std::span<const Slice> more) {
  for (const Slice& slice : more) {
    const auto same = std::find_if(set.begin(), set.end(),
                                   [&](const Slice& other) { return other.operand == slice.operand && other.buffer == slice.buffer; });
    if (same == set.end()) {
      set.push_back(slice);
    } else {
      std::for_each(slice.whole.begin(), slice.whole.end(), [&](char index) { insert_sorted(same->whole, index); });
    }
  }
}

std::vector<Slice> all_touched(const Node& node, const Contraction& contraction) {
  std::vector<Slice> set = node.touched;
  for (const Node& child : node.body) {
    std::vector<Slice> inner = all_touched(child, contraction);
    if (node.kind == NodeKind::loop) {
      for (Slice& slice : inner) {
        slice = joined(slice, node.index, contraction);
      }
    }
    merge(set, inner);
  }
  return set;
}

}  // namespace flopcast::contract
