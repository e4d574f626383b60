// How long does the search for a tree of pairwise contractions take, and how long one prediction of a step?
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <random>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/planner_cost.hpp"
#include "flopcast/contract/network/tree_search.hpp"

namespace {

using namespace flopcast;
using namespace flopcast::contract;

const PlannerCost& cost() {
  static const PlannerCost all = [] {
    Environment environment;
    environment.caches = {CacheLevel{.name = "L1", .capacity_bytes = 1 << 15, .bandwidth = 100e9},
                          CacheLevel{.name = "L2", .capacity_bytes = 1 << 20, .bandwidth = 50e9},
                          CacheLevel{.name = "L3", .capacity_bytes = 1 << 25, .bandwidth = 20e9}};
    environment.memory_bandwidth = 10e9;
    environment.peak_flops = 50e9;
    return PlannerCost(environment, assumed_tile_rates(environment), Precision::d, 1);
  }();
  return all;
}

/// Tensors in a ring, each of which shares a label with a random other one, too.
Network random_network(int operands, int longest) {
  std::mt19937 random(1);
  Network network;
  network.operands.resize(static_cast<std::size_t>(operands));
  Label next = 0;
  const auto connect = [&](int x, int y) {
    network.extents[next] = 2 + static_cast<int>(random() % static_cast<unsigned>(longest - 1));
    network.operands[static_cast<std::size_t>(x)].labels.push_back(next);
    network.operands[static_cast<std::size_t>(y)].labels.push_back(next++);
  };
  for (int i = 0; i < operands; ++i) {
    connect(i, (i + 1) % operands);
    const int other = static_cast<int>(random() % static_cast<unsigned>(operands));
    if (other != i) {
      connect(i, other);
    }
  }
  return network;
}

/// Matrices in a row.
Network chain(int operands) {
  std::mt19937 random(2);
  Network network;
  for (Label i = 0; i < operands; ++i) {
    network.extents[i] = 2 + static_cast<int>(random() % 200);
    network.operands.push_back({{i, i + 1}});
  }
  network.extents[operands] = 100;
  network.output.labels = {0, operands};
  return network;
}

void predict_a_step(benchmark::State& state) {
  PairStep step{300, 40, 70, 1, {}, {}, {}};
  for (auto _ : state) {
    step.rows = step.rows == 300 ? 301 : 300;
    benchmark::DoNotOptimize(cost().seconds(step));
  }
}
BENCHMARK(predict_a_step);

/// A square grid of tensors.
Network grid(int side, std::int64_t extent) {
  Network network;
  network.operands.resize(static_cast<std::size_t>(side * side));
  Label next = 0;
  const auto connect = [&](int x, int y) {
    network.extents[next] = extent;
    network.operands[static_cast<std::size_t>(x)].labels.push_back(next);
    network.operands[static_cast<std::size_t>(y)].labels.push_back(next++);
  };
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      if (row + 1 < side) {
        connect(row * side + column, (row + 1) * side + column);
      }
      if (column + 1 < side) {
        connect(row * side + column, row * side + column + 1);
      }
    }
  }
  return network;
}

void report(benchmark::State& state, const Network& network, const TreeOptions& options = {}) {
  ContractionTree tree;
  for (auto _ : state) {
    tree = find_tree(network, cost(), options);
  }
  state.counters["predicted_s"] = tree.seconds;
  state.counters["exhaustive"] = tree.is_exhaustive ? 1 : 0;
  state.counters["trials"] = static_cast<double>(tree.trials);
}

void search_random_network(benchmark::State& state) { report(state, random_network(static_cast<int>(state.range(0)), 30)); }
BENCHMARK(search_random_network)->Arg(4)->Arg(6)->Arg(8)->Arg(10)->Arg(12)->Arg(16)->Unit(benchmark::kMillisecond);

void search_chain(benchmark::State& state) { report(state, chain(static_cast<int>(state.range(0)))); }
BENCHMARK(search_chain)->Arg(4)->Arg(10)->Arg(20)->Arg(60)->Arg(200)->Unit(benchmark::kMillisecond);

/// How much does a longer search gain? The second argument is the budget in milliseconds of this process's own time.
void report_search(benchmark::State& state, const Network& network) {
  const Terms terms = terms_of(completed(network));
  TreeSearchOptions options;
  options.time_budget = options.min_time = 1e-3 * static_cast<double>(state.range(1));
  options.max_trials = 1 << 30;
  SearchedTree tree;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    tree = search_tree(StepModel(terms, cost()), options,
                       [&] { return static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC); });
  }
  state.counters["predicted_s"] = tree.seconds;
  state.counters["trials"] = static_cast<double>(tree.trials);
}
void search_large_random_network(benchmark::State& state) { report_search(state, random_network(static_cast<int>(state.range(0)), 3)); }
BENCHMARK(search_large_random_network)->ArgsProduct({{40, 80}, {20, 100, 500, 2000}})->Iterations(1)->Unit(benchmark::kMillisecond);
void search_grid(benchmark::State& state) { report_search(state, grid(static_cast<int>(state.range(0)), 4)); }
BENCHMARK(search_grid)->ArgsProduct({{6, 9}, {20, 100, 500, 2000}})->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
