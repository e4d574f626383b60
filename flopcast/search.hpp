#pragma once

/// Configuration spaces and searches of their fastest element.
#include "flopcast/search/exhaustive.hpp"
#include "flopcast/search/halving.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/search/space.hpp"
