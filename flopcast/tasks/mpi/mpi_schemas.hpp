#pragma once

#include <vector>

#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Returns the schemas of profiles, tunings, simulations and spaces of MPI programs, and of machines for simulations.
std::vector<PublishedSchema> mpi_schemas();

/// Return these schemas one by one.
PublishedSchema mpi_tuning_schema();
PublishedSchema mpi_simulation_schema();
PublishedSchema mpi_timeline_schema();

}  // namespace flopcast
