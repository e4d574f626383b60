#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::measure {

/// The cache state in which a single call is sampled.
struct Precondition {
  enum class State : std::uint8_t {
    warm,     ///< operands just used by the same call; operands of LAPACK are filled again afterwards
    cold,     ///< nothing cached
    level,    ///< every operand in the cache `level`, or in the next larger one that holds it
    placed,   ///< every operand in its level of `placement`
    replayed  ///< the state after `replay`
  };
  enum class Flush : std::uint8_t {
    line,   ///< cold by flushing the cache lines of the operands
    sweep,  ///< cold by reading associativity x measured capacity (Iakymchuk 2011)
    fresh   ///< cold because each call works on its own operands, after whose filling enough other memory was touched
  };
  State state = State::warm;
  Flush flush = Flush::line;
  Placement placement;
  int level = 0;               ///< number of the cache, 0 = L1
  std::string level_name;      ///< "L2"
  std::vector<Action> replay;  ///< accesses at the addresses of with_addresses(call)
};

/// Returns the value of ModelKey::cache: "warm", "cold", "placed", "replayed" or a level such as "L2".
std::string cache_name(const Precondition& precondition);

/// Parses a cache state: `warm`, `cold`, `cold:sweep`, `cold:fresh`, a cache such as `L2`, a placement or a replay. In a placement such as
/// `A=L2,B=memory,C=L1:dirty`, operands that aren't named lie in the innermost cache that holds them. A replay such as
/// `replay:C,64KiB,A:dirty,B` is a list of accesses to operands and to amounts of other memory (Peise et al. 2015, section 3.2). Throws
/// bad_input for any other text.
Precondition parse_precondition(std::string_view text, const Call& call, const Environment& environment);

/// Returns the experiment that times `call` under `precondition`. Operands without addresses get separate memory. With `batch` 0, a batch
/// is chosen that takes at least 20 us by a rough estimate, as far as the cache state allows.
Experiment experiment(const Call& call, const Precondition& precondition, const Environment& environment, std::int64_t batch = 0);

}  // namespace flopcast::measure
