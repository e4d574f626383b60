#include "flopcast/contract/network/measured_networks.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "flopcast/contract/notation/element.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/measure/memory.hpp"

namespace flopcast::contract {
namespace {

/// The offsets of a tensor's first and last byte from its element 0.
struct Span {
  std::int64_t low = 0, high = 0;
  [[nodiscard]] std::int64_t bytes() const { return high - low; }
};

Span span_of(const NetworkTensor& tensor, const Network& network) {
  const std::int64_t element = element_bytes(network.precision);
  Span span{0, element};
  for (std::size_t axis = 0; axis < tensor.labels.size(); ++axis) {
    const std::int64_t reach = (network.extents.at(tensor.labels[axis]) - 1) * tensor.strides[axis] * element;
    (reach < 0 ? span.low : span.high) += reach;
  }
  return span;
}

/// Memory for the operands and the output of a network. Operands are filled with ones, which no product makes slow.
class NetworkTensors {
 public:
  explicit NetworkTensors(const Network& network) {
    for (const NetworkTensor& operand : network.operands) {
      operands_.push_back(add(operand, network));
    }
    output_ = add(network.output, network);
  }
  [[nodiscard]] std::span<const void* const> operands() const { return operands_; }
  [[nodiscard]] void* output() const { return output_; }

  static double bytes(const Network& network) {
    double all = static_cast<double>(span_of(network.output, network).bytes());
    for (const NetworkTensor& operand : network.operands) {
      all += static_cast<double>(span_of(operand, network).bytes());
    }
    return all;
  }

 private:
  std::byte* add(const NetworkTensor& tensor, const Network& network) {
    const Span span = span_of(tensor, network);
    constexpr std::size_t line = 64;
    const std::size_t size = (static_cast<std::size_t>(span.bytes()) + line - 1) / line * line;
    memory_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(line, size)));
    if (memory_.back() == nullptr) {
      throw std::bad_alloc();
    }
    with_element(network.precision, [&](auto zero) {
      using Element = decltype(zero);
      std::fill_n(reinterpret_cast<Element*>(memory_.back().get()), static_cast<std::size_t>(span.bytes()) / sizeof(Element), Element(1));
    });
    return memory_.back().get() - span.low;
  }

  std::vector<AlignedMemory> memory_;
  std::vector<const void*> operands_;
  void* output_ = nullptr;
};

bool has_room(const std::vector<ContractionTree>& trees) {
  constexpr double share = 0.5;
  double bytes = NetworkTensors::bytes(trees.front().network);
  for (const ContractionTree& tree : trees) {
    bytes += static_cast<double>(tree.workspace_bytes);
  }
  return bytes <= share * static_cast<double>(measure::available_memory_bytes());
}

/// Executes the plans in turns. Returns their times; those of the first turn don't count, because it touches memory for the first time.
std::vector<std::vector<Seconds>> times_of(const std::vector<NetworkPlan>& plans, const PlanOptions& options) {
  constexpr int max_turns = 15;
  const machine::WallClock clock;
  const NetworkTensors tensors(plans.front().tree().network);
  std::vector<std::vector<Seconds>> times(plans.size());
  const std::int64_t begin = clock.ticks();
  for (int turn = 0; turn <= max_turns; ++turn) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::int64_t before = clock.ticks();
      if (options.cancelled() || clock.seconds(before - begin) > options.time_budget) {
        return times;
      }
      plans[i].execute(tensors.operands(), tensors.output());
      if (turn > 0) {
        times[i].push_back(clock.seconds(clock.ticks() - before));
      }
    }
  }
  return times;
}

}  // namespace

std::pair<std::optional<NetworkPlan>, std::optional<Seconds>> fastest_of(std::vector<ContractionTree> trees, const PrepareStep& prepare,
                                                                         const PlanOptions& options) {
  const auto is_zero = [](const auto& extent) { return extent.second == 0; };
  const LabelExtents& extents = trees.front().network.extents;
  const bool is_empty = std::any_of(extents.begin(), extents.end(), is_zero);
  if (is_empty || !has_room(trees)) {
    return {NetworkPlan(std::move(trees.front()), prepare), std::nullopt};
  }
  std::vector<NetworkPlan> plans;
  for (ContractionTree& tree : trees) {
    plans.emplace_back(std::move(tree), prepare);
  }
  std::vector<std::vector<Seconds>> times(1);
  try {
    times = times_of(plans, options);
  } catch (const std::bad_alloc&) {  // the first tree is taken unmeasured
  }
  const auto was_measured = [](const std::vector<Seconds>& some) { return !some.empty(); };
  if (!std::all_of(times.begin(), times.end(), was_measured)) {
    return {std::move(plans.front()), std::nullopt};
  }
  const auto fastest = std::min_element(times.begin(), times.end(), [](const auto& x, const auto& y) { return median(x) < median(y); });
  return {std::move(plans[static_cast<std::size_t>(fastest - times.begin())]), median(*fastest)};
}

}  // namespace flopcast::contract
