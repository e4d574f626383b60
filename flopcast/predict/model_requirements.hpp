#pragma once

#include <map>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/box.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::prediction {

/// The sizes at which the model of a key is needed.
struct MissingModel {
  Call example;    ///< one of the calls
  model::Box box;  ///< the smallest box that contains the sizes of all calls
};

/// A source that only records the requested models, so that missing models can be named or built before a prediction. Its estimates are
/// meaningless. It must not be used from several threads at once.
class ModelRequirements : public KernelModels {
 public:
  /// `library` is the fingerprint in the keys.
  explicit ModelRequirements(std::string library) : library_(std::move(library)) {}

  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;
  [[nodiscard]] const std::map<ModelKey, MissingModel>& missing() const noexcept { return missing_; }

 private:
  std::string library_;
  mutable std::map<ModelKey, MissingModel> missing_;
};

}  // namespace flopcast::prediction
