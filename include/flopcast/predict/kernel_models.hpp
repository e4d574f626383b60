#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "flopcast/core/call.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::prediction {

using model::Estimate;

/// The cache state for which a call's time is requested, named as in ModelKey::cache.
struct Condition {
  /// "warm": operands just used by the same call; "L2", "L3", ...: all operands in that level; "cold": all operands in memory; "placed":
  /// operands as in `placement`.
  std::string cache = "warm";
  Placement placement;  ///< placement for "placed"; distances are rounded to four significant bits
};

/// Calls with equal times, as a term of a sum.
struct Term {
  Call call;  ///< one of the calls; the addresses of its operands are meaningless
  Condition condition;
  double weight = 0;  ///< number of calls that the term stands for; a fraction if conditions are blended
  Estimate estimate;  ///< estimate for one call

  [[nodiscard]] Seconds seconds() const noexcept { return weight * estimate.seconds; }
};

/// The source of kernel times for predictions.
class KernelModels {
 public:
  virtual ~KernelModels() = default;

  /// Returns the time of one call. Calls that differ only in addresses must get the same time, because results are kept. Throws if there is
  /// no model for the call.
  [[nodiscard]] virtual Estimate evaluate(const Call& call, const Condition& condition) const = 0;

  /// Returns the standard deviation of the sum over terms of weight x time, for models that know the joint distribution of their errors.
  /// Otherwise, errors of one model (one ModelKey) count as equal in sign and relative size, and errors of different models as independent.
  [[nodiscard]] virtual std::optional<Seconds> deviation(std::span<const Term> /*terms*/) const { return std::nullopt; }

  /// Returns how far single runs lie from the times of these models because of the machine's state; 0 as far as that isn't known.
  [[nodiscard]] virtual RunDeviation run_deviation() const { return {}; }
};

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
