#pragma once

#include <map>
#include <string>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/library_options.hpp"

namespace flopcast::cli {

/// Environment variables that make a BLAS use kernels for this CPU, e.g. {"OPENBLAS_CORETYPE", "SkylakeX"}; usually empty.
using KernelSettings = std::map<std::string, std::string>;

/// Before a library is opened: where it doesn't recognise the CPU and other kernels of its own make dgemm much faster, sets the variable
/// that selects them in this process (and so in its children) and tells the user. A variable that the user has set is left alone. What was
/// found by trying is kept in the store. Returns the variables in force that this library reads, for `flopcast run` to set them too.
/// `options.kernels` = "library" leaves the choice to the library. Where several libraries are to be opened, call it for each before the
/// first is: trying happens in children, which inherit what is loaded.
KernelSettings choose_kernels(const LibraryOptions& options, const CommonOptions& common);

}  // namespace flopcast::cli
