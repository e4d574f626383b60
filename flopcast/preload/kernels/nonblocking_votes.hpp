#pragma once

#include <cstdint>

namespace flopcast::preload::mpi {

/// Decides which nonblocking collectives of a communicator are skipped. They must begin without waiting for other processes, so the latest
/// blocking collective's agreement decides. All processes begin the collectives of a communicator in the same order, and therefore decide
/// alike. Kinds of collectives share 64 bits by their hash. A collective is skipped if no process wants any kind with its bit executed.
class NonblockingVotes {
 public:
  /// Sets whether this process wants the kind of collective with this hash executed from now on.
  void vote(std::uint64_t kind, bool execute) noexcept { wanted_ = execute ? wanted_ | place(kind) : wanted_ & ~place(kind); }
  /// Returns the wishes for the agreement in a blocking collective; initially all bits are set.
  [[nodiscard]] std::uint64_t wanted() const noexcept { return wanted_; }
  /// Sets the result of the agreement.
  void agree(std::uint64_t wanted) noexcept { agreed_ = wanted; }
  [[nodiscard]] bool executes(std::uint64_t kind) const noexcept { return (agreed_ & place(kind)) != 0; }

 private:
  static std::uint64_t place(std::uint64_t kind) noexcept { return std::uint64_t{1} << (kind % 64); }

  std::uint64_t wanted_ = ~std::uint64_t{0};
  std::uint64_t agreed_ = ~std::uint64_t{0};
};

}  // namespace flopcast::preload::mpi
