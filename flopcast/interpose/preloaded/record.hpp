#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/interpose/block_question.hpp"
#include "flopcast/interpose/call_bytes.hpp"

/// What libflopcast-record.so offers to the process it is loaded into. It defines every routine of the catalogue; while nothing is being
/// recorded, calls pass through.
namespace flopcast::interpose {

struct RecordOptions {
  Mode mode = Mode::skip;
  std::string routine;  ///< seen through, so that the kernels below it are recorded; its questions to ilaenv are answered with `blocks`
  std::optional<algorithm::BlockParameters> blocks;
  int integer_bytes = 4;                          ///< of the library's integers
  std::size_t most_bytes = std::size_t{1} << 30;  ///< calls beyond are counted, not kept
};

struct Recording {
  Bytes calls;
  std::int64_t dropped = 0;            ///< calls that found no room
  std::int64_t questions = 0;          ///< how often the routine asked for its block size
  algorithm::BlockParameters answers;  ///< what it was told; only meaningful if it asked
  std::array<char, 9> options{};       ///< of its first question without blanks, ended by a zero
  std::int64_t question_m = 0, question_n = 0;
};

/// Finds the library's own symbol ("dgemm_"); nullptr if there is none.
using SymbolLookup = std::function<void*(const char* symbol)>;

/// Where calls pass on to; without it to the next library in the order of the loader.
[[gnu::visibility("default")]] void set_next(SymbolLookup lookup);
[[gnu::visibility("default")]] void start_recording(const RecordOptions& options);
[[gnu::visibility("default")]] Recording stop_recording();

}  // namespace flopcast::interpose
