#pragma once

#include <vector>

#include "flopcast/contract/network/join_tree.hpp"

namespace flopcast::contract {

/// The products of a tree that occur more than once: operands of equal numbers, multiplied alike, with labels that may have other names.
struct SharedProducts {
  std::vector<int> first;      ///< index: node; the first node with the same product, the node itself if there is none before
  std::vector<Labels> orders;  ///< index: node; its labels in an order in which those of equal products stand for each other
};

/// Finds equal products. Those with labels that `model` cuts into blocks are skipped, because loops run over them at different times.
SharedProducts find_shared_products(const JoinTree& tree, const StepModel& model);

/// Returns the time of a tree whose shared products are made once.
Seconds seconds_with_shared_products(const JoinTree& tree);

/// Disjoint pairs of terms with equal products.
struct SharedPairs {
  std::vector<Join> pairs;     ///< numbers of terms, those at the same place equal
  std::vector<Labels> orders;  ///< labels of each product, as SharedProducts::orders
};

/// Returns all groups of at least two disjoint pairs, of which a pair has common labels.
std::vector<SharedPairs> find_shared_pairs(const StepModel& model);

}  // namespace flopcast::contract
