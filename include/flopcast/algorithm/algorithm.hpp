#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// A blocked or recursive algorithm, written once for all precisions. Users can define their own.
struct Algorithm {
  std::string family;       ///< LAPACK routine whose result the algorithm computes, without precision: "geqrf"
  std::string variant;      ///< name within the family: "2", "recursive"
  std::string description;  ///< one line for help: "left-looking"
  /// Does the work of `call` through `script`, which executes or records each kernel; returns LAPACK's info.
  std::function<std::int32_t(const Call& call, const BlockParameters& blocks, const Script& script)> run;
  bool is_default = false;  ///< true if it is LAPACK's own algorithm; exactly one in each family is
  /// Returns the elements of work space (lwork) that full blocks need. If empty, the catalogue's size, which suffices for any block size.
  std::function<std::int64_t(const Call& call, const BlockParameters& blocks)> workspace = {};
  /// Returns whether the algorithm applies to a call with these flags. If empty, it applies to every call. `run` throws bad_input for others.
  std::function<bool(const Call& call)> applies = {};
};

}  // namespace flopcast::algorithm
