#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "flopcast/core/sample.hpp"
#include "flopcast/model/evaluator.hpp"
#include "flopcast/model/model.hpp"
#include "flopcast/predict/kernel_models.hpp"

namespace flopcast::predict {

/// Finds the model of a key, e.g. in the store.
using FindModel = std::function<std::optional<model::Model>(const ModelKey&)>;

/// Polynomial models per kernel and cache state (papers 000 and 001) as the source of `levels`, `paper`, `warm` and `cold` predictions. Not
/// for use from several threads at once.
class StoredModels : public KernelModels {
 public:
  /// `library` is the fingerprint of the environment that the models must be of.
  StoredModels(FindModel find, std::string library) : find_(std::move(find)), library_(std::move(library)) {}

  /// Throws bad_input naming the key if there is no model.
  [[nodiscard]] Estimate evaluate(const Call& call, const Condition& condition) const override;

 private:
  FindModel find_;
  std::string library_;
  mutable std::map<ModelKey, model::Evaluator> evaluators_;  // those that were asked for
};

/// A call with a size of zero that does no arithmetic, such as a dgemm with n = 0 or k = 0: a polynomial of the sizes has nothing to say
/// about it, it takes no time.
[[nodiscard]] bool does_nothing(const Call& call);

}  // namespace flopcast::predict
