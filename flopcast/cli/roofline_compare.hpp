#pragma once

#include <string>

#include "flopcast/cli/command.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::cli {

/// A roofline that an earlier run wrote; throws bad_input naming the file and what is wrong with it.
roofline::Roofline read_roofline(const std::string& file);

/// Prints what differs between two rooflines beyond noise; false if a roof is lower in the second one.
bool compare_rooflines(const std::string& before, const std::string& after, const CommonOptions& common);

}  // namespace flopcast::cli
