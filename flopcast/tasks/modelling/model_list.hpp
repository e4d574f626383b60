#pragma once

#include <string>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

/// Models of a store, seen from the environment whose fingerprint is `here`. An empty fingerprint stands for any environment.
namespace flopcast {

ModelSummary summary(const model::Model& model, bool other_machine);

/// Lists the models of the store that are of the environment `here`. With `other_machines` the list has all models.
ModelList list_models(const model::Store& store, const std::string& here, bool other_machines);

/// Returns the model of this name, or the only one whose name begins so. Throws bad_input if there is none or there are several.
model::Model find_model(const model::Store& store, const std::string& here, const std::string& text);

/// A picture of a model: over one size the time with the ends of its pieces, over two the partition of the domain with the pieces' errors
/// (Peise and Bientinesi 2014, Fig. 4). Throws bad_input for a model in which no size or more than two vary.
report::Figure model_figure(const model::Model& model);

}  // namespace flopcast
