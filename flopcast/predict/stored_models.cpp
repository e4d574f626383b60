#include "flopcast/predict/stored_models.hpp"

#include "flopcast/support/error.hpp"

namespace flopcast::prediction {

Estimate StoredModels::evaluate(const Call& call, const Condition& condition) const {
  if (does_nothing(call)) {
    return {};
  }
  const ModelKey key = model_key(call, condition.cache, library_);
  auto known = models_.find(key);
  if (known == models_.end()) {
    std::optional<model::Model> found = find_(key);
    if (!found) {
      throw bad_input("there is no model of {}", to_string(key));
    }
    known = models_.emplace(key, std::move(*found)).first;
  }
  const auto of_call = sizes(call);
  return model::evaluate(known->second, {of_call.begin(), of_call.end()});
}

bool does_nothing(const Call& call) { return flops(call) <= 0 && (footprint_bytes(call) <= 0 || !zero_sizes(call).empty()); }

}  // namespace flopcast::prediction
