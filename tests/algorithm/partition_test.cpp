#include "flopcast/algorithm/partition.hpp"

#include <gmock/gmock.h>

namespace flopcast::algorithm {

void PrintTo(const Range& range, std::ostream* stream) { *stream << "[" << range.begin << ", +" << range.size << ")"; }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Cuts, GoDownInBlocksFromTheTop) {
  EXPECT_THAT(cuts(7, 3, Direction::down),
              ElementsAre(Cut{Range{0, 0}, Range{0, 3}, Range{3, 4}}, Cut{Range{0, 3}, Range{3, 3}, Range{6, 1}},
                          Cut{Range{0, 6}, Range{6, 1}, Range{7, 0}}));
}

TEST(Cuts, GoUpThroughTheSameBlocks) {
  EXPECT_THAT(cuts(7, 4, Direction::up),
              ElementsAre(Cut{Range{0, 4}, Range{4, 3}, Range{7, 0}}, Cut{Range{0, 0}, Range{0, 4}, Range{4, 3}}));
}

TEST(Cuts, SeenFromTheEndGoTheOtherWayWithBeforeAndAfterExchanged) {
  EXPECT_THAT(cuts(7, 4, Direction::up, SeenFrom::end),
              ElementsAre(Cut{Range{4, 3}, Range{0, 4}, Range{0, 0}}, Cut{Range{7, 0}, Range{4, 3}, Range{0, 4}}));
}

TEST(Cuts, AreEmptyForSizeZero) { EXPECT_THAT(cuts(0, 4, Direction::down), IsEmpty()); }

TEST(Cuts, OfLessThanABlockAreOne) { EXPECT_THAT(cuts(3, 4, Direction::up), ElementsAre(Cut{Range{0, 0}, Range{0, 3}, Range{3, 0}})); }

TEST(Halves, AreMultiplesOfEightWhereThatIsNotFarOff) {
  EXPECT_EQ(first_half(2), 1);
  EXPECT_EQ(first_half(15), 7);
  EXPECT_EQ(first_half(16), 8);
  EXPECT_EQ(first_half(50), 24);
  EXPECT_EQ(first_half(100), 48);
}

TEST(Halves, SeenFromTheEndBeginAtTheBottom) {
  const auto [first, second] = divide({10, 5}, 2, SeenFrom::end);
  EXPECT_EQ(first, (Range{12, 3}));
  EXPECT_EQ(second, (Range{10, 2}));
}

}  // namespace
}  // namespace flopcast::algorithm
