#pragma once

#include <cstddef>

#include "flopcast/interpose/trace_format.hpp"

/// What libflopcast-dry-run.so offers to libflopcast-trace.so, which opens it for a dry run: which calls are to be skipped. It is a library
/// of its own because it brings the catalogue, and with that C++'s run-time library, into the program.
namespace flopcast::interpose {

/// Its functions; none throws. Symbols are those of the Fortran interface ("dgemm_"), arguments lie as the routine's layout says.
struct DryRun {
  /// What is to become of a call whose integers, those in arrays too, have so many bytes. If it is to be skipped, what that must leave behind has been left, and `value` is a function's result.
  Treatment (*decide)(const char* symbol, int integer_bytes, const std::byte* arguments, double (&value)[2]) = nullptr;
  /// What is to become of a routine of which only the name is known; `words` are its arguments and what follows them.
  Treatment (*decide_unnamed)(void* const* words, std::size_t count) = nullptr;
};

using OpenDryRun = bool (*)(DryRun*);
inline constexpr const char* open_dry_run_symbol = "flopcast_open_dry_run";

}  // namespace flopcast::interpose
