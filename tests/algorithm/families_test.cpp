#include "flopcast/algorithm/families.hpp"

#include <gmock/gmock.h>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

std::vector<std::string> names(const FamilyRoutine& family) {
  std::vector<std::string> all;
  for (const Algorithm* variant : family.variants) {
    all.push_back(variant->variant);
  }
  return all;
}

TEST(Families, AreKnownByNameAndByRoutine) {
  EXPECT_EQ(find_family("cholesky").routine->name, "dpotrf");
  EXPECT_EQ(find_family("Cholesky", Precision::s).routine->name, "spotrf");
  EXPECT_EQ(find_family("zpotrf").name(), "cholesky");
  EXPECT_EQ(find_family("triangular-inverse").routine->name, "dtrtri");
  EXPECT_EQ(find_family("sygst", Precision::z).routine->name, "zhegst");
  EXPECT_EQ(find_family("dpotri").name(), "dpotri") << "a routine without a family of its own";
}

TEST(Families, KeepVariantsThatComputeSomethingElseApart) {
  EXPECT_THAT(names(find_family("lu")), testing::ElementsAre("3", "4", "5", "recursive"));
  EXPECT_THAT(names(find_family("dgetrf")), testing::ElementsAre("3", "4", "5", "recursive"));
  EXPECT_THAT(names(find_family("lu-nopivot")), testing::ElementsAre("nopivot-1", "nopivot-2", "nopivot-3", "nopivot-4", "nopivot-5"));
  EXPECT_FALSE(find_family("lu-nopivot").is_lapacks());
  EXPECT_TRUE(find_family("lu").is_lapacks());
}

TEST(Families, EachHasVariantsAndLapacksAmongThem) {
  for (const Family& family : families()) {
    const FamilyRoutine found = find_family(family.name);
    EXPECT_GT(found.variants.size(), 1U) << family.name;
    const bool has_default = std::any_of(found.variants.begin(), found.variants.end(), [](const Algorithm* a) { return a->is_default; });
    EXPECT_EQ(has_default, family.is_lapacks) << family.name;
  }
}

TEST(Families, LeaveOutVariantsThatSolveAnotherProblem) {
  const auto variants = [](const char* itype) {
    const FamilyRoutine family = find_family("sygst");
    return names(applicable(family, kernel::parse_call(*family.routine, {{"n", "10"}, {"itype", itype}})));
  };
  EXPECT_THAT(variants("1"), testing::ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(variants("2"), testing::ElementsAre("5"));
  FamilyRoutine none = find_family("sygst");
  none.variants.resize(1);
  EXPECT_THAT(names(applicable(none, kernel::parse_call(*none.routine, {{"n", "10"}, {"itype", "2"}}))), testing::ElementsAre("1"))
      << "running the family reports the reason";
}

TEST(Families, UnknownOnesGetASuggestion) {
  try {
    find_family("cholesy");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean cholesky"));
  }
  EXPECT_THROW(find_family("dgemm"), Error);
}

}  // namespace
}  // namespace flopcast::algorithm
