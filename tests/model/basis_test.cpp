#include "flopcast/core/kernel_model.hpp"
#include "flopcast/model/model_json.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Call call_of(const char* routine, std::string_view flags = "") {
  Call call;
  call.routine = &kernel::require(routine);
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::flag) {
      call.arguments[i] = next < flags.size() ? flags[next++] : argument.values.front();
    } else if (argument.kind == Kind::increment || argument.kind == Kind::sign) {
      call.arguments[i] = 1;
    } else if (argument.kind == Kind::leading_dimension) {
      call.arguments[i] = 4096;
    }
  }
  return call;
}

std::vector<std::string> words(const std::vector<Monomial>& monomials, const std::string& names) {
  std::vector<std::string> all;
  for (const Monomial& monomial : monomials) {
    std::string word;
    for (std::size_t d = 0; d < names.size(); ++d) {
      word += std::string(monomial[d], names[d]);
    }
    all.push_back(word.empty() ? "1" : word);
  }
  return all;
}

Box cube(std::size_t dimensions) { return {Sizes(dimensions, 8), Sizes(dimensions, 1024)}; }

TEST(Basis, TotalAndTensorHaveTheKnownNumbersOfMonomials) {
  EXPECT_EQ(total_basis(1, 3).size(), 4U);
  EXPECT_EQ(total_basis(2, 3).size(), 10U);
  EXPECT_EQ(total_basis(3, 3).size(), 20U);
  EXPECT_EQ(tensor_basis(2, 3).size(), 16U);
  EXPECT_EQ(tensor_basis(3, 3).size(), 64U);
  EXPECT_THAT(words(total_basis(2, 2), "mn"), ElementsAre("1", "m", "n", "mm", "mn", "nn"));
}

TEST(Basis, AdaptedToGemmIsTheProductsOfItsSizes) {
  EXPECT_THAT(words(adapted_basis(call_of("dgemm"), cube(3)), "mnk"), UnorderedElementsAre("1", "m", "n", "k", "mn", "mk", "nk", "mnk"));
}

TEST(Basis, AdaptedToTrsmDependsOnTheSide) {
  EXPECT_THAT(words(adapted_basis(call_of("dtrsm", "LLNU"), cube(2)), "mn"), UnorderedElementsAre("1", "m", "n", "mm", "mn", "mmn"));
  EXPECT_THAT(words(adapted_basis(call_of("dtrsm", "RLNU"), cube(2)), "mn"), UnorderedElementsAre("1", "m", "n", "nn", "mn", "mnn"));
}

TEST(Basis, AdaptedToGerHasItsComplexity) {
  EXPECT_THAT(words(adapted_basis(call_of("dger"), cube(2)), "mn"), UnorderedElementsAre("1", "m", "n", "mn"));
}

TEST(Basis, AdaptedToVectorsIsLinear) { EXPECT_THAT(words(adapted_basis(call_of("daxpy"), cube(1)), "n"), ElementsAre("1", "n")); }

TEST(Basis, AdaptedToACopyCountsItsBytes) { EXPECT_THAT(words(adapted_basis(call_of("dcopy"), cube(1)), "n"), ElementsAre("1", "n")); }

TEST(Basis, DivisorsOfAPiecewisePolynomialAreThoseOfAllPieces) {
  const auto function = [](std::span<const std::int64_t> x) {
    const auto m = static_cast<double>(x[0]);
    const auto n = static_cast<double>(x[1]);
    return m * n * std::min(m, n);
  };
  EXPECT_THAT(words(divisors(function, cube(2)), "mn"), UnorderedElementsAre("1", "m", "n", "mn", "mm", "nn", "mmn", "mnn"));
}

TEST(Basis, DivisorsAreFoundInLargeSizesWithFractions) {
  const auto function = [](std::span<const std::int64_t> x) {
    const auto m = static_cast<double>(x[0]);
    const auto n = static_cast<double>(x[1]);
    return 2 * m * n * n - 2.0 / 3 * n * n * n + 5.0 / 3;
  };
  const Box domain{{1000, 1000}, {20000, 20000}};
  EXPECT_THAT(words(divisors(function, domain), "mn"), UnorderedElementsAre("1", "m", "n", "mn", "nn", "mnn", "nnn"));
}

TEST(Basis, FixedSizesHaveNoMonomials) {
  const Box domain{{8, 8, 64}, {1024, 1024, 64}};
  EXPECT_THAT(words(adapted_basis(call_of("dgemm"), domain), "mnk"), UnorderedElementsAre("1", "m", "n", "mn"));
}

TEST(Basis, IsClosedUnderDivision) {
  for (const char* routine : {"dgemm", "dsyrk", "dtrmm", "dgemv", "dgeqr2", "dpotf2", "dlarft", "dlarfb"}) {
    const Call call = call_of(routine);
    const std::size_t dimensions = sizes(call).size();
    const std::vector<Monomial> all = adapted_basis(call, cube(dimensions));
    for (Monomial monomial : all) {
      for (std::size_t d = 0; d < dimensions; ++d) {
        if (monomial[d] > 0) {
          Monomial divisor = monomial;
          --divisor[d];
          EXPECT_NE(std::find(all.begin(), all.end(), divisor), all.end()) << routine;
        }
      }
    }
  }
}

TEST(Basis, RefusesUnsupportedDegreesAndDimensions) {
  EXPECT_THROW(total_basis(2, highest_degree + 1), Error);
  EXPECT_THROW(total_basis(0, 3), Error);
  EXPECT_THROW(tensor_basis(max_sizes + 1, 1), Error);
  EXPECT_THROW(nlohmann::json("cubic").get<BasisKind>(), MemberError);
  EXPECT_EQ(nlohmann::json("adapted").get<BasisKind>(), BasisKind::adapted);
}

}  // namespace
}  // namespace flopcast::model
