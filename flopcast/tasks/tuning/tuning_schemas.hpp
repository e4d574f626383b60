#pragma once

#include <vector>

#include "flopcast/kernel/spectrum.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast {

template <>
struct EnumNames<kernel::Spectrum> {
  static constexpr auto names = kernel::spectrum_names;
};

/// Returns the schemas of tunings and rankings.
std::vector<PublishedSchema> tuning_schemas();

}  // namespace flopcast
