#include "flopcast/tasks/roofline/gemm_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Shapes that take their index plus one in milliseconds, on a clock that only they advance; states are kept in memory.
class FakeStudyMachine : public StudyMachine {
 public:
  Seconds now() override { return now_; }
  roofline::GemmSetup setup(const GemmSearchStudyRequest& request, int threads) override {
    roofline::GemmSetup setup;
    setup.library = request.blas;
    setup.threads = threads;
    setup.settings = {{"CORETYPE", "Zen"}};
    return setup;
  }
  std::string key(const roofline::GemmSetup& setup, const GemmSearchStudyRequest&) override { return std::to_string(setup.threads); }
  std::optional<roofline::StudyState> kept(const std::string& key, std::size_t) override {
    const auto found = kept_.find(key);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string& key, const roofline::StudyState& state) override { kept_[key] = state; }
  search::Invocation invocation(const roofline::GemmSetup&, const roofline::GemmSpace&) override {
    return [this](std::size_t i) -> search::Iteration {
      ++invocations_;
      return [this, i] { return cost(i); };
    };
  }
  search::Evaluator evaluator(const roofline::GemmSetup&, const roofline::GemmSpace&) override {
    return search::Evaluator([this](std::size_t i) { return cost(i); });
  }

  Seconds now_ = 0;
  int invocations_ = 0;
  std::map<std::string, roofline::StudyState> kept_;

 private:
  Seconds cost(std::size_t i) {
    const Seconds seconds = 1e-3 * static_cast<double>(i + 1);
    now_ += seconds;
    return seconds;
  }
};

GemmSearchStudyRequest single(std::vector<int> threads) {
  GemmSearchStudyRequest request;
  request.blas = "fakeblas";
  request.threads = std::move(threads);
  request.space = roofline::gemm_space({64}, {64}, {32, 64, 128});
  request.options.techniques = {"Single", "race"};
  return request;
}

TEST(GemmSearchStudy, HasARowForEveryTechniqueAndNumberOfThreads) {
  FakeStudyMachine machine;
  const RooflineStudy study = study_gemm_searches(single({1, 2}), machine, {});
  EXPECT_TRUE(study.complete);
  ASSERT_EQ(study.studies.size(), 2U);
  EXPECT_EQ(study.studies[1].threads, 2);
  EXPECT_EQ(study.studies[1].library, "fakeblas");
  ASSERT_EQ(study.studies[0].rows.size(), 2U);
  EXPECT_EQ(study.studies[0].rows[0].leader, 0U) << "the first shape is the fastest";
  EXPECT_DOUBLE_EQ(study.studies[0].rows[0].of_best, 1);
  EXPECT_EQ(machine.kept_.size(), 2U);
  EXPECT_EQ(roofline_study_from_json(to_json(study)), study);
  EXPECT_EQ(tests::schema_violation(to_json(study), std::array{roofline_study_schema()}), "");
}

TEST(GemmSearchStudy, GoesOnWithAKeptStateUnlessItIsToBeginAnew) {
  FakeStudyMachine machine;
  std::vector<std::string> notes;
  RunContext context;
  context.note = [&notes](const std::string& text) { notes.push_back(text); };
  GemmSearchStudyRequest request = single({1});
  study_gemm_searches(request, machine, context);
  EXPECT_THAT(notes, IsEmpty());
  const int before = machine.invocations_;
  study_gemm_searches(request, machine, context);
  EXPECT_EQ(machine.invocations_, before) << "all of it is kept";
  EXPECT_THAT(notes, ElementsAre(HasSubstr("1 thread: going on with what was kept")));
  request.fresh = true;
  study_gemm_searches(request, machine, context);
  EXPECT_EQ(machine.invocations_, 2 * before);
}

TEST(GemmSearchStudy, SharesItsTimeAmongNumbersOfThreads) {
  FakeStudyMachine machine;
  GemmSearchStudyRequest request = single({1, 2});
  request.options.techniques = {"Default"};  // 200 iterations of 10 invocations, 12 s for the three shapes
  request.time_budget = 10;
  const RooflineStudy study = study_gemm_searches(request, machine, {});
  EXPECT_FALSE(study.complete);
  EXPECT_NEAR(machine.now_, 10, 1);
  EXPECT_GT(study.studies[1].state.runs.front().evaluations + static_cast<std::int64_t>(study.studies[1].rows.front().finished), 0);
}

TEST(GemmSearchStudy, ReturnsWhatIsThereWhenItIsCancelled) {
  FakeStudyMachine machine;
  RunContext context;
  context.cancelled = [&machine] { return machine.now_ > 1; };
  GemmSearchStudyRequest request = single({1});
  request.options.techniques = {"Default"};
  const RooflineStudy study = study_gemm_searches(request, machine, context);
  EXPECT_FALSE(study.complete);
  EXPECT_LT(machine.now_, 3);
  EXPECT_EQ(study.studies.front().rows.size(), 1U);
}

TEST(GemmSearchStudy, RefusesAnOrderThatNoTechniqueUses) {
  FakeStudyMachine machine;
  GemmSearchStudyRequest request = single({1});
  request.options.techniques = {"race"};
  request.options.order = search::Order::shuffled;
  EXPECT_THROW(study_gemm_searches(request, machine, {}), Error);
  request.options.techniques = {"luck"};
  EXPECT_THROW(study_gemm_searches(request, machine, {}), Error);
}

}  // namespace
}  // namespace flopcast
