#include "flopcast/tasks/programs/scale.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"
#include "tests/tasks/programs/fake_what_if.hpp"

namespace flopcast::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

/// Predicts programs in memory with libraries whose models expect n seconds of a dpotrf.
class Scale : public ::testing::Test {
 protected:
  Scale() {
    place_.blas = "slow";
    place_.threads = 1;
    services_.open = [this](const machine::LibraryChoice& libraries, bool) {
      EXPECT_EQ(libraries.blas, "slow");
      return std::make_unique<FakeLibraries>(libraries, SpeedModels(1), FakeTuning(), log_);
    };
    services_.require_usable = [](const WhatIf&, const machine::LibraryChoice&) {};
    services_.is_here = [this](const program::RecordedPlace&) { return is_here_; };
  }

  /// Adds a call to the recording for n.
  void call(std::int64_t n, std::int64_t order, Seconds seconds, std::size_t thread = 0) {
    program::ProgramTrace& trace = traces_[n];
    trace.summary.finished = true;
    trace.summary.loaded = 1;
    trace.summary.names = {"dpotrf"};
    while (trace.events.size() <= thread) {
      trace.summary.threads.push_back({1, static_cast<std::uint32_t>(1 + trace.events.size())});
      trace.events.emplace_back();
    }
    program::ProgramEvent event;
    event.call = kernel::call("dpotrf", {'L', order, 0x100000, order});
    event.start = trace.events[thread].empty() ? 0 : trace.events[thread].back().start + trace.events[thread].back().seconds;
    event.seconds = seconds;
    trace.events[thread].push_back(event);
    calls_[n] = std::max(calls_[n], event.start + seconds);
  }

  ScaledProgram to(std::int64_t parameter) {
    programs_.clear();
    std::vector<program::ParameterRecording> recordings;
    for (auto& [n, trace] : traces_) {
      trace.summary.seconds = calls_[n] + own_(static_cast<double>(n));
      programs_.push_back(std::make_unique<program::ProgramInMemory>(trace));
      recordings.insert(recordings.begin(), {n, programs_.back().get()});  // not in order
    }
    ScaleRequest request;
    request.to = parameter;
    return scale_runs(recordings, place_, request, services_, {});
  }

  std::map<std::int64_t, program::ProgramTrace> traces_;
  std::map<std::int64_t, Seconds> calls_;
  std::function<Seconds(double n)> own_ = [](double n) { return 3 + 1e-6 * n * n; };
  program::RecordedPlace place_;
  WhatIfServices services_;
  ServicesLog log_;
  bool is_here_ = true;

 private:
  std::vector<std::unique_ptr<program::ProgramInMemory>> programs_;
};

TEST_F(Scale, AddsTheModelsTimeOfTheCallsAndTheOwnCodes) {
  for (const std::int64_t n : {500, 1000, 2000}) {
    for (int i = 0; i < 10; ++i) {
      call(n, n / 2, static_cast<double>(n));  // twice what the models expect
    }
  }
  const ScaledProgram scaled = to(8000);
  EXPECT_NEAR(scaled.call_seconds, 80'000, 1);
  EXPECT_NEAR(scaled.own_code_seconds, 67, 0.1);
  EXPECT_NEAR(scaled.seconds, 80'067, 1);
  EXPECT_NEAR(scaled.own_code_share, 67.0 / 80'067, 1e-5);
  EXPECT_THAT(scaled.seconds, AllOf(Ge(scaled.interval.low), Le(scaled.interval.high)));
  ASSERT_THAT(scaled.kernels, SizeIs(1));
  EXPECT_EQ(scaled.kernels[0].sizes, "n=n/2");
  EXPECT_EQ(scaled.kernels[0].calls, 10);
  EXPECT_EQ(scaled.kernels[0].extrapolated_share, 1);
  EXPECT_EQ(scaled.recordings.front().parameter, 500);
  EXPECT_THAT(scaled.place, HasSubstr("slow"));
  EXPECT_EQ(scaled_program_from_json(to_json(scaled)), scaled);
}

TEST_F(Scale, RefusesAnotherMachinesRecordings) {
  is_here_ = false;
  for (const std::int64_t n : {500, 1000, 2000}) {
    call(n, n, 1);
  }
  EXPECT_THAT(message_of([&] { to(8000); }), HasSubstr("another machine"));
}

TEST_F(Scale, CountsThreadsThatCallAtOnceOnce) {
  for (const std::int64_t n : {500, 1000, 2000}) {
    call(n, n, static_cast<double>(n), 0);
    call(n, n, static_cast<double>(n), 1);
  }
  EXPECT_NEAR(to(8000).call_seconds, 8000, 1);
}

TEST_F(Scale, PutsSmallCallsWithoutGrowthAside) {
  for (const std::int64_t n : {500, 1000, 2000}) {
    call(n, n, static_cast<double>(n));
    traces_[n].summary.names = {"dpotrf"};
  }
  program::ProgramEvent upper = traces_[2000].events[0].back();
  upper.call.arguments[0] = 'U';
  upper.seconds = 1;
  traces_[2000].events[0].push_back(upper);
  EXPECT_THAT(to(8000).remarks, ElementsAre(HasSubstr("own code")));
  traces_[2000].events[0].back().seconds = 500;
  calls_[2000] = 2500;
  EXPECT_THAT(message_of([&] { to(8000); }),
              AllOf(HasSubstr("dpotrf (U) takes 500 s"), HasSubstr("500, 1000"), HasSubstr("agree with no growth")));
}

TEST_F(Scale, RefusesRecordingsThatSayNothing) {
  call(500, 500, 1);
  call(1000, 1000, 1);
  EXPECT_THAT(message_of([&] { to(8000); }), HasSubstr("2 values of the parameter given"));
  call(2000, 2000, 1);
  traces_[1000].summary.exit_code = 1;
  EXPECT_THAT(message_of([&] { to(8000); }), HasSubstr("exit code"));
  traces_[1000].summary.exit_code = 0;
  traces_[2000].summary.finished = false;
  EXPECT_THAT(message_of([&] { to(8000); }), HasSubstr("has no end"));
  traces_[2000].summary.dry_run = true;
  EXPECT_THAT(message_of([&] { to(8000); }), HasSubstr("dry run"));
}

TEST_F(Scale, PredictsMemoryThatAllRecordingsHave) {
  for (const std::int64_t n : {500, 1000, 2000}) {
    call(n, n, 1);
    traces_[n].summary.resident_bytes = 50'000'000 + 24 * n * n;
  }
  const ScaledProgram scaled = to(8000);
  ASSERT_TRUE(scaled.resident_bytes);
  EXPECT_NEAR(static_cast<double>(*scaled.resident_bytes), 50e6 + 24 * 64e6, 1e6);
  EXPECT_THAT(scaled.resident_interval->low, Le(0.97 * (50e6 + 24 * 64e6))) << "equal runs differ by 2 %";
  EXPECT_THAT(scaled.resident_interval->high, Ge(1.03 * (50e6 + 24 * 64e6)));
  EXPECT_EQ(scaled.recordings.front().resident_bytes, 56'000'000);
  EXPECT_EQ(scaled_program_from_json(to_json(scaled)), scaled);
  traces_[500].summary.resident_bytes = 0;
  EXPECT_FALSE(to(8000).resident_bytes);
}

TEST_F(Scale, PredictsAProgramWithoutCalls) {
  for (const std::int64_t n : {500, 1000, 2000}) {
    call(n, n, 1);
    traces_[n].events[0].clear();
    calls_[n] = 0;
  }
  const ScaledProgram scaled = to(8000);
  EXPECT_NEAR(scaled.seconds, 67, 0.1);
  EXPECT_EQ(scaled.own_code_share, 1);
  EXPECT_THAT(scaled.kernels, IsEmpty());
  for (auto& [n, trace] : traces_) {
    trace.summary.exit_code = 1;
  }
  EXPECT_THAT(to(8000).remarks, Contains(HasSubstr("ended with exit code 1")));
}

}  // namespace
}  // namespace flopcast::tests
