#include "flopcast/tasks/modelling/model_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

/// Returns the model of `candidates` with that name, or the only one whose name begins so.
model::Model named_model(const std::vector<model::Model>& candidates, const std::string& text) {
  std::vector<const model::Model*> found;
  std::vector<std::string> names;
  for (const model::Model& candidate : candidates) {
    const std::string full_name = name(candidate);
    names.push_back(full_name);
    if (full_name == text) {
      return candidate;
    }
    if (full_name.rfind(text, 0) == 0) {
      found.push_back(&candidate);
    }
  }
  if (found.size() == 1) {
    return *found.front();
  }
  if (found.empty()) {
    const std::vector<std::string> nearest = nearest_names(text, names);
    throw bad_input("there is no model '{}'; {}", text,
                    nearest.empty() ? "the list that includes models of other machines and libraries has all names"
                                    : fmt::format("did you mean {}?", fmt::join(nearest, ", ")));
  }
  std::vector<std::string> meant;
  std::transform(found.begin(), found.end(), std::back_inserter(meant), [](const model::Model* model) { return name(*model); });
  throw bad_input("'{}' is the beginning of {} models' names: {}", text, meant.size(), fmt::join(meant, ", "));
}

/// Refuses a model of another machine or library whose whole name is `text`.
void refuse_other_machine(const std::string& text, const model::Store& store) {
  const std::optional<model::Model> model = store.find_model(text);
  if (model) {
    const std::optional<Environment> origin = store.find_environment(model->key.library);
    throw bad_input("model {} is of another machine or library{}; a search among models of other machines and libraries finds it", text,
                    origin ? fmt::format(" ({}, {} {})", origin->cpu, origin->blas.name, origin->blas.version) : "");
  }
}

}  // namespace

double largest_error(const model::Model& model) {
  double worst = 0;
  for (const model::Piece& piece : model.pieces) {
    worst = std::max(worst, piece.error.maximum);
  }
  return worst;
}

ModelSummary summary(const model::Model& model, bool other_machine) {
  return {name(model),        model.key,          model.generator,
          model.sizes,        model.domain,       static_cast<std::int64_t>(model.pieces.size()),
          model.cost.samples, model.cost.seconds, largest_error(model),
          other_machine};
}

ModelList list_models(const model::Store& store, const std::string& here, bool other_machines) {
  ModelList list;
  for (const model::Model& model : store.models()) {
    const bool is_other = !here.empty() && model.key.library != here;
    if (is_other && !other_machines) {
      ++list.hidden;
    } else {
      list.models.push_back(summary(model, is_other));
    }
  }
  return list;
}

model::Model find_model(const model::Store& store, const std::string& here, const std::string& text) {
  std::vector<model::Model> candidates = store.models();
  if (!here.empty()) {
    std::erase_if(candidates, [&](const model::Model& model) { return model.key.library != here; });
    if (std::none_of(candidates.begin(), candidates.end(), [&](const model::Model& model) { return name(model) == text; })) {
      refuse_other_machine(text, store);
    }
  }
  return named_model(candidates, text);
}

}  // namespace flopcast
