#pragma once

#include <cstddef>

#include "flopcast/protocol/trace_format.hpp"

/// Interface of libflopcast-dry-run.so, which libflopcast-trace.so opens for a dry run, and which decides which calls are skipped. It is a
/// separate library, because it brings the catalogue and thus the C++ run-time library into the program.
namespace flopcast::preload {

/// The library's functions, none of which throws. Symbols are those of the Fortran interface ("dgemm_"); arguments lie as in the routine's
/// layout.
struct DryRun {
  /// Decides how to treat a call with integers, in arrays too, of so many bytes. For a skipped call it also writes the outputs that the
  /// call must leave behind, and sets `value` to a function's result.
  protocol::Treatment (*decide)(const char* symbol, int integer_bytes, const std::byte* arguments, double (&value)[2]) = nullptr;
  /// Decides how to treat a call of a routine of which only the name is known; `words` are its arguments and the words after them.
  protocol::Treatment (*decide_unnamed)(void* const* words, std::size_t count) = nullptr;
};

using OpenDryRun = bool (*)(DryRun*);
inline constexpr const char* open_dry_run_symbol = "flopcast_open_dry_run";

}  // namespace flopcast::preload
