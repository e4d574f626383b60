#pragma once

#include <span>
#include <vector>

#include "flopcast/model/model.hpp"

namespace flopcast::model {

/// A model prepared for many evaluations: a k-d tree finds the piece. The results equal those of evaluate().
class Evaluator {
 public:
  explicit Evaluator(Model model);

  [[nodiscard]] Estimate operator()(std::span<const std::int64_t> sizes) const;
  [[nodiscard]] const Model& model() const noexcept { return model_; }

 private:
  /// A node of the k-d tree. An inner node cuts dimension `dimension` at `cut`: sizes up to the cut are on the left, larger ones on the
  /// right. A leaf has `left` = 0 and lists pieces.
  struct Node {
    std::size_t dimension = 0;
    std::int64_t cut = 0;
    std::size_t left = 0, right = 0;
    std::vector<std::size_t> pieces;
  };
  std::size_t build(std::vector<std::size_t> pieces);
  [[nodiscard]] const Piece& find(std::span<const std::int64_t> sizes) const;

  Model model_;
  std::vector<Node> nodes_;
};

}  // namespace flopcast::model
