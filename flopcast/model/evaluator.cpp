#include "flopcast/model/evaluator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

constexpr std::size_t leaf_pieces = 4;

/// Returns the pieces that reach below and above a cut. The cut itself belongs to the lower side.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> split(const Model& model, const std::vector<std::size_t>& pieces,
                                                                    std::size_t dimension, std::int64_t cut) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> sides;
  for (const std::size_t p : pieces) {
    if (model.pieces[p].box.low[dimension] <= cut) {
      sides.first.push_back(p);
    }
    if (model.pieces[p].box.high[dimension] > cut) {
      sides.second.push_back(p);
    }
  }
  return sides;
}

}  // namespace

Evaluator::Evaluator(Model model) : model_(std::move(model)) {
  std::vector<std::size_t> all(model_.pieces.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  build(std::move(all));
}

std::size_t Evaluator::build(std::vector<std::size_t> pieces) {
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> best;
  std::size_t best_size = pieces.size();
  for (std::size_t d = 0; pieces.size() > leaf_pieces && d < model_.sizes.size(); ++d) {
    std::vector<std::int64_t> ends;
    for (const std::size_t p : pieces) {
      ends.push_back(model_.pieces[p].box.high[d]);
    }
    std::nth_element(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2), ends.end());
    // The median of the upper ends may be the uppermost end of all, which separates nothing.
    const std::int64_t middle = ends[ends.size() / 2];
    const std::int64_t lowest = *std::min_element(ends.begin(), ends.end());
    for (const std::int64_t cut : {middle, lowest}) {
      auto sides = split(model_, pieces, d, cut);
      const std::size_t size = std::max(sides.first.size(), sides.second.size());
      if (size < best_size) {
        best_size = size;
        best = std::move(sides);
        nodes_[index].dimension = d;
        nodes_[index].cut = cut;
      }
    }
  }
  if (best_size == pieces.size()) {
    nodes_[index].pieces = std::move(pieces);
    return index;
  }
  const std::size_t left = build(std::move(best.first));
  const std::size_t right = build(std::move(best.second));
  nodes_[index].left = left;
  nodes_[index].right = right;
  return index;
}

const Piece& Evaluator::find(std::span<const std::int64_t> sizes) const {
  const Node* node = nodes_.data();
  while (node->left != 0) {
    node = &nodes_[sizes[node->dimension] <= node->cut ? node->left : node->right];
  }
  for (const std::size_t p : node->pieces) {
    if (holds(model_, model_.pieces[p], sizes)) {
      return model_.pieces[p];
    }
  }
  throw internal_error("model {} has no piece at ({})", name(model_), fmt::join(sizes, ", "));
}

Estimate Evaluator::operator()(std::span<const std::int64_t> sizes) const {
  return evaluate(model_, sizes, [this](std::span<const std::int64_t> at) -> const Piece& { return find(at); });
}

}  // namespace flopcast::model
