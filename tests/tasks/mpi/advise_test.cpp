#include "flopcast/tasks/mpi/advise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using selective::Policy;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(GridsFor, TwoCoresOfTwoServeProcessesOrThreads) {
  EXPECT_THAT(grids_for(1000, 2, 2), ElementsAre(AdvisedGrid{1, 1, 2}, AdvisedGrid{1, 2, 1}, AdvisedGrid{2, 1, 1}, AdvisedGrid{1, 1, 1}));
}

TEST(GridsFor, ThreadsFitOnTheCoresOfThisMachine) {
  const std::vector<AdvisedGrid> grids = grids_for(1000, 16, 4);
  EXPECT_THAT(grids, Contains(AdvisedGrid{1, 1, 4}));
  EXPECT_THAT(grids, Contains(AdvisedGrid{1, 2, 2}));
  EXPECT_THAT(grids, Not(Contains(AdvisedGrid{2, 2, 4}))) << "16 busy cores can't be timed on 4";
  EXPECT_EQ(grids.front(), (AdvisedGrid{4, 4, 1})) << "all cores in a square";
}

TEST(GridsFor, CoresStayIdleWhereTheirNumberHasNoSquareGrid) {
  const std::vector<AdvisedGrid> grids = grids_for(1000, 13, 1);
  EXPECT_THAT(grids, Contains(AdvisedGrid{1, 13, 1}));
  EXPECT_THAT(grids, Contains(AdvisedGrid{3, 4, 1}));
}

TEST(GridsFor, AnyNumberOfCoresHasGridsThatFit) {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    for (const int n : {1, 2, 5, 1000}) {
      const std::vector<AdvisedGrid> grids = grids_for(n, ranks, 4);
      ASSERT_THAT(grids, Contains(AdvisedGrid{1, 1, 1}));
      for (const AdvisedGrid& each : grids) {
        EXPECT_LE(each.processes() * each.threads, ranks);
        EXPECT_LE(std::max(each.rows, each.columns), n);
        EXPECT_TRUE(each.threads == 1 || each.processes() * each.threads <= 4);
        EXPECT_EQ(std::count(grids.begin(), grids.end(), each), 1);
      }
    }
  }
}

TEST(BlockSizesFor, EveryProcessHasABlock) {
  EXPECT_THAT(block_sizes_for(100, {1, 2, 1}), ElementsAre("16", "32", "48"));
  EXPECT_THAT(block_sizes_for(10'000, {2, 2, 1}), ElementsAre("16", "32", "48", "64", "96", "128", "192", "256"));
  EXPECT_THAT(block_sizes_for(7, {2, 1, 1}), ElementsAre("3"));
}

/// A configuration as the tuner is asked for it.
struct Asked {
  std::string grid, nb, threads;
  Policy policy;
  protocol::MpiClock clock;
};

/// A machine of which a function says how long a configuration takes.
class MpiAdvice : public ::testing::Test {
 protected:
  using Machine = std::function<Seconds(const Asked&)>;

  MpiAdvice() {
    request_.routine = "pdgetrf";
    request_.n = 1000;
    request_.ranks = 2;
    services_.cores = 2;
    services_.memory_bytes = 1e9;
    services_.driver = "driver";
    services_.clock = [this] { return now_; };
    services_.loads = [this](const std::string& libraries) {
      libraries_ = libraries;
      return loads_;
    };
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    context_.cancelled = [this] { return is_cancelled_; };
  }

  MpiTuning advise(const Machine& machine) {
    services_.tune = [this, machine](const MpiTuneRequest& tuning, const RunContext&) { return tuned(tuning, machine); };
    services_.known = kept_.value_or(KeptAdvice());
    services_.keep = [this](const KeptAdvice* found) { kept_ = found != nullptr ? std::optional(*found) : std::nullopt; };
    return advise_mpi(request_, services_, context_);
  }

  /// Predicts with 1 % of error at most, and executes exactly.
  MpiTuning tuned(const MpiTuneRequest& tuning, const Machine& machine) {
    const search::ParameterSpace& space = tuning.space;
    spaces_.push_back(space);
    MpiTuning result;
    budget_ = tuning.time_budget;
    for (const std::string& nb : space.parameters.at(0).second) {
      Asked asked{space.command.at(5), nb, space.launcher.back().substr(space.launcher.back().find('=') + 1), tuning.policy, tuning.clock};
      asked_.push_back(asked);
      const Seconds seconds = machine(asked);
      now_ += seconds;
      if (cuts_ && seconds + spent_by(result) > budget_) {
        break;
      }
      MpiConfiguration configuration;
      configuration.setting = {{"nb", nb}};
      configuration.predicted = tuning.policy == Policy::full ? seconds : seconds * (1 + 0.008 * (asked_.size() % 2 == 0 ? 1 : -1));
      configuration.half_width = 0.02 * *configuration.predicted;
      configuration.coverage = 0.9;
      configuration.elapsed = seconds;
      result.configurations.push_back(configuration);
    }
    result.launches = 1;
    result.configurations.front().verdict = MpiVerdict::chosen;
    return result;
  }

  /// Returns the time of a tuning's configurations.
  static Seconds spent_by(const MpiTuning& tuning) {
    return std::accumulate(tuning.configurations.begin(), tuning.configurations.end(), 0.0,
                           [](Seconds sum, const MpiConfiguration& each) { return sum + each.elapsed; });
  }

  /// Forgets earlier advice.
  void restart() {
    now_ = 0;
    asked_.clear();
    notes_.clear();
    kept_.reset();
  }

  [[nodiscard]] std::size_t executed_in_full() const {
    return static_cast<std::size_t>(
        std::count_if(asked_.begin(), asked_.end(), [](const Asked& each) { return each.policy == Policy::full; }));
  }

  /// Returns the words that started a grid first.
  [[nodiscard]] std::vector<std::string> launcher_of(const std::string& grid, const std::string& threads) const {
    const auto found = std::find_if(spaces_.begin(), spaces_.end(), [&](const search::ParameterSpace& each) {
      return each.command.at(5) == grid && each.launcher.back() == "MKL_NUM_THREADS=" + threads;
    });
    return found != spaces_.end() ? found->launcher : std::vector<std::string>();
  }

  MpiAdviseRequest request_;
  AdviceServices services_;
  RunContext context_;
  std::vector<Asked> asked_;
  std::vector<std::string> notes_;
  std::vector<search::ParameterSpace> spaces_;
  std::string libraries_;
  std::optional<KeptAdvice> kept_;
  Seconds now_ = 0, budget_ = 0;
  bool loads_ = true, is_cancelled_ = false;
  bool cuts_ = false;  ///< a tuning ends with its time budget
};

/// Returns a machine on which (grid, nb, threads) is the best, and others take longer by 2 % and more.
std::function<Seconds(const Asked&)> best_at(const std::string& grid, int nb, const std::string& threads) {
  return [=](const Asked& each) {
    return 1 + (each.grid == grid ? 0 : 0.3) + (each.threads == threads ? 0 : 0.2) + 0.02 * std::abs(std::stoi(each.nb) - nb) / 16.0;
  };
}

TEST_F(MpiAdvice, TheBestOfAllIsChosenByFullExecutions) {
  for (const auto& [grid, nb, threads] :
       std::vector<std::tuple<std::string, int, std::string>>{{"1x2", 64, "1"}, {"2x1", 16, "1"}, {"1x1", 256, "2"}, {"1x1", 96, "1"}}) {
    asked_.clear();
    const MpiTuning advice = advise(best_at(grid, nb, threads));
    const search::Setting expected = {{"grid", grid}, {"nb", std::to_string(nb)}, {"threads", threads}};
    EXPECT_EQ(advice.best().setting, expected);
    EXPECT_TRUE(advice.best().finalist);
    EXPECT_THAT(advice.configurations, SizeIs(32));
    EXPECT_GT(executed_in_full(), 3);
    EXPECT_LE(executed_in_full(), 18) << "six at most, three times";
  }
}

TEST_F(MpiAdvice, ProcessesAreStartedWithTheirThreads) {
  static_cast<void>(advise(best_at("1x1", 64, "2")));
  EXPECT_EQ(spaces_.front().command.at(2), "pdgetrf");
  EXPECT_EQ(spaces_.front().command.at(3), "1000");
  EXPECT_THAT(launcher_of("1x1", "2"),
              AllOf(Contains("mpirun.openmpi"), Contains("OPENBLAS_NUM_THREADS=2"), Contains("OMP_NUM_THREADS=2")));
  EXPECT_THAT(launcher_of("1x1", "2"), Contains("OMPI_MCA_hwloc_base_binding_policy=none"))
      << "Open MPI binds a process with its threads to one core";
  EXPECT_THAT(libraries_, HasSubstr("libscalapack-openmpi.so"));
}

TEST_F(MpiAdvice, ALauncherOfTheUserIsTakenWithItsOptions) {
  request_.launcher = "srun  --exclusive";
  request_.library = "/opt/libscalapack.so";
  static_cast<void>(advise(best_at("1x2", 64, "1")));
  EXPECT_THAT(launcher_of("2x1", "1"), ElementsAre("srun", "--exclusive", "-n", "2", "env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
                                                   "BLIS_NUM_THREADS=1", "MKL_NUM_THREADS=1"));
  EXPECT_EQ(libraries_, "/opt/libscalapack.so");
}

TEST_F(MpiAdvice, MoreProcessesThanCoresCountByTheirCpuTime) {
  request_.ranks = 4;
  static_cast<void>(advise(best_at("2x2", 64, "1")));
  for (const Asked& each : asked_) {
    EXPECT_EQ(each.clock == protocol::MpiClock::cpu, each.threads == "1") << each.grid;
  }
  EXPECT_THAT(launcher_of("2x2", "1"), Contains("OMPI_MCA_rmaps_base_oversubscribe=1"));
}

TEST_F(MpiAdvice, IterationsAreAlwaysExecuted) {
  for (const char* routine : {"pdsyevd", "pdgesvd"}) {
    request_.routine = routine;
    static_cast<void>(advise(best_at("1x2", 32, "1")));
  }
  EXPECT_THAT(asked_, Each(::testing::Field(&Asked::policy, Policy::full)));
}

TEST_F(MpiAdvice, TheTimeBudgetEndsTheSearch) {
  request_.time_budget = 5;
  const MpiTuning advice = advise(best_at("1x2", 64, "1"));
  EXPECT_THAT(advice.configurations, SizeIs(8)) << "of the first grid";
  EXPECT_THAT(notes_, Contains(HasSubstr("left 24 configurations untried")));
  EXPECT_EQ(executed_in_full(), 0) << "nothing is launched once it is spent";
  EXPECT_THAT(notes_, Contains(HasSubstr("left 2 of the leading 2 configurations without an execution in full: predictions alone decide")));
  EXPECT_FALSE(advice.best().finalist);
}

TEST_F(MpiAdvice, EachTuningHasTheRestOfTheTimeBudget) {
  request_.time_budget = 100;
  std::vector<Seconds> left;
  static_cast<void>(advise([&](const Asked& asked) {
    if (asked.nb == "16" && asked.policy == Policy::local) {
      EXPECT_NEAR(budget_, 100 - now_, 1e-9);
      left.push_back(budget_);
    }
    return 1.0;
  }));
  EXPECT_THAT(left, SizeIs(4)) << "one for each grid";
  EXPECT_LT(left.back(), left.front());
}

TEST_F(MpiAdvice, ConfigurationsThatATuningLeftOutAreUntried) {
  request_.time_budget = 4;
  cuts_ = true;
  const MpiTuning advice = advise(best_at("1x2", 64, "1"));
  EXPECT_THAT(advice.configurations, SizeIs(2)) << "each takes 1.5 s, so that the third isn't over within 4 s";
  EXPECT_THAT(notes_, Contains(HasSubstr("left 30 configurations untried")));
}

TEST_F(MpiAdvice, PredictionsAloneDecideUnlessAllLeadingConfigurationsWereExecuted) {
  const auto machine = best_at("1x2", 64, "1");
  const MpiTuning all = advise(machine);
  std::size_t before = 0;
  while (asked_.at(before).policy != Policy::full) {
    ++before;
  }
  const Seconds predicting = std::accumulate(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(before), 0.0,
                                             [&](Seconds sum, const Asked& each) { return sum + machine(each); });
  restart();
  request_.time_budget = predicting + 1.5;  // enough for two of the leading ones
  const MpiTuning advice = advise(machine);
  EXPECT_EQ(executed_in_full(), 2);
  EXPECT_TRUE(std::none_of(advice.configurations.begin(), advice.configurations.end(), [](const auto& each) { return each.finalist; }));
  EXPECT_THAT(notes_, Contains(HasSubstr("predictions alone decide. Run it again to go on")));
  ASSERT_TRUE(kept_.has_value());
  EXPECT_THAT(kept_->executed.configurations, SizeIs(2));
}

TEST_F(MpiAdvice, AnotherRunGoesOn) {
  const auto machine = best_at("1x2", 64, "1");
  const MpiTuning uninterrupted = advise(machine);
  const std::vector<Asked> needed = asked_;
  EXPECT_FALSE(kept_.has_value()) << "a complete search begins anew";
  restart();
  request_.time_budget = 5;
  MpiTuning advice = advise(machine);
  int runs = 1;
  for (; kept_ && runs < 100; ++runs) {
    advice = advise(machine);
  }
  EXPECT_GT(runs, 4);
  EXPECT_LT(runs, 100);
  EXPECT_THAT(asked_, SizeIs(::testing::Le(needed.size()))) << "no configuration is predicted twice";
  EXPECT_EQ(advice.best().setting, uninterrupted.best().setting);
  EXPECT_EQ(advice.configurations.size(), uninterrupted.configurations.size());
}

TEST_F(MpiAdvice, AnInterruptedSearchGoesOn) {
  const auto machine = best_at("1x2", 64, "1");
  EXPECT_THROW(static_cast<void>(advise([&](const Asked& each) {
                 is_cancelled_ = asked_.size() == 16;
                 return machine(each);
               })),
               Cancelled);
  ASSERT_TRUE(kept_.has_value());
  EXPECT_THAT(kept_->predicted.configurations, SizeIs(16));
  asked_.clear();
  is_cancelled_ = false;
  EXPECT_EQ(advise(machine).best().setting.at("grid"), "1x2");
  EXPECT_EQ(asked_.size() - executed_in_full(), 16);
}

TEST_F(MpiAdvice, AGridThatFailsIsSkipped) {
  const auto machine = best_at("1x2", 64, "1");
  const MpiTuning advice = advise([&](const Asked& each) {
    if (each.grid == "1x1") {
      throw unusable_measurement("the program failed");
    }
    return machine(each);
  });
  EXPECT_EQ(advice.best().setting.at("grid"), "1x2");
  EXPECT_THAT(advice.configurations, SizeIs(16));
  EXPECT_THAT(notes_, Contains(HasSubstr("the grid 1x1 is skipped: the program failed")));
  EXPECT_THROW(static_cast<void>(advise([](const Asked&) -> Seconds { throw unusable_measurement("all fail"); })), Error);
}

TEST_F(MpiAdvice, AnInterruptionEndsTheSearch) {
  EXPECT_THROW(static_cast<void>(advise([this](const Asked&) {
                 is_cancelled_ = true;
                 return 1.0;
               })),
               Cancelled);
  EXPECT_THAT(asked_, SizeIs(8));
}

TEST_F(MpiAdvice, WhatCannotBeDoneIsSaidBeforeAnythingStarts) {
  const auto fault = [this] {
    try {
      static_cast<void>(advise(best_at("1x2", 64, "1")));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  request_.n = 12'000;  // 1.15 GB
  EXPECT_THAT(fault(), HasSubstr("pdgetrf of order 12000 needs 1.2 GB of memory, and this machine has 1.0 GB"));
  request_.n = 6'000;
  EXPECT_THAT(fault(), IsEmpty());
  asked_.clear();
  request_.routine = "pdgesvd";
  EXPECT_THAT(fault(), HasSubstr("needs 1.4 GB"));
  request_.n = 1000;
  request_.ranks = 65;
  EXPECT_THAT(fault(), HasSubstr("65 processes are more than 32 on each of 2 cores"));
  request_.ranks = 2;
  loads_ = false;
  EXPECT_THAT(fault(), HasSubstr("ScaLAPACK can't be loaded from libscalapack-openmpi"));
  loads_ = true;
  services_.is_root = true;
  EXPECT_THAT(fault(), HasSubstr("refuses to run as root. Run flopcast as another user; in a container, where root is harmless, set "
                                 "OMPI_ALLOW_RUN_AS_ROOT=1"));
  EXPECT_THAT(asked_, IsEmpty());
  request_.mpi = MpiLibrary::mpich;
  EXPECT_THAT(fault(), IsEmpty());
}

}  // namespace
}  // namespace flopcast
