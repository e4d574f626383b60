#pragma once

#include <cstdint>
#include <span>

#include "flopcast/preload/mpi/kernel_decisions.hpp"
#include "flopcast/preload/mpi/path_ledger.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/skipping.hpp"
#include "flopcast/protocol/mpi_options.hpp"

namespace flopcast::preload::mpi {

/// The exchange of paths: writes this process's piggyback messages and its parts in agreements, and takes those of other processes.
/// With the paths travel counts of kernels (policy online), times of kernels (policy eager), and whether data are the program's.
/// Interceptions of messages and collectives use it.
class Propagation {
 public:
  Propagation(const protocol::MpiOptions& options, KernelDecisions& kernels, PathLedger& ledger, Skipping& skipping)
      : options_(options), kernels_(kernels), ledger_(ledger), skipping_(skipping) {}

  /// Returns the envelope of one of flopcast's messages.
  [[nodiscard]] Envelope envelope(std::int64_t bytes, int tag, bool skipped) const noexcept {
    const int marks = (skipped ? Envelope::itself : 0) | (skipping_.has_skipped() ? Envelope::before : 0);
    return {.bytes = bytes, .tag = tag, .skipped = static_cast<std::int8_t>(marks), .epoch = static_cast<std::int16_t>(skipping_.epoch())};
  }
  /// Returns the counts to send with a piggyback message; none unless policy is online.
  [[nodiscard]] selective::KernelCounts counts() const;
  /// Returns this process's part in an agreement; `channel` is given for a blocking collective on it.
  [[nodiscard]] Agreement agreement(bool execute, const Channel* channel = nullptr) const;

  /// Continues on a path that leads here, if the path is longer than this process's and isn't from before a reset.
  void follow(const Arrival& arrival) {
    skipping_.note_elsewhere(arrival.skipped != 0, arrival.epoch);
    follow(arrival.mark, arrival.epoch, arrival.counts);
  }
  void follow(const Agreement& agreement) {
    skipping_.note_elsewhere(agreement.skipped != 0, agreement.epoch);
    follow(agreement.mark, agreement.epoch, {});
  }
  /// Continues on the path of a blocking collective's agreement, in which all processes of `channel` take part. The statistics that the
  /// policy propagates travel with it.
  void follow(const Agreement& agreement, Channel& channel);

 private:
  void follow(const path::PathMark& mark, std::int32_t epoch, std::span<const selective::KernelCount> counts);
  void take_counts(const Agreement& agreement, Channel& channel);
  void take_times(const Agreement& agreement, Channel& channel);

  const protocol::MpiOptions& options_;
  KernelDecisions& kernels_;
  PathLedger& ledger_;
  Skipping& skipping_;
};

}  // namespace flopcast::preload::mpi
