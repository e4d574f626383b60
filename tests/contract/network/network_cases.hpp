#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/network_plan.hpp"

namespace flopcast::contract {

/// Reads `ab,bc->ac`. Labels are the letters' codes. Letters without an extent have `otherwise`.
Network network_of(std::string_view text, const std::map<char, std::int64_t>& extents = {}, std::int64_t otherwise = 3);

/// Executes steps by nested loops over all labels.
PrepareStep naive_steps();

/// Numbers for all operands, each in memory of its own that has room for its strides; operands of one tensor share them.
struct NetworkData {
  std::vector<std::vector<std::complex<double>>> tensors;  ///< index: operand
  [[nodiscard]] std::vector<const void*> pointers() const;
};
NetworkData random_data(const Network& network, std::mt19937& random);

/// Returns the output, dense with the last label fastest, by one loop over all labels of the network. The precision must be z.
std::vector<std::complex<double>> evaluate_naively(const Network& network, const NetworkData& data);

/// Returns the output of an execution of the tree by naive steps, dense with the last label fastest. The precision must be z.
std::vector<std::complex<double>> execute(const ContractionTree& tree, const NetworkData& data);

/// Expects equal elements up to rounding.
void expect_near(const std::vector<std::complex<double>>& found, const std::vector<std::complex<double>>& expected,
                 const std::string& what);

/// A random network with hyper-indices, batch labels, one-sided and repeated labels, labels of extent 1, and disconnected parts. With
/// `has_twins`, some operands are one tensor.
Network random_network(std::mt19937& random, int operands, bool has_twins = false);

/// Counts products, and elements of all three tensors at a tenth.
class CountedCost : public StepCost {
 public:
  [[nodiscard]] Seconds seconds(const PairStep& step) const override {
    return step.products() + 0.1 * (step.elements_of_a() + step.elements_of_b() + step.elements_of_c());
  }
  [[nodiscard]] Seconds seconds(const SumStep& step) const override { return 0.1 * step.kept * step.summed; }
  [[nodiscard]] Seconds at_least(const PairStep& step) const override { return step.products(); }
};

/// Settings of a search that no clock ends.
TreeOptions without_clock();

}  // namespace flopcast::contract
