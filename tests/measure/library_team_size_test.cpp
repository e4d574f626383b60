#include "flopcast/measure/library_team_size.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "tests/measure/fake_services.hpp"

namespace flopcast::measure {
namespace {

/// Computes for `nanoseconds` of the thread's own CPU time, however busy the machine is.
void compute(long nanoseconds) {
  timespec begin{};
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_nsec - begin.tv_nsec + 1'000'000'000 * (now.tv_sec - begin.tv_sec) < nanoseconds);
}

constexpr long work = 5'000'000;  // nanoseconds; starting a thread takes a fraction of that, under a sanitizer too
void serial_routine() { compute(work); }
void threaded_routine() {
  std::thread helper(compute, work);
  compute(work);
  helper.join();
}

double team_of(void (*routine)()) {
  SessionServices services;
  services.find = [routine](std::string_view) { return reinterpret_cast<kernel::Function>(routine); };
  services.set_threads = [](int) {};
  services.wall = {[] {
                     timespec now{};
                     clock_gettime(CLOCK_MONOTONIC, &now);
                     return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
                   },
                   1e-9, 0};
  Call call = kernel::parse_call(kernel::require("dscal"), {{"n", "10"}, {"alpha", "0.5"}});
  call.threads = 2;
  return team_size(call, {}, services, {.spinning = 0, .duration = 0.05});
}

TEST(LibraryTeamSize, IsOneWhereOnlyTheCallerComputes) { EXPECT_NEAR(team_of(serial_routine), 1, 0.1); }

TEST(LibraryTeamSize, IsTwoWhereAnotherThreadComputesAsMuch) { EXPECT_NEAR(team_of(threaded_routine), 2, 0.3); }

}  // namespace
}  // namespace flopcast::measure
