#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// A blocked or recursive algorithm, written once for all precisions; a user's own is one as well.
struct Algorithm {
  std::string family;       ///< of the routine that it does the work of: "geqrf"
  std::string variant;      ///< its name among those of the family: "2", "recursive"
  std::string description;  ///< one line for help: "left-looking"
  /// Does the work of `call` through `script`, which executes or records each kernel; returns LAPACK's info.
  std::function<std::int32_t(const Call& call, const BlockParameters& blocks, const Script& script)> run;
  bool is_default = false;  ///< LAPACK's own algorithm; one in each family
  /// Elements of work space (lwork) that full blocks need; if empty, what the catalogue says that suffices for any block size.
  std::function<std::int64_t(const Call& call, const BlockParameters& blocks)> workspace = {};
  /// Whether it does the work of a call with these flags; if empty, of every call. `run` throws bad_input for others.
  std::function<bool(const Call& call)> applies = {};
};

}  // namespace flopcast::algorithm
