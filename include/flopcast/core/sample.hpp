#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/inline_vector.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// The state of the machine in which something was timed, or for which times are predicted.
struct MachineState {
  double session = 0;     ///< moment at which the measuring session began, in hours since 1970; 0: not known
  Seconds reference = 0;  ///< time of the reference kernel at a drift of 1, which is its median in that session; 0: not known
  double noise = 0;       ///< relative standard deviation that other programs' load added to a time; 0: the machine was quiet
  /// Relative standard deviation of runs at different moments of the session, from the range in which 95 % of the reference's times lay.
  double spread = 0;
  friend bool operator==(const MachineState&, const MachineState&) = default;
};

/// How far single runs lie from what was measured in one session, as relative standard deviations.
struct RunDeviation {
  double moments = 0;   ///< between moments of a session
  double sessions = 0;  ///< between two sessions that follow each other
  friend bool operator==(const RunDeviation&, const RunDeviation&) = default;
};

/// Returns whether times in two states may be mixed without a model of how kernels respond: the reference kernel's times differ by less
/// than a tenth, or one of them isn't known.
inline bool is_alike(Seconds reference, Seconds other_reference) {
  static constexpr double tolerance = 1.1;
  return reference <= 0 || other_reference <= 0 || (reference < tolerance * other_reference && other_reference < tolerance * reference);
}

/// State of an operand before a call: its access distance and cache level.
struct OperandState {
  /// Bytes touched since and including the operand's last access (Peise and Bientinesi 2014, section 3); negative if never accessed before.
  std::int64_t distance_bytes = -1;
  /// Cache level that contains the operand, counted from 0 = L1; Environment::caches.size() means memory.
  std::int8_t level = 0;
  /// True if the operand's last access wrote it.
  bool dirty = false;
  friend bool operator==(const OperandState&, const OperandState&) = default;
};

/// State of every operand of a call, in the order of operands(call).
using Placement = InlineVector<OperandState, max_operands>;

/// Key of a model (Peise and Bientinesi 2014, section 2.1): all properties of a call except its sizes, and the cache state of its
/// measurement.
struct ModelKey {
  std::string routine;  ///< "dtrsm"
  std::string flags;    ///< "LLNU", in the order of the interface
  std::string scalars;  ///< class of every scalar: '0', '1', '-' (minus one), 'x' (other)
  std::string
      strides;  ///< class of every leading dimension and increment: '.' usual, 'p' a multiple of 512 elements, '1' inc 1, 'i' other inc
  std::string cache;  ///< "warm", "cold", "placed" (per operand, in the sample's placement)
  int threads = 1;
  std::string library;     ///< fingerprint of the environment
  std::string zeros = {};  ///< names of the sizes that are zero, as in "k": models over logarithms of sizes need such calls apart

  friend bool operator==(const ModelKey&, const ModelKey&) = default;
  friend auto operator<=>(const ModelKey&, const ModelKey&) = default;  // NOLINT(modernize-use-nullptr): a 0 of the compiler
};

/// Returns a text such as `dtrsm LLNU alpha:1 ld:. warm x1` for tables and messages, without the library.
std::string to_string(const ModelKey& key);

/// Returns the names of the sizes of `call` that are zero, for ModelKey::zeros.
std::string zero_sizes(const Call& call);

/// Returns the key of `call` in cache state `cache`, ignoring zero sizes.
ModelKey model_key(const Call& call, std::string cache, std::string library);

/// One timed execution.
struct Repetition {
  Seconds seconds = 0;  ///< without timer overhead; per call if calls were batched
  double drift = 1;     ///< time of the reference kernel at that moment / its standard; normalised time = seconds / drift
  double at = 0;        ///< seconds since the session began
  /// Unusable, mostly because of a preemption (involuntary context switch, steal); kept, but excluded from statistics.
  bool discarded = false;
  friend bool operator==(const Repetition&, const Repetition&) = default;

  [[nodiscard]] Seconds normalised() const { return seconds / drift; }
};

/// All measurements of one call in one cache state.
struct Sample {
  ModelKey key;
  std::vector<std::int64_t> sizes;    ///< in the order of the interface
  std::vector<std::int64_t> strides;  ///< leading dimensions and increments, in the order of the interface
  Placement placement;                ///< place of each operand; empty if places aren't known per operand
  std::int64_t batch = 1;             ///< calls timed together
  std::vector<Repetition> repetitions;
  MachineState state;  ///< in which the normalised times hold
  std::vector<std::string> warnings;
  friend bool operator==(const Sample&, const Sample&) = default;

  /// Returns the drift-normalised times of the repetitions that aren't discarded.
  [[nodiscard]] std::vector<Seconds> times() const;
  /// Converts drifts to another time of the reference kernel as standard. Does nothing if either time is unknown.
  void relate_to(Seconds reference);
  /// Finds the state of a sample that was stored without a session, `added` hours after 1970. Samples that were stored within ten minutes
  /// count as one session. The standard becomes the reference kernel's median beside the repetitions.
  void find_state(double added);
};

/// Returns a call like the measured ones: with their flags, sizes and strides, scalars of their class, operands without addresses. Throws
/// bad_input if the sample doesn't fit its routine or the routine is unknown.
Call call_of(const Sample& sample, const std::function<const Routine*(std::string_view)>& lookup);

}  // namespace flopcast
