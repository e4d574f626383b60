#pragma once

/// Search of the fastest configuration.
#include "flopcast/search/race.hpp"
