#pragma once

#include "flopcast/model/store.hpp"
#include "flopcast/tasks/mpi/advise.hpp"

namespace flopcast {

/// Lets a search for advice go on with what an unfinished one of the same request found on this host, whatever its time budget. The
/// services keep further configurations in `store`, which must exist as long as they do.
void keep_advice(AdviceServices& services, model::Store& store, const MpiAdviseRequest& request);

}  // namespace flopcast
