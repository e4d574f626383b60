#pragma once

#include <string>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast {

/// Which of the environments of a store is meant.
struct EnvironmentChoice {
  machine::LibraryChoice libraries;  ///< as they are named there; an empty name stands for any; `threads` counts
  std::string fingerprint;           ///< or how it begins; empty: any
};

/// The environment of `store` that has samples and fits. Throws bad_input, with a list of what there is, if none or several do.
Environment sampled_environment(const model::Store& store, const EnvironmentChoice& choice);

}  // namespace flopcast
