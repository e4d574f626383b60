#include "flopcast/preload/mpi/path_ledger.hpp"

#include <gtest/gtest.h>

#include <vector>

extern "C" void flopcast_test_pass(double seconds);

namespace flopcast::preload::mpi {
namespace {

constexpr Seconds few_readings = 1e-7;  ///< a reading of the clock for tests takes a nanosecond

/// Kernels and a path on their own, with the clock for tests (test_clock.cpp).
class PathLedgers : public testing::Test {
 protected:
  PathLedgers() {
    clock_.choose(false);
    kernels_.messages = {1e-3, 1e6};  // a message of 1000 bytes takes 2 ms
    kernels_.begin(0, 4);
    ledger_.begin(0);
    clock_.return_to_program();
  }
  /// Returns the number of a region's or routine's kernel.
  std::uint32_t kernel(std::uint32_t number, selective::KernelKind kind = selective::KernelKind::computation) {
    return kernels_.table.number({kind, number, {100}});
  }
  /// Lets the program compute for some seconds, and then call the library.
  void compute(Seconds seconds) {
    flopcast_test_pass(seconds);
    ledger_.leave_program();
  }

  protocol::MpiOptions options_{.policy = selective::Policy::conditional, .windows = false};
  Skipping skipping_;
  SessionClock clock_;
  KernelDecisions kernels_{options_, skipping_};
  PathLedger ledger_{kernels_, clock_};
};

TEST_F(PathLedgers, TheProgramsOwnCodeIsComputation) {
  compute(2);
  EXPECT_NEAR(ledger_.path().length(), 2, few_readings);
  EXPECT_NEAR(ledger_.path().along().computation, 2, few_readings);
  EXPECT_NEAR(ledger_.spent().program, 2, few_readings);
}

TEST_F(PathLedgers, UntimedPollsAreNoComputation) {
  for (int timed = 0; timed < 2; ++timed) {
    compute(0);
    ledger_.polling().note_vain_call();
    flopcast_test_pass(1);
    ledger_.return_to_program();
    ledger_.end_call(true);
  }
  ASSERT_TRUE(ledger_.polling().goes_untimed());
  flopcast_test_pass(1);
  compute(2);
  EXPECT_NEAR(ledger_.path().along().computation, 2, few_readings);
  EXPECT_NEAR(ledger_.polling().seconds(), 3, few_readings);
}

TEST_F(PathLedgers, AnExecutedKernelCountsItsTimeAndFlops) {
  const std::uint32_t product = kernel(7);
  kernels_.table[product].flops = 1000;
  compute(0);
  flopcast_test_pass(0.5);  // decides about the kernel
  ledger_.executed(product, selective::Cause::window, clock_.now(), 3);
  EXPECT_NEAR(ledger_.path().length(), 3, few_readings);
  EXPECT_EQ(ledger_.path().along().flops, 1000);
  EXPECT_EQ(kernels_.table[product].executed.count, 1);
  EXPECT_EQ(ledger_.spent().window, 3);
  EXPECT_NEAR(ledger_.spent().preparing, 0.5, few_readings);
  EXPECT_FALSE(skipping_.has_skipped());
}

TEST_F(PathLedgers, ASkippedKernelCountsItsEstimate) {
  const std::uint32_t product = kernel(7);
  ledger_.executed(product, selective::Cause::unseen, clock_.now(), 3);
  ledger_.skipped(product);
  EXPECT_NEAR(ledger_.path().length(), 6, few_readings);
  EXPECT_EQ(kernels_.table[product].skipped, 1);
  EXPECT_TRUE(skipping_.has_skipped());
}

TEST_F(PathLedgers, ACommunicationCountsWordsAndTimeWithoutCause) {
  ledger_.executed({Routine::bcast, 800, 4, 1, path::Pattern::broadcast}, 3e-3, 1e-3);
  const path::Costs& costs = ledger_.path().along();
  EXPECT_NEAR(costs.time, 4e-3, 1e-12);
  EXPECT_NEAR(costs.communication, 3e-3, 1e-12);
  EXPECT_NEAR(costs.idle, 1e-3, 1e-12);
  EXPECT_EQ(costs.words, 100);
  EXPECT_EQ(costs.supersteps, 1);
  EXPECT_EQ(ledger_.spent().messages, 3e-3);
}

TEST_F(PathLedgers, ASkippedCommunicationThatWasNeverExecutedTakesTheModelsTime) {
  const Communication message = {Routine::recv, 1000, 2, 1};
  ledger_.skipped(message);
  EXPECT_NEAR(ledger_.path().length(), 2e-3, 1e-12);
  ledger_.executed(message, 3e-3);
  EXPECT_NEAR(kernels_.estimate(message), 3e-3, 1e-12);
  EXPECT_EQ(ledger_.spent().messages, 3e-3) << "only what was executed";
}

TEST_F(PathLedgers, WithCpuTimeTheModelGivesTheTimesOfMessages) {
  clock_.choose(true);
  ledger_.executed({Routine::send, 1000, 2, 1}, 99, 77);
  EXPECT_NEAR(ledger_.path().length(), 2e-3, 1e-12);
  ledger_.begun({Routine::isend, 1000, 2, 1}, 99);
  EXPECT_NEAR(ledger_.path().length(), 3e-3, 1e-12) << "the call alone takes the latency";
  ledger_.waited(5);
  ledger_.waited_on_path(5);
  EXPECT_EQ(ledger_.path().own().idle, 0);
}

TEST_F(PathLedgers, WaitingIsOnThePathOnlyWithoutAKnownCause) {
  ledger_.waited(5);
  EXPECT_EQ(ledger_.path().length(), 0);
  ledger_.waited_on_path(2);
  EXPECT_EQ(ledger_.path().length(), 2);
  EXPECT_EQ(ledger_.spent().waiting, 7);
  EXPECT_EQ(ledger_.idle([] {
    flopcast_test_pass(1);
    return 42;
  }),
            42);
  EXPECT_NEAR(ledger_.spent().waiting, 8, few_readings);
  EXPECT_EQ(ledger_.path().length(), 2);
}

TEST_F(PathLedgers, NothingCountsWhileTheProgramIsNotMeasured) {
  ledger_.measure(false);
  compute(2);
  ledger_.executed({Routine::send, 1000, 2, 1}, 1);
  ledger_.waited_on_path(1);
  EXPECT_TRUE(ledger_.wants_execution(kernel(7)));
  EXPECT_EQ(ledger_.path().length(), 0);
  EXPECT_EQ(ledger_.spent().program, 0);
  EXPECT_EQ(ledger_.spent().messages, 0);
}

TEST_F(PathLedgers, ARegionsCodeIsItsKernel) {
  const std::uint32_t region = kernel(3, selective::KernelKind::region);
  compute(1);
  ASSERT_TRUE(ledger_.enter_region(region, false));
  clock_.return_to_program();
  compute(3);
  static_cast<void>(ledger_.path_to_send());  // a message from inside of the region
  clock_.return_to_program();
  compute(1);
  ASSERT_TRUE(ledger_.region().leave());
  ledger_.leave_region();
  EXPECT_NEAR(ledger_.path().length(), 5, few_readings);
  EXPECT_NEAR(kernels_.table[region].executed.mean, 4, few_readings);
  EXPECT_NEAR(ledger_.spent().program, 1, few_readings);
  EXPECT_NEAR(ledger_.spent().always, 4, few_readings);
  std::vector<path::EventLog::Step> steps;
  const path::EventLog& log = ledger_.path().log();
  static_cast<void>(log.walk(log.position(), [&steps](const path::EventLog::Step& step) { steps.push_back(step); }));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].kernel, region);
  EXPECT_FALSE(steps[0].is_part);
  EXPECT_NEAR(steps[0].seconds, 1, 1e-6);
  EXPECT_EQ(steps[1].kernel, region);
  EXPECT_TRUE(steps[1].is_part);
  EXPECT_NEAR(steps[1].seconds, 3, 1e-6);
  EXPECT_EQ(steps[2].kernel, path::EventLog::own_code);
  EXPECT_NEAR(ledger_.region_loads().front().useful, 4, few_readings);
}

TEST_F(PathLedgers, KernelsOfCommunicationDifferByBytesAndCommunicator) {
  const Communication message = {Routine::send, 1000, 2, 1};
  Communication longer = message, wider = message, farther = message;
  longer.bytes = 2000;
  wider.processes = 3;
  farther.stride = 2;
  const std::uint32_t number = kernels_.number(message);
  EXPECT_NE(kernels_.number(longer), number);
  EXPECT_NE(kernels_.number(wider), number);
  EXPECT_NE(kernels_.number(farther), number);
  EXPECT_EQ(kernels_.number(message), number);
}

}  // namespace
}  // namespace flopcast::preload::mpi
