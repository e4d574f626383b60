#include <gmock/gmock.h>

#include <string>

#include "flopcast/program/ilaenv_source.hpp"
#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"

namespace flopcast::program {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SavedTuning tuned(std::string routine, std::string flags = "") {
  SavedTuning tuning;
  tuning.environment.cpu = "a CPU";
  tuning.set({std::move(routine), std::move(flags), {{200, 400, {24, 2, 96}, {}, 0, false}}});
  return tuning;
}

TEST(IlaenvSource, HasThePointsInBothLanguages) {
  EXPECT_THAT(ilaenv_source(tuned("dgeqrf"), SourceLanguage::fortran).text,
              AllOf(HasSubstr("case ('DGEQRF')"), HasSubstr("call point(200, 400, 24, 2, 96)"), HasSubstr("are_large(20000.00d0)")));
  EXPECT_THAT(ilaenv_source(tuned("dgeqrf"), SourceLanguage::c).text,
              AllOf(HasSubstr("is_query(query, \"DGEQRF          \", \"\")"), HasSubstr("point(query, 200, 400, 24, 2, 96);"),
                    HasSubstr("are_large(query, 20000.00)")));
}

TEST(IlaenvSource, LeavesOutRoutinesThatPassAnothersName) {
  SavedTuning tuning = tuned("dgeqp3");
  tuning.set(tuned("dpotrf", "L").routines[0]);
  const IlaenvSource source = ilaenv_source(tuning, SourceLanguage::c);
  EXPECT_THAT(source.routines, ElementsAre("dpotrf:L"));
  EXPECT_THAT(source.left_out, ElementsAre("dgeqp3"));
  EXPECT_THAT(source.text, AllOf(HasSubstr("\"DPOTRF          \", \"L\""), Not(HasSubstr("DGEQP3"))));
}

TEST(IlaenvSource, RefusesTuningFilesWithoutRoutinesThatIlaenvCanAnswerFor) {
  EXPECT_THROW(ilaenv_source(SavedTuning{}, SourceLanguage::c), Error);
  EXPECT_THROW(ilaenv_source(tuned("dgeqp3"), SourceLanguage::c), Error);
}

TEST(IlaenvSource, NothingInATuningEndsAStringOrAComment) {
  EXPECT_THAT(tests::message_of([] { ilaenv_source(tuned("dgeqrf", "'"), SourceLanguage::fortran); }), HasSubstr("letters and digits"));
  SavedTuning tuning = tuned("dgeqrf");
  tuning.environment.cpu = "*/ int main() {}\nend function";
  EXPECT_THAT(ilaenv_source(tuning, SourceLanguage::c).text, HasSubstr("CPU:      / int main() {} end function\n"));
}

}  // namespace
}  // namespace flopcast::program
