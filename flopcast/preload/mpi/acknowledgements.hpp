#pragma once

#include <cstdint>
#include <optional>

#include "flopcast/preload/mpi/path_ledger.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/propagation.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Reports to senders that their receivers are there, so that a sender that had to wait continues on its receiver's path.
/// Interceptions of receives send acknowledgements, those of sends and completions collect them and explain their waiting by them.
class Acknowledgements {
 public:
  static constexpr std::int64_t min_bytes = 4096;  ///< every MPI sends smaller messages without waiting for their receiver

  Acknowledgements(const protocol::MpiOptions& options, PathLedger& ledger, Propagation& propagation)
      : options_(options), ledger_(ledger), propagation_(propagation) {}

  /// Tells the sender of a message of `bytes` (an upper limit, if the message hasn't come yet) that its receiver is there.
  void send(Channel& channel, int source, std::int64_t bytes);
  /// Takes the acknowledgements that have come, after every few messages of `bytes` that are acknowledged. If they were left to MPI, each
  /// further message would be compared with all of them.
  void collect(std::int64_t bytes);
  /// Explains why a send took `surplus` longer than messages do, by continuing on the path of a receiver for which it may have waited.
  /// Returns the seconds without explanation; 0 where kernels are skipped, because waiting times then mean nothing. `is_expected` says
  /// that a receiver has probably acknowledged the message.
  Seconds explain_wait(Seconds surplus, bool is_expected = true);

 private:
  /// Returns whether acknowledgements are sent: not where kernels are skipped. There, while its sender waits for a moment, a receiver may have
  /// skipped kernels that the program executes long after the message. A path that continued from there would count the work of both twice.
  [[nodiscard]] bool in_full() const noexcept { return options_.policy == selective::Policy::full; }

  const protocol::MpiOptions& options_;
  PathLedger& ledger_;
  Propagation& propagation_;
  std::optional<Arrival> collected_;  ///< the one with the longest path of those that were collected
  std::uint32_t messages_ = 0;        ///< number of messages that are acknowledged
};

}  // namespace flopcast::preload::mpi
