#pragma once

/// Access distances of operands, and the cache level in which each operand lies.
#include "flopcast/cache/access_distance.hpp"
#include "flopcast/cache/layout.hpp"
#include "flopcast/cache/placement.hpp"
