#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"
#include "tests/tasks/reporting/contents.hpp"

namespace flopcast {
namespace {

using report::Trust;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::contents;

path::Costs costs(Seconds computation, Seconds communication, Seconds idle) {
  path::Costs costs;
  costs.time = computation + communication + idle;
  costs.computation = computation;
  costs.communication = communication;
  costs.idle = idle;
  return costs;
}

MpiProfile mpi_profile() {
  MpiProfile profile;
  profile.mpi = "Open MPI";
  profile.ranks = 2;
  profile.elapsed = 10;
  profile.critical_path = costs(6, 3, 1);
  MpiKernel kernel;
  kernel.name = "dgemm m=64";
  kernel.routine = "dgemm";
  kernel.along = {12, 0.25, 0, 3};
  profile.kernels = {kernel};
  for (int rank = 0; rank < 2; ++rank) {
    MpiProcess process;
    process.rank = rank;
    process.own = costs(rank == 0 ? 6 : 2, 2, 2);
    profile.processes.push_back(process);
  }
  return profile;
}

TEST(MpiProfileContents, TellThePathAndTheProcesses) {
  const PageContents page = contents(mpi_profile());
  EXPECT_THAT(page.question, HasSubstr("2 processes"));
  EXPECT_THAT(page.answer, AllOf(HasSubstr("10.0 s"), HasSubstr("60.0 % computation"), HasSubstr("10.0 % waiting")));
  EXPECT_EQ(tests::bars(page).bars.at(0).text, "3.00 s, 12 executions");
  const report::Strips& strips = tests::strips(page, 1);
  EXPECT_EQ(strips.series, (std::vector<std::string>{"computation", "communication", "waiting"}));
  EXPECT_EQ(strips.strips.at(1).label, "rank 1");
  EXPECT_EQ(strips.end, 10);
  MpiProfile incomplete = mpi_profile();
  incomplete.path_complete = false;
  EXPECT_THAT(contents(incomplete).warnings, ::testing::Contains(HasSubstr("incomplete")));
}

TEST(MpiProfileContents, DrawTheKernelsThatTakeLongest) {
  MpiProfile profile = mpi_profile();
  for (int i = 1; i <= 20; ++i) {
    profile.kernels.push_back(profile.kernels.front());
    profile.kernels.back().name = "dgemm m=" + std::to_string(i);
    profile.kernels.back().along.seconds = 10 + i;
  }
  const PageContents page = contents(profile);
  const report::BarChart& chart = tests::bars(page);
  ASSERT_EQ(chart.bars.size(), 16);
  EXPECT_EQ(chart.bars.front().label, "dgemm m=20");
  EXPECT_EQ(chart.bars.back().label, "dgemm m=5");
}

TEST(MpiProfileContents, TellWhatIsLostAndWhoWaited) {
  MpiProfile lossy = mpi_profile();
  lossy.own_code = 2;
  lossy.efficiencies = pop_efficiencies({6, 2}, 10, 8);
  lossy.waits = {{1, 0, MpiWaitKind::late_sender, "MPI_Recv", "", "", 3, 1.5}};
  MpiTimeline timeline;
  timeline.bin = 5;
  timeline.processes = {{0, {0.5, 1}, {0.25, 0}, {0.25, 0}, {0, 0}, {0.9, 0.1}}};
  lossy.timeline = timeline;
  const PageContents page = contents(lossy);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("parallel efficiency is 40.0 %"), HasSubstr("uneven computation"),
                                 HasSubstr("rank 1 in MPI_Recv, 1.50 s for rank 0")));
  EXPECT_EQ(page.steps.at(0).text, "Find out why rank 0 is late: rank 1 waits 1.50 s for it in MPI_Recv.");
  EXPECT_EQ(page.steps.at(1).command, "flopcast mpi tune SPACE.json");
  EXPECT_EQ(tests::bars(page).bars.back().label, "own code");
  EXPECT_EQ(std::get<report::BarChart>(page.pictures.at(2)).bars.at(1).text, "66.7 %");
  const report::Strips& strips = tests::strips(page, 3);
  EXPECT_EQ(strips.strips.at(0).on_path, (std::vector<bool>{true, false}));
  EXPECT_EQ(strips.strips[0].bins.at(0), (std::vector<double>{0.5, 0.25, 0, 0.25}));
  EXPECT_EQ(strips.end, 10);
}

MpiConfiguration configuration(const std::string& nb, Seconds predicted, MpiVerdict verdict) {
  MpiConfiguration one;
  one.setting = {{"nb", nb}};
  one.predicted = predicted;
  one.half_width = 0.1;
  one.verdict = verdict;
  return one;
}

TEST(MpiTuningContents, DrawConfigurationsByTheirTimes) {
  MpiTuning tuning;
  tuning.name = "tile-qr";
  tuning.configurations = {configuration("32", 2, MpiVerdict::slower), configuration("64", 1, MpiVerdict::chosen),
                           configuration("96", 1.05, MpiVerdict::tie)};
  const PageContents page = contents(tuning);
  EXPECT_EQ(page.answer, "nb=64 is the fastest: 1.00 s (900 ms to 1.10 s). Configurations that tie with it: 1.");
  const report::BarChart& chart = tests::bars(page);
  EXPECT_EQ(chart.bars.at(0).label, "nb=64");
  EXPECT_TRUE(chart.bars[0].reference);
  EXPECT_NEAR(chart.bars[2].range->low, 1.9, 1e-12);
  tuning.cores_of_others = 1;
  EXPECT_EQ(contents(tuning).trust, Trust::noisy);
  EXPECT_THAT(contents(MpiTuning()).answer, HasSubstr("No configuration"));
  tuning.configurations[1].verdict = MpiVerdict::undecided;
  EXPECT_EQ(contents(tuning).steps.at(0).command, "flopcast mpi tune SPACE.json --confirm auto");
}

TEST(SimulationContents, DrawTimeByProcesses) {
  MpiSimulation simulation;
  simulation.platform = "cluster.xml";
  for (const auto& [ranks, seconds] : {std::pair(4, 8.0), std::pair(8, 5.0)}) {
    SimulatedRun run;
    run.ranks = ranks;
    run.seconds = seconds;
    run.critical_path = costs(seconds - 1, 1, 0);
    simulation.runs.push_back(run);
  }
  simulation.failures = {{16, "out of memory", 4}};
  const PageContents page = contents(simulation);
  EXPECT_THAT(page.answer, AllOf(HasSubstr("8 is the fastest: 5.00 s"), HasSubstr("1.60 times faster")));
  EXPECT_THAT(page.warnings, ::testing::ElementsAre("16 processes failed: out of memory"));
  const report::Figure& figure = tests::figure(page);
  EXPECT_EQ(figure.series.at(0).y, (std::vector<double>{8, 5}));
  EXPECT_EQ(figure.series.at(3).y, (std::vector<double>{8, 4})) << "ideal";
  EXPECT_EQ(page.steps.at(0).command, "mpirun -n 8 flopcast mpi run -- COMMAND");
  MpiTimeline timeline;
  timeline.bin = 5;
  timeline.processes = {{0, {1}, {0}, {0}, {0}, {1}}};
  simulation.runs[1].timeline = timeline;
  simulation.runs[1].waits = {{1, 0, MpiWaitKind::late_sender, "MPI_Recv", "", "", 3, 1.5}};
  EXPECT_EQ(tests::strips(contents(simulation), 1).end, 5);
  EXPECT_THAT(contents(simulation).answer, HasSubstr("rank 1 in MPI_Recv, 1.50 s for rank 0"));
}

}  // namespace
}  // namespace flopcast
