#pragma once

#include "flopcast/model/model.hpp"
#include "flopcast/report/figure.hpp"

namespace flopcast {

/// A picture of a model: over one size the time with the ends of its pieces, over two the partition of the domain with the pieces' errors
/// (paper 000, Fig. 4). Throws bad_input for a model in which no size or more than two vary.
report::Figure model_figure(const model::Model& model);

}  // namespace flopcast
