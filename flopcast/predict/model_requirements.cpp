#include "flopcast/predict/model_requirements.hpp"

#include <algorithm>

#include "flopcast/predict/stored_models.hpp"

namespace flopcast::prediction {

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
