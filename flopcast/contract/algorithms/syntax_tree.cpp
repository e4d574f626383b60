#include "flopcast/contract/algorithms/syntax_tree.hpp"

#include <algorithm>

namespace flopcast::contract {
namespace {

Slice kernel_slice(const Algorithm& algorithm, const Contraction& contraction, Place place) {
  std::string whole = kernel_indices(algorithm, contraction, place);
  std::sort(whole.begin(), whole.end());
  return {place, algorithm.copy_of(place) != nullptr, whole};
}

Node copy_node(Node::Kind kind, const Algorithm& algorithm, const Contraction& contraction, Place place) {
  const Slice buffer = kernel_slice(algorithm, contraction, place);
  Slice operand = buffer;
  operand.buffer = false;
  return {kind, '\0', place, {}, {operand, buffer}};
}

Node kernel_node(const Algorithm& algorithm, const Contraction& contraction) {
  Node node{Node::Kind::kernel, '\0', Place::a, {}, {}};
  for (const Place place : places) {
    node.touched.push_back(kernel_slice(algorithm, contraction, place));
  }
  return node;
}

/// Returns the nodes inside of the first `depth` loops.
std::vector<Node> body(const Algorithm& algorithm, const Contraction& contraction, std::size_t depth) {
  std::vector<Node> nodes;
  for (const Copy& copy : algorithm.copies) {
    if (copy.depth == depth) {
      nodes.push_back(copy_node(Node::Kind::copy_in, algorithm, contraction, copy.operand));
    }
  }
  if (depth < algorithm.loops.size()) {
    nodes.push_back({Node::Kind::loop, algorithm.loops[depth], Place::a, body(algorithm, contraction, depth + 1), {}});
  } else {
    nodes.push_back(kernel_node(algorithm, contraction));
  }
  if (const Copy* copy = algorithm.copy_of(Place::c); copy != nullptr && copy->depth == depth) {
    nodes.push_back(copy_node(Node::Kind::copy_out, algorithm, contraction, Place::c));
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
  return {Node::Kind::root, '\0', Place::a, body(algorithm, contraction, 0), {}};
}

std::vector<std::size_t> path_to(const Node& root, Node::Kind kind, Place operand) {
  for (std::size_t i = 0; i < root.body.size(); ++i) {
    const Node& node = root.body[i];
    if (node.kind == kind && (kind == Node::Kind::kernel || node.operand == operand)) {
      return {i};
    }
    if (node.kind == Node::Kind::loop) {
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
  return !slice.buffer && contraction.tensor(slice.place).has(index) && slice.whole.find(index) == std::string::npos;
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
                                   [&](const Slice& other) { return other.place == slice.place && other.buffer == slice.buffer; });
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
    if (node.kind == Node::Kind::loop) {
      for (Slice& slice : inner) {
        slice = joined(slice, node.index, contraction);
      }
    }
    merge(set, inner);
  }
  return set;
}

}  // namespace flopcast::contract
