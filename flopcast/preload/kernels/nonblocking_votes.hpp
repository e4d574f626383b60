#pragma once

#include <cstdint>

namespace flopcast::interpose::mpi {

/// Which nonblocking collectives of a communicator are left out. Their beginning must not wait for a word from anybody, so it goes by what
/// was agreed in the last blocking collective before: all processes begin the collectives of a communicator in one order and so find the
/// same. Kinds of collectives share 64 places by their hash; one is left out where nobody has wanted any of its place executed.
class NonblockingVotes {
 public:
  /// What this process wants of the kind of collective with this hash from now on.
  void vote(std::uint64_t kind, bool execute) noexcept { wanted_ = execute ? wanted_ | place(kind) : wanted_ & ~place(kind); }
  /// For the agreement in a blocking collective: at first all.
  [[nodiscard]] std::uint64_t wanted() const noexcept { return wanted_; }
  /// What came of it.
  void agree(std::uint64_t wanted) noexcept { agreed_ = wanted; }
  [[nodiscard]] bool executes(std::uint64_t kind) const noexcept { return (agreed_ & place(kind)) != 0; }

 private:
  static std::uint64_t place(std::uint64_t kind) noexcept { return std::uint64_t{1} << (kind % 64); }

  std::uint64_t wanted_ = ~std::uint64_t{0};
  std::uint64_t agreed_ = ~std::uint64_t{0};
};

}  // namespace flopcast::interpose::mpi
