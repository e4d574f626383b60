#include "flopcast/contract/prediction/access_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t element = 8, line = 64;
constexpr std::int64_t limit = 983'040 * element;  // Peise et al. 2015: 5/4 of 6 MB

/// The example of Peise, Fabregat-Traver and Bientinesi, On the Performance Prediction of BLAS-based Tensor Contractions (2015): a = b = c = 400, i = 8.
Contraction example() { return make_contraction(parse_notation("abc=ai,ibc"), {{'a', 400}, {'b', 400}, {'c', 400}, {'i', 8}}); }

/// An algorithm's kernel and queries about its access history.
struct Subject {
  Contraction contraction;
  Algorithm algorithm;
  Node tree;
  std::vector<std::size_t> path;

  Subject(const std::string& name, Contraction given)
      : contraction(std::move(given)),
        algorithm(find_algorithm(name, generate(contraction))),
        tree(syntax_tree(algorithm, contraction)),
        path(path_to(tree, NodeKind::kernel)) {}

  [[nodiscard]] std::vector<OperandHistory> histories(std::size_t first_of = 0) const {
    return contract::histories(tree, path, contraction, line, first_of);
  }
  /// Returns the distances of A, B and C in elements.
  [[nodiscard]] std::vector<std::int64_t> distances(std::size_t first_of = 0) const {
    std::vector<std::int64_t> all;
    for (const OperandHistory& history : histories(first_of)) {
      all.push_back(history.distance_bytes / element);
    }
    return all;
  }
  /// Returns the setup list in the paper's notation: letters of operands, and numbers of elements of other memory.
  [[nodiscard]] std::vector<std::string> setup(SetupOptions options, std::size_t first_of = 0) const {
    options.limit_bytes = limit;
    const std::vector<OperandHistory> known = histories(first_of);
    std::vector<std::string> words;
    for (const SetupAccess& access : setup_list(known, options)) {
      if (access.operand < 0) {
        words.push_back(std::to_string(access.bytes / element));
      } else {
        words.emplace_back(1, letter(known[static_cast<std::size_t>(access.operand)].slice.operand));
      }
    }
    return words;
  }
};

TEST(AccessHistory, Examples3To6OfThePaper) {
  const Subject subject("ca-gemv", example());
  EXPECT_THAT(subject.distances(), ElementsAre(166'400, 0, 65'283'200));
  EXPECT_EQ(subject.histories()[0].bytes / element, 8);
  EXPECT_EQ(subject.histories()[1].bytes / element, 3'200);
  EXPECT_EQ(subject.histories()[2].bytes / element, 400);
  EXPECT_THAT(subject.setup({.prefetching = false}), ElementsAre("816632", "A", "163200", "B"));
}

TEST(AccessHistory, Example6BeforeItIsCut) {
  const Subject subject("ca-gemv", example());
  const std::vector<SetupAccess> all = setup_list(subject.histories(), {.limit_bytes = std::int64_t{1} << 40, .prefetching = false});
  EXPECT_THAT(all, ElementsAre(SetupAccess{2, 400 * element, false}, SetupAccess{-1, 65'116'792 * element, false},
                               SetupAccess{0, 8 * element, false}, SetupAccess{-1, 163'200 * element, false},
                               SetupAccess{1, 3'200 * element, false}));
}

TEST(AccessHistory, Example7FindsPrefetching) {
  const std::vector<OperandHistory> all = Subject("bi-ger", example()).histories();
  EXPECT_TRUE(all[0].prefetched) << "the next column of A follows in memory";
  EXPECT_FALSE(all[0].shares_lines);
  EXPECT_EQ(all[0].prefetch_bytes, line) << "one line of a column of 400";
  EXPECT_TRUE(all[1].prefetched) << "rows of B share lines";
  EXPECT_TRUE(all[1].shares_lines);
  EXPECT_TRUE(all[1].is_wholly_prefetched());
  EXPECT_FALSE(all[2].prefetched);
  EXPECT_EQ(all[2].distance_bytes, 0);
}

TEST(AccessHistory, Example8NeedsNoSetup) {
  const Subject subject("ca-gemv", example());
  const std::vector<OperandHistory> all = subject.histories();
  EXPECT_TRUE(all[0].is_wholly_prefetched());
  EXPECT_FALSE(all[1].prefetched);
  EXPECT_TRUE(all[2].is_wholly_prefetched());
  EXPECT_EQ(all[0].prefetch_distance_bytes, 0);
  EXPECT_EQ(all[2].prefetch_distance_bytes, 0);
  EXPECT_THAT(subject.setup({}), IsEmpty());
}

TEST(AccessHistory, Example9DropsPrefetching) {
  const Subject subject("ca-gemv", example());
  EXPECT_THAT(subject.setup({.prefetching_fails = true}), ElementsAre("816632", "A", "163200", "B"));
}

TEST(AccessHistory, Example10FirstIterations) {
  const Subject subject("ci-ger", example());
  EXPECT_THAT(subject.distances(), ElementsAre(3'200 + 3'200 + 160'000, 3'200 + 1'280'000 + 64'000'000, 0)) << "in the middle of the loop";
  EXPECT_THAT(subject.distances(1), ElementsAre(3'200 + 3'200 + 160'000, 65'283'200, 65'283'200));
  EXPECT_FALSE(subject.histories(1)[0].prefetched);
  EXPECT_FALSE(subject.histories(1)[1].prefetched);
}

TEST(AccessHistory, CopiesCount) {
  const Contraction contraction =
      make_contraction(parse_notation("abc=ija,jbic"), {{'a', 100}, {'b', 100}, {'c', 100}, {'i', 8}, {'j', 8}});
  const Subject inner("ci'-gemm", contraction);
  EXPECT_EQ(inner.distances()[0], 0) << "the buffer was just filled";
  EXPECT_TRUE(inner.histories()[0].slice.buffer);
  // since the previous kernel call, A[i,:,:] was read and the buffer was written, both 8 x 100
  EXPECT_EQ(inner.distances()[2], 800 + 800);
  const Subject outer("i'c-gemm", contraction);
  EXPECT_EQ(outer.distances()[0], 0) << "the buffer stays the same from one c to the next";
  EXPECT_EQ(outer.distances()[2], 800 + 800 + 80'000 + 1'000'000) << "touched: A[i,:,:] and its buffer, B[:,:,i,:], C";
}

}  // namespace
}  // namespace flopcast::contract
