#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// The cache state in which a single call is to be sampled.
struct Precondition {
  enum class State : std::uint8_t {
    warm,     ///< operands just used by the same call, those of LAPACK filled anew since
    cold,     ///< nothing cached
    level,    ///< every operand in the cache `level`, or where that is too small, in the next one that holds it
    placed,   ///< every operand in its level of `placement`
    replayed  ///< after `replay`
  };
  enum class Flush : std::uint8_t {
    line,   ///< cold by flushing the cache lines of the operands
    sweep,  ///< cold by reading associativity x measured capacity (paper 001)
    fresh   ///< cold as each call works on operands of its own, filled so long ago that as much has been touched since
  };
  State state = State::warm;
  Flush flush = Flush::line;
  Placement placement;
  int level = 0;               ///< counted from 0 = L1
  std::string level_name;      ///< "L2"
  std::vector<Action> replay;  ///< at the addresses of with_addresses(call)
};

/// What goes into ModelKey::cache: "warm", "cold", "L2", "placed" or "replayed".
std::string cache_name(const Precondition& precondition);

/// Reads `warm`, `cold`, `cold:sweep`, `cold:fresh`, a cache such as `L2`, `A=L2,B=memory,C=L1:dirty` (operands not named lie in the
/// innermost cache that holds them) or `replay:C,64KiB,A:dirty,B`, a list of accesses (paper 002, section 3.2): operands and amounts of
/// other memory; throws bad_input otherwise.
Precondition parse_precondition(std::string_view text, const Call& call, const Environment& environment);

/// The experiment that times `call` under `precondition`; operands without address are given memory, apart from one another.
/// `batch` 0 chooses one that takes at least 20 us in all by a rough estimate of the call's time, as far as the stated condition allows.
Experiment experiment(const Call& call, const Precondition& precondition, const Environment& environment, std::int64_t batch = 0);

}  // namespace flopcast::measure
