#include "flopcast/contract/algorithms/algorithm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Contraction cubes(const std::string& text, Order order = Order::column_major) {
  const Notation notation = parse_notation(text);
  Extents extents;
  for (const char index : notation.a + notation.b) {
    extents[index] = 10;
  }
  return make_contraction(notation, extents, Precision::d, order);
}

std::vector<std::string> names(const std::string& text, BlasKernel kernel, Order order = Order::column_major) {
  std::vector<std::string> all;
  for (const Algorithm& algorithm : generate(cubes(text, order), std::vector{kernel})) {
    all.push_back(algorithm.name());
  }
  return all;
}

std::vector<std::size_t> counts(const std::string& text) {
  std::vector<std::size_t> all;
  for (const BlasKernel kernel : {BlasKernel::dot, BlasKernel::axpy, BlasKernel::gemv, BlasKernel::ger, BlasKernel::gemm}) {
    all.push_back(generate(cubes(text), std::vector{kernel}).size());
  }
  return all;
}

TEST(Generate, GivesThePapersThreeContractions) {
  EXPECT_THAT(counts("abc=ai,ibc"), ElementsAre(6, 18, 6, 4, 2));
  EXPECT_THAT(counts("a=iaj,ji"), ElementsAre(4, 2, 2, 0, 0));
  EXPECT_THAT(counts("abc=ija,jbic"), ElementsAre(48, 72, 36, 12, 8));
  EXPECT_EQ(generate(cubes("abc=ija,jbic")).size(), 176U);
  EXPECT_EQ(algorithm_count(cubes("abc=ija,jbic")), 176);
}

TEST(Generate, NamesAlgorithmsAsThePaperDoes) {
  EXPECT_THAT(names("abc=ai,ibc", BlasKernel::gemv),
              UnorderedElementsAre("bc-gemv", "cb-gemv", "ac-gemv", "ca-gemv", "ab-gemv", "ba-gemv"));
  EXPECT_THAT(names("abc=ai,ibc", BlasKernel::ger), UnorderedElementsAre("ci-ger", "ic-ger", "bi-ger", "ib-ger"));
  EXPECT_THAT(names("abc=ai,ibc", BlasKernel::gemm), UnorderedElementsAre("c-gemm", "b-gemm"));
  EXPECT_THAT(names("a=iaj,ji", BlasKernel::dot), UnorderedElementsAre("aj-dot", "ja-dot", "ai-dot", "ia-dot"));
  EXPECT_THAT(names("a=iaj,ji", BlasKernel::axpy), UnorderedElementsAre("ij-axpy", "ji-axpy"));
  EXPECT_THAT(names("a=iaj,ji", BlasKernel::gemv), UnorderedElementsAre("j-gemv", "i'-gemv"));
  EXPECT_THAT(names("abc=ija,jbic", BlasKernel::gemm),
              UnorderedElementsAre("cj'-gemm", "jc'-gemm", "ci'-gemm", "i'c-gemm", "bj'-gemm", "jb'-gemm", "bi'-gemm", "i'b-gemm"));
}

TEST(Generate, FindsAlgorithmsThatThePaperLacks) {
  EXPECT_THAT(names("ab=ai,ib", BlasKernel::gemm), ElementsAre("gemm"));
  EXPECT_THAT(counts("=a,a"), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(counts("ab=a,b"), ElementsAre(0, 2, 0, 1, 0));
  EXPECT_THAT(counts("a=a,a"), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(counts("=,"), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(counts("nab=nai,nib"), ElementsAre(6, 12, 4, 2, 1));
  EXPECT_THAT(names("nab=nai,nib", BlasKernel::gemm), ElementsAre("n'''-gemm")) << "the batch index comes first in all three tensors";
  EXPECT_THAT(names("abn=ain,ibn", BlasKernel::gemm), ElementsAre("n-gemm"));
  EXPECT_THAT(names("nab=nai,nib", BlasKernel::gemm, Order::row_major), ElementsAre("n-gemm"));
  EXPECT_EQ(generate(cubes("abcdef=dega,gfbc"), std::vector{BlasKernel::gemm}).size(), 3U * 3U * 24U);
  EXPECT_EQ(generate(cubes("abcdef=dega,gfbc")).size(), 7056U);
}

TEST(Generate, NamesEveryAlgorithmDifferently) {
  for (const char* text : {"abc=ija,jbic", "abcd=aebf,dfce", "nab=nai,nib"}) {
    std::set<std::string> seen;
    const std::vector<Algorithm> all = generate(cubes(text));
    for (const Algorithm& algorithm : all) {
      EXPECT_TRUE(seen.insert(algorithm.name()).second) << algorithm.name();
    }
    EXPECT_EQ(static_cast<double>(all.size()), algorithm_count(cubes(text)));
  }
}

TEST(Generate, RefusesTooMany) {
  EXPECT_THROW(generate(cubes("abcdefgh=abcdxy,xyefgh")), Error);
  EXPECT_THROW(generate(make_contraction(parse_notation("ab=ai,ib"), {{'a', 2}, {'b', 2}, {'i', 2}}, Precision::d, Order::column_major,
                                         {{{-1, 2}, {}, {}}})),
               Error);
}

TEST(FindAlgorithm, SuggestsTheNearest) {
  const std::vector<Algorithm> all = generate(cubes("abc=ija,jbic"));
  EXPECT_EQ(find_algorithm("i'c-gemm", all).loops, "ic");
  try {
    find_algorithm("ic-gemm", all);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("i'c-gemm"));
  }
}

TEST(RequireCallable, RefusesStridesThatBlasCannotExpress) {
  constexpr std::int64_t far = std::int64_t{3} << 30;
  const Notation notation = parse_notation("ab=ai,ib");
  const Contraction contraction =
      make_contraction(notation, {{'a', 4}, {'b', 4}, {'i', 4}}, Precision::d, Order::column_major, {{{1, far}, {}, {}}});
  int refused = 0;
  for (const Algorithm& algorithm : generate(contraction)) {
    const bool is_along_a = algorithm.kernel_indices.find('i') == std::string::npos;  // dot, gemv and gemm step from one i to the next
    if (is_along_a) {
      EXPECT_NO_THROW(require_callable(algorithm, contraction)) << algorithm.name();
    } else {
      EXPECT_THROW(require_callable(algorithm, contraction), Error) << algorithm.name();
      ++refused;
    }
  }
  EXPECT_GT(refused, 2);
}

}  // namespace
}  // namespace flopcast::contract
