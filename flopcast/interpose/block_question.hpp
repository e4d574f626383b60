#pragma once

#include <cstdint>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"

namespace flopcast::interpose {

/// How a recording treats the kernel calls it sees.
enum class Mode : std::uint8_t {
  skip,    ///< not executed: outputs that steer control flow are set as the catalogue says; no matrix is touched
  observe  ///< executed and timed on safe operands
};

/// What a routine asks ilaenv about its block size, under its own name or a borrowed one (borrowed_name.hpp).
struct BlockQuestion {
  std::string options;                 ///< its letters without blanks, not always the routine's flags: "L", "LT", or none
  std::int64_t m = 0, n = 0;           ///< the first two sizes; n = -1 if there is one only
  algorithm::BlockParameters answers;  ///< LAPACK's own
  friend bool operator==(const BlockQuestion&, const BlockQuestion&) = default;
};

}  // namespace flopcast::interpose
