#pragma once

#include <cstdint>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"

namespace flopcast::protocol {

/// Treatment of the kernel calls that a recording intercepts.
enum class Mode : std::uint8_t {
  /// The kernel isn't executed. Outputs that steer control flow are set as the catalogue says; no matrix is touched.
  skip,
  observe,    ///< the kernel is executed and timed on safe operands
  only_sizes  ///< the routine isn't called beyond the queries of its workspaces
};

/// A routine's query of ilaenv for its block size, under its own name or a borrowed one (borrowed_name.hpp).
struct BlockSizeQuery {
  std::string options;                 ///< the query's letters without blanks, not always the routine's flags: "L", "LT", or none
  std::int64_t m = 0, n = 0;           ///< the first two sizes; n = -1 if there is only one
  algorithm::BlockParameters answers;  ///< the answers of LAPACK's own ilaenv
  friend bool operator==(const BlockSizeQuery&, const BlockSizeQuery&) = default;
};

}  // namespace flopcast::protocol
