#include "flopcast/tasks/programs/own_code.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/tasks/programs/recorded_in_memory.hpp"

namespace flopcast::tests {
namespace {

using program::ProbedPlace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ProbedPlace python(Seconds seconds, const std::string& where, const std::string& subscripts = "") {
  return {seconds, where, 0, "", subscripts};
}

std::vector<std::string> no_lines(const std::string&, const std::vector<std::uint64_t>&) { return {}; }

std::vector<std::string> texts(const std::vector<OwnCodePlace>& places) {
  std::vector<std::string> all;
  for (const OwnCodePlace& place : places) {
    all.push_back(place.where);
  }
  return all;
}

TEST(OwnCode, PlacesOfAllProcessesAreSummedAndSorted) {
  const std::vector<ProbedPlace> probed = {python(10, "a.py:3 in f"), python(20, "a.py:7 in f"), python(25, "a.py:3 in f"),
                                           python(1, "a.py:9 in f")};
  const std::vector<OwnCodePlace> places = own_code_places(probed, no_lines);
  EXPECT_THAT(texts(places), ElementsAre("a.py:3 in f", "a.py:7 in f")) << "line 9 has less than 2 %";
  EXPECT_DOUBLE_EQ(places[0].seconds, 35);
  EXPECT_DOUBLE_EQ(probed_seconds(probed), 56);
}

TEST(OwnCode, MachineCodeHasItsFunctionAsFarAsItIsKnown) {
  const std::vector<ProbedPlace> probed = {
      {30, "/opt/solve", 1, "", ""}, {20, "/opt/solve", 2, "", ""}, {5, "/opt/solve", 3, "", ""}, {10, "/lib/libm.so.6", 4, "exp", ""}};
  const auto lines = [](const std::string& file, const std::vector<std::uint64_t>&) {
    return file == "/opt/solve" ? std::vector<std::string>{"assemble (a.c:5)", "assemble (a.c:5)", ""} : std::vector<std::string>();
  };
  EXPECT_THAT(texts(own_code_places(probed, lines)), ElementsAre("assemble (a.c:5) in solve", "exp in libm.so.6", "solve"));
  EXPECT_THAT(texts(own_code_places(probed, no_lines)), ElementsAre("solve", "exp in libm.so.6"));
  EXPECT_THAT(own_code_places({}, no_lines), IsEmpty());
}

TEST(OwnCode, AMatrixProductOfEinsumIsOneThatBlasComputes) {
  for (const char* subscripts : {"ij,jk->ik", "ij,jk", "bij,bjk->bik", "abij,cdab,ic->dj", "ki,kj->ij", "...ij,...jk->...ik"}) {
    const auto finding = contraction_finding({python(100, "a.py:3 in f", subscripts), python(50, "a.py:4 in f")});
    ASSERT_TRUE(finding) << subscripts;
    EXPECT_DOUBLE_EQ(finding->gain.high, 100);
    EXPECT_EQ(finding->gain.low, 0);
    EXPECT_THAT(finding->evidence, HasSubstr(std::string("einsum('") + subscripts + "')"));
    EXPECT_THAT(finding->evidence, HasSubstr("a.py:3"));
  }
  for (const char* subscripts : {"", "ij,ij->ij", "ii->i", "ij->ji", "i,i->", "ij,j->i", "i,j->ij", "<array>", "ij,"}) {
    EXPECT_FALSE(contraction_finding({python(100, "a.py:3 in f", subscripts)})) << subscripts;
  }
}

class EinsumFindings : public RecordedInMemory {};

TEST_F(EinsumFindings, AreFoundWhereTheyTakeANoticeableTime) {
  add(20, 500, 0.01);
  trace_.summary.probed = {python(0.02, "a.py:3 in f", "ij,jk->ik")};
  const std::vector<Finding> findings = recorded_findings(facts());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].cause, FindingCause::contraction_without_blas);
  trace_.summary.seconds = 100;
  EXPECT_THAT(recorded_findings(facts()), IsEmpty());
}

}  // namespace
}  // namespace flopcast::tests
