#pragma once

#include <span>
#include <vector>

#include "flopcast/model/model.hpp"

namespace flopcast::model {

/// A model made ready for many evaluations: finds the piece through a k-d tree. Gives exactly what evaluate() gives.
class Evaluator {
 public:
  explicit Evaluator(Model model);

  [[nodiscard]] Estimate operator()(std::span<const std::int64_t> sizes) const;
  [[nodiscard]] const Model& model() const noexcept { return model_; }

 private:
  /// An inner node cuts its sizes at `cut` in dimension `dimension`: up to it left, above it right. A leaf has `left` = 0 and lists pieces.
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
