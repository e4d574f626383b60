#include "flopcast/measure/turn.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/own_folder.hpp"

namespace flopcast::measure {
namespace {

/// Locks belong to open files, so that two turns of one process behave as those of two processes.
class Turns : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return (folder_.path() / "turn").string(); }
  static bool keep_waiting() {
    std::this_thread::yield();
    return true;
  }
  static bool give_up() { return false; }
  tests::OwnFolder folder_;
};

TEST_F(Turns, AreHadByOneAtATime) {
  Turn one(file()), other(file());
  EXPECT_TRUE(one.take(give_up));
  EXPECT_FALSE(other.take(give_up));
  EXPECT_FALSE(one.is_wanted()) << "the other one gave up";
  one.end();
  EXPECT_TRUE(other.take(give_up));
  EXPECT_FALSE(one.take(give_up));
}

/// The second one asks while the first one measures, and the first one asks again: the second one comes first.
TEST_F(Turns, ComeInTheOrderOfAsking) {
  Turn first(file()), second(file());
  ASSERT_TRUE(first.take(give_up));
  std::atomic<bool> had = false, may_end = false;
  std::thread waiting([&] {
    second.take(keep_waiting);
    had = true;
    while (!may_end) {
      std::this_thread::yield();
    }
    second.end();
  });
  while (!first.is_wanted()) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(had);
  first.end();
  may_end = true;
  EXPECT_TRUE(first.take(keep_waiting));
  EXPECT_TRUE(had);
  waiting.join();
}

TEST_F(Turns, AreHadAtOnceWhereTheFileCantBeOpened) {
  Turn one("/nowhere/turn"), other("/nowhere/turn");
  EXPECT_TRUE(one.take(give_up));
  EXPECT_TRUE(other.take(give_up));
  EXPECT_FALSE(one.is_wanted());
}

}  // namespace
}  // namespace flopcast::measure
