#include "flopcast/contract/network/slicing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// A way to cut one more label, or to cut a label finer.
struct Cut {
  int label = -1;
  std::int64_t length = 1;
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  double peak_bytes = std::numeric_limits<double>::infinity();
};

/// Returns the lengths of blocks that are tried for a label that has blocks of `length` now: about a half, a quarter, and so on.
std::vector<std::int64_t> shorter_lengths(std::int64_t extent, std::int64_t length) {
  std::vector<std::int64_t> lengths;
  std::int64_t last = length;
  for (std::int64_t blocks = ceil_div(extent, length) * 2; last > 1; blocks *= 2) {
    const std::int64_t next = blocks >= extent ? 1 : ceil_div(extent, blocks);
    if (next < last) {
      lengths.push_back(next);
    }
    last = next;
  }
  return lengths;
}

class Cutter {
 public:
  Cutter(const JoinTree& tree, const StepModel& model, double room_bytes, const std::function<bool()>& cancelled)
      : tree_(tree), model_(model), room_bytes_(room_bytes), cancelled_(cancelled) {}

  std::optional<StepModel> run() {
    Schedule now = make_schedule(tree_, model_);
    while (now.peak_bytes > room_bytes_) {
      const Cut best = best_cut(now);
      if (best.label < 0 || cancelled_()) {
        return std::nullopt;
      }
      model_.set_block(best.label, best.length);
      cut_.insert(best.label);
      now = make_schedule(tree_, model_);
    }
    lengthen(now.seconds);
    return std::move(model_);
  }

 private:
  [[nodiscard]] Cut with(int label, std::int64_t length) const {
    StepModel model = model_;
    model.set_block(label, length);
    const Schedule schedule = make_schedule(tree_, model);
    return {label, length, schedule.seconds, schedule.peak_bytes};
  }

  /// Returns the labels of the largest intermediates that exist while memory is fullest.
  [[nodiscard]] std::set<int> labels_at_peak(const Schedule& schedule) const {
    constexpr double share_of_largest = 0.25;
    const auto exists = [&](const LifeTime& life) { return life.begin <= schedule.peak && schedule.peak <= life.end; };
    double largest = 0;
    for (const LifeTime& life : schedule.intermediates) {
      largest = exists(life) ? std::max(largest, life.bytes) : largest;
    }
    std::set<int> labels;
    for (const LifeTime& life : schedule.intermediates) {
      if (exists(life) && life.bytes >= share_of_largest * largest) {
        const Labels& of_life = tree_.node(life.node).labels;
        labels.insert(of_life.begin(), of_life.end());
      }
    }
    return labels;
  }

  /// Returns the cut after which everything fits in the least time. If no single cut suffices, returns the one that takes least time for
  /// the memory that it saves; its label is -1 if none saves any.
  [[nodiscard]] Cut best_cut(const Schedule& now) const {
    Cut fitting, saving;
    double least_price = std::numeric_limits<double>::infinity();
    for (const int label : labels_at_peak(now)) {
      const auto i = static_cast<std::size_t>(label);
      for (const std::int64_t length : shorter_lengths(model_.terms().extents[i], model_.lengths()[i])) {
        const Cut cut = with(label, length);
        if (cut.peak_bytes <= room_bytes_) {
          fitting = cut.seconds < fitting.seconds ? cut : fitting;
          break;
        }
        const double saved = std::log(now.peak_bytes / cut.peak_bytes), price = (cut.seconds - now.seconds) / saved;
        if (saved > 0 && (saving.label < 0 || price < least_price)) {
          least_price = price;
          saving = cut;
        }
        if (cancelled_()) {
          break;
        }
      }
    }
    return fitting.label >= 0 ? fitting : saving;
  }

  /// Gives labels longer blocks again as far as everything fits, because later cuts may have made earlier ones needless.
  void lengthen(Seconds now) {
    for (const int label : cut_) {
      const std::int64_t extent = model_.terms().extents[static_cast<std::size_t>(label)];
      for (bool improved = true; improved;) {
        const std::int64_t length = model_.lengths()[static_cast<std::size_t>(label)];
        const Cut longer = length < extent ? with(label, std::min(2 * length, extent)) : Cut();
        improved = longer.peak_bytes <= room_bytes_ && longer.seconds <= now;
        if (improved) {
          model_.set_block(label, longer.length);
          now = longer.seconds;
        }
      }
    }
  }

  const JoinTree& tree_;
  StepModel model_;
  double room_bytes_;
  const std::function<bool()>& cancelled_;
  std::set<int> cut_;
};

}  // namespace

std::optional<StepModel> cut_to_fit(const JoinTree& tree, const StepModel& model, double room_bytes,
                                    const std::function<bool()>& cancelled) {
  return Cutter(tree, model, room_bytes, cancelled).run();
}

}  // namespace flopcast::contract
