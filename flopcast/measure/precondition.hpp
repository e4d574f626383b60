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
    warm,    ///< operands just used by the same call
    cold,    ///< nothing cached
    placed,  ///< every operand in its level of `placement`
    replayed ///< after `replay`
  };
  enum class Flush : std::uint8_t { line, sweep, fresh };  ///< cold by cache-line flush, by associativity x measured capacity (paper 001), by fresh memory
  State state = State::warm;
  Flush flush = Flush::line;
  Placement placement;
  std::vector<Action> replay;
};

/// Reads `warm`, `cold`, `cold:sweep`, `cold:fresh`, or `A=L2,B=memory,C=L3` (operands not named are warm); throws bad_input otherwise.
Precondition parse_precondition(std::string_view text, const Call& call, const Environment& environment);

/// The experiment that times `call` under `precondition`; operands without address are given memory, apart from one another.
/// `batch` 0 chooses one that takes at least 20 us in all by a rough estimate of the call's time.
Experiment experiment(const Call& call, const Precondition& precondition, const Environment& environment, std::int64_t batch = 0);

}  // namespace flopcast::measure
