#pragma once

/// Configuration spaces and searches of their fastest element.
#include "flopcast/search/race.hpp"
#include "flopcast/search/space.hpp"
