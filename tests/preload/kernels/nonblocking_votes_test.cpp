#include "flopcast/preload/kernels/nonblocking_votes.hpp"

#include <gtest/gtest.h>

namespace flopcast::preload::mpi {
namespace {

constexpr std::uint64_t reduction = 7;
constexpr std::uint64_t broadcast = 64 + 8;

TEST(NonblockingVotes, NothingIsLeftOutBeforeAnAgreement) {
  NonblockingVotes votes;
  votes.vote(reduction, false);
  EXPECT_TRUE(votes.executes(reduction));
}

TEST(NonblockingVotes, UnwantedCollectivesAreLeftOutUntilAProcessWantsThem) {
  NonblockingVotes one;
  NonblockingVotes other;
  one.vote(reduction, false);
  other.vote(reduction, false);
  one.vote(broadcast, false);
  for (NonblockingVotes* each : {&one, &other}) {
    each->agree(one.wanted() | other.wanted());
    EXPECT_FALSE(each->executes(reduction));
    EXPECT_TRUE(each->executes(broadcast)) << "the other hasn't met it";
  }
  one.vote(reduction, true);
  EXPECT_FALSE(one.executes(reduction)) << "it holds from the next agreement on";
  one.agree(one.wanted() | other.wanted());
  EXPECT_TRUE(one.executes(reduction));
}

}  // namespace
}  // namespace flopcast::preload::mpi
