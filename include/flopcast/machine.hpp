#pragma once

/// This machine: processors, measured caches, BLAS and LAPACK libraries opened at run time.
#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/machine/libraries/library.hpp"
