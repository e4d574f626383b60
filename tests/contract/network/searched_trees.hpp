#pragma once

#include <random>

#include "flopcast/contract/network/tree_search.hpp"
#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {

inline SearchedTree searched(const Network& network, const StepCost& cost, const TreeSearchOptions& options) {
  const Terms terms = terms_of(completed(network));
  return search_tree(StepModel(terms, cost), options, [] { return 0.0; });
}

inline TreeSearchOptions patient() { return without_clock().search; }

/// A network of `count` matrices of random sizes in a row, or in a ring.
inline Network chain(std::mt19937& random, int count, bool is_ring) {
  Network network;
  network.precision = Precision::z;
  for (Label label = 0; label <= count; ++label) {
    network.extents[label] = 2 + static_cast<int>(random() % 20);
  }
  for (Label i = 0; i < count; ++i) {
    network.operands.push_back({{i, is_ring && i + 1 == count ? 0 : i + 1}});
  }
  if (!is_ring) {
    network.output.labels = {0, count};
  }
  return network;
}

class ProductsOnly final : public CountedCost {
 public:
  [[nodiscard]] Seconds seconds(const PairStep& step) const override { return step.products(); }
};

}  // namespace flopcast::contract
