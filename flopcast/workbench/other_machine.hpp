#pragma once

#include <string>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast {

/// Selects one of the environments of a store.
struct EnvironmentChoice {
  machine::LibraryChoice libraries;  ///< libraries by their names there; an empty name stands for any; `threads` counts
  std::string fingerprint;           ///< the fingerprint or its beginning; empty: any
};

/// Returns the environment of `store` that has samples and fits. Throws bad_input with a list of all if none fits, or several.
Environment sampled_environment(const model::Store& store, const EnvironmentChoice& choice);

}  // namespace flopcast
