#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/model.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::prediction {

/// Finds the model of a key, for example in the store.
using FindModel = std::function<std::optional<model::Model>(const ModelKey&)>;

/// Polynomial models per kernel and cache state (papers 000 and 001) as the source of `levels`, `paper`, `warm` and `cold` predictions. The
/// object must not be used from several threads at once.
class StoredModels : public KernelModels {
 public:
  /// `library` is the fingerprint of the environment to which the models must belong.
  StoredModels(FindModel find, std::string library) : find_(std::move(find)), library_(std::move(library)) {}

  /// Returns the estimate of a call. Throws bad_input that names the key if there is no model.
  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;

 private:
  FindModel find_;
  std::string library_;
  mutable std::map<ModelKey, model::Model> models_;  // models that were used
};

/// Returns whether a call has a size of zero and does no arithmetic, such as a dgemm with n = 0 or k = 0. A polynomial of the sizes says
/// nothing about such a call, which takes no time.
[[nodiscard]] bool does_nothing(const Call& call);

}  // namespace flopcast::prediction
