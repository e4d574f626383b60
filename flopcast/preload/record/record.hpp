#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/protocol/call_bytes.hpp"
#include "flopcast/protocol/recorder_protocol.hpp"

/// Interface of libflopcast-record.so to the process into which it is loaded. The library defines every routine of the catalogue, and
/// passes calls through while no recording is active.
namespace flopcast::preload {

struct RecordOptions {
  protocol::Mode mode = protocol::Mode::skip;
  /// The routine whose kernels are recorded; it isn't recorded itself. Its ilaenv queries are answered with `blocks`.
  std::string routine;
  std::optional<algorithm::BlockParameters> blocks;
  int integer_bytes = 4;                              ///< size of the library's integers
  std::size_t max_call_bytes = std::size_t{1} << 30;  ///< calls that don't fit are counted and dropped
};

struct KernelRecording {
  protocol::Bytes calls;
  std::int64_t dropped = 0;            ///< calls that found no room
  std::int64_t queries = 0;            ///< number of the routine's block size queries
  algorithm::BlockParameters answers;  ///< answer to the queries; meaningful only if there were any
  std::array<char, 9> options{};       ///< options of its first query, without blanks, ended by a zero
  std::int64_t query_m = 0, query_n = 0;
};

/// Returns the library's own symbol ("dgemm_"); nullptr if there is none.
using SymbolLookup = std::function<void*(const char* symbol)>;

/// Sets how the library finds the functions to which it forwards calls. Without it they are those of the next library in the loader's
/// order.
[[gnu::visibility("default")]] void set_next(SymbolLookup lookup);
[[gnu::visibility("default")]] void start_recording(const RecordOptions& options);
[[gnu::visibility("default")]] KernelRecording stop_recording();

}  // namespace flopcast::preload
