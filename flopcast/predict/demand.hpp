#pragma once

#include <map>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::predict {

/// Sizes at which the model of a key is needed.
struct Need {
  Call example;    ///< one of the calls
  model::Box box;  ///< the smallest that holds all of their sizes
};

/// A source that only writes down what it is asked for, so that missing models can be named or built before anything is predicted. Its
/// estimates mean nothing. Not for use from several threads at once.
class Demand : public KernelModels {
 public:
  /// `library` goes into the keys.
  explicit Demand(std::string library) : library_(std::move(library)) {}

  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;
  [[nodiscard]] const std::map<ModelKey, Need>& needs() const noexcept { return needs_; }

 private:
  std::string library_;
  mutable std::map<ModelKey, Need> needs_;
};

}  // namespace flopcast::predict
