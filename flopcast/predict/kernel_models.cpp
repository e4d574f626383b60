#include "flopcast/predict/kernel_models.hpp"

#include <algorithm>

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

Estimate ModelRequirements::evaluate(const Call& call, const Condition& condition) const {
  if (does_nothing(call)) {
    return {};
  }
  const auto of_call = sizes(call);
  const model::Sizes sizes(of_call.begin(), of_call.end());
  const auto [at, is_new] = missing_.try_emplace(model_key(call, condition.cache, library_), MissingModel{call, {sizes, sizes}});
  model::Box& box = at->second.box;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    box.low[d] = std::min(box.low[d], sizes[d]);
    box.high[d] = std::max(box.high[d], sizes[d]);
  }
  return {1, 0, false};
}

}  // namespace flopcast::prediction
