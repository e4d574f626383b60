#include "flopcast/predict/call_signature.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace flopcast::prediction {
namespace {

TEST(IdTable, CountsInOrderOfFirstUse) {
  IdTable table;
  const std::vector<std::uint64_t> a = {1, 2}, b = {1}, c = {};
  EXPECT_EQ(table.id(a), std::pair(std::size_t{0}, true));
  EXPECT_EQ(table.id(b), std::pair(std::size_t{1}, true));
  EXPECT_EQ(table.id(c), std::pair(std::size_t{2}, true));
  EXPECT_EQ(table.id(b), std::pair(std::size_t{1}, false));
  EXPECT_EQ(table.size(), 3U);
}

TEST(IdTable, AgreesWithAMap) {
  std::mt19937_64 random(3);
  IdTable table;
  std::map<std::vector<std::uint64_t>, std::size_t> naive;
  for (int i = 0; i < 20000; ++i) {
    const std::vector<std::uint64_t> words = {random() % 40, random() % 40, random() % 3};
    const auto [at, is_new] = naive.try_emplace(words, naive.size());
    ASSERT_EQ(table.id(words), std::pair(at->second, is_new));
  }
}

}  // namespace
}  // namespace flopcast::prediction
