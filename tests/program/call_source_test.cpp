#include "flopcast/program/call_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

SourceCall at_addresses(const std::string& text) {
  SourceCall source;
  source.call = kernel::expand_calls(text).front();
  std::uintptr_t next = std::uintptr_t{1} << 40U;
  for (const Operand& operand : operands(source.call)) {
    source.call.arguments[operand.argument] = static_cast<std::int64_t>(next += (std::uintptr_t{1} << 32U) + 8);
  }
  return source;
}

TEST(CallSource, OperandsHaveSeedsPlacesAndPatterns) {
  SourceCall source = at_addresses("dtrsv uplo=L n=4 lda=4");
  source.seed = 2;
  source.remark = "A remark.";
  EXPECT_THAT(case_text(source, 7), AllOf(HasSubstr(".\n   A remark. */"), HasSubstr("blocks_7[] = {{128, 8}, {32, 16}, {0, 0}}"),
                                          HasSubstr(".seed = 3970U"), HasSubstr("FORTRAN(dtrsv)(\"L\", ")));
  source.pattern_of = [](const Call&, const Operand&) { return kernel::FillPattern{.scale = NAN}; };
  EXPECT_THAT(case_text(source, 7), HasSubstr(".scale = NAN, .seed"));
}

TEST(CallSource, EachRoutineIsDeclaredOnce) {
  const std::array calls = {at_addresses("ddot n=4"), at_addresses("ddot n=5")};
  const std::string text = declarations(calls, 8);
  EXPECT_THAT(text, AllOf(HasSubstr("typedef int64_t INTEGER;"), HasSubstr("extern double FORTRAN(ddot)(")));
  EXPECT_EQ(text.find("FORTRAN(ddot)"), text.rfind("FORTRAN(ddot)"));
}

TEST(CallSource, TextFromFilesEndsNoComment) { EXPECT_EQ(harmless("a*/\"b\\\n"), "a / b  "); }

}  // namespace
}  // namespace flopcast::program
