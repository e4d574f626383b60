#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/join_tree.hpp"
#include "flopcast/contract/network/shared_products.hpp"

namespace flopcast::contract {

/// A part of a program: a step that makes the product of a node, or the begin or end of a loop over the blocks of a label.
struct ScheduleAction {
  ActionKind kind = ActionKind::step;
  int number = 0;  ///< node, or label
  friend bool operator==(const ScheduleAction&, const ScheduleAction&) = default;
};

/// The actions at which an intermediate comes into being and is used for the last time, both included.
struct LifeTime {
  int node = 0;
  std::size_t begin = 0, end = 0;
  double bytes = 0;
};

/// A tree as a program. A label that is cut into blocks has a loop around the steps below the node that sums over the label, or below the
/// root if the output has the label. Products without the label are made before the loop.
struct Schedule {
  std::vector<ScheduleAction> actions;
  std::vector<double> executions;  ///< index: node; how often its step runs, 0 if there is no step
  std::vector<LifeTime> intermediates;
  SharedProducts shared;
  Seconds seconds = 0;    ///< predicted time of all executions
  double peak_bytes = 0;  ///< largest sum of the intermediates that exist at once
  std::size_t peak = 0;   ///< action at which the sum is largest
};

/// Makes the program of a tree with the blocks of `model`, which has the tree's terms. Of the two parts of a step, the one that needs more
/// memory beside its result comes first.
Schedule make_schedule(const JoinTree& tree, const StepModel& model);

/// Places buffers with these life times in one workspace, those that exist at once apart. `offsets[i]` are bytes, multiples of 64. Returns
/// the size of the workspace. Large buffers are placed first, each as low as possible.
double place(const std::vector<LifeTime>& buffers, std::vector<std::int64_t>& offsets);

}  // namespace flopcast::contract
