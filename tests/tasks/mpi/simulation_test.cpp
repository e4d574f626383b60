#include "flopcast/tasks/mpi/simulation.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Seconds assumed = 5;  ///< simulated time of a kernel that no model predicts

Call scale(std::uintptr_t address) {
  Call call;
  call.routine = &kernel::require("dscal");
  call.arguments = {10, 0, static_cast<std::int64_t>(address), 1};
  return call;
}

/// Kernel times that grow with the cache level of the operand: `seconds` in the first level, twice that in the second.
struct LevelModels : prediction::KernelModels {
  [[nodiscard]] model::Estimate evaluate(const Call&, const prediction::Condition& condition) const override {
    return {seconds * (1 + condition.placement[0].level), 0, false};
  }
  Seconds seconds = 1;
};

/// A program whose processes call dscal on two vectors in turn, simulated on this machine's fakes.
class Simulations : public ::testing::Test {
 protected:
  Simulations() : store_(model::Store::open(folder_.path() / "flopcast.db")) {
    request_.command = {"program"};
    request_.ranks = {2};
    request_.time_budget = 7;
    request_.machine.latency = 1e-6;
    request_.machine.cores_per_node = 2;
    environment_.caches = {{.name = "L1", .capacity_bytes = 64}, {.name = "L2", .capacity_bytes = 310}};
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    context_.cancelled = [this] { return cancelled_; };
  }

  /// One simulation: kernels take the given times. `kernel_names` are the kernels in the result; calls are of the first one.
  SmpiResult simulate(const SmpiSimulation& simulation) {
    simulations_.push_back(simulation);
    if (during_) {
      during_(simulation);
    }
    SmpiResult result;
    result.run.ranks = simulation.ranks;
    result.run.blas = "/lib/blis.so";
    for (const std::string& name : kernels_) {
      SimulatedKernel kernel;
      kernel.routine = name;
      kernel.words = {10};
      kernel.known = false;
      Seconds each = assumed;
      for (const SmpiKernelTime& time : simulation.times) {
        if (time.routine == name && time.words == kernel.words) {
          each = time.seconds;
          kernel.known = true;
        }
      }
      kernel.all = {calls_, each, 0, each * static_cast<double>(calls_)};
      result.run.seconds += kernel.all.seconds;
      result.run.kernels.push_back(kernel);
    }
    if (traced_) {
      SmpiTrace& traced = result.traces.emplace_back();
      traced.trace.allocations = {{"x", 8000, 80}, {"y", 16000, 80}};
      for (std::int64_t i = 0; i < calls_; ++i) {
        traced.trace.calls.push_back(scale(i % 2 == 0 ? 8000 : 16000));
        traced.kernels.push_back(0);
      }
    }
    return result;
  }

  class Place : public KernelPlace {
   public:
    explicit Place(Simulations& test) : test_(test) {}
    [[nodiscard]] const Environment& environment() const override { return test_.environment_; }
    [[nodiscard]] ModelKey key(const Call& call) const override { return {.routine = call.routine->name}; }
    const prediction::KernelModels& models(std::vector<tuning::Subject>& subjects, Seconds budget) override {
      test_.sampled_.push_back(subjects.size());
      test_.budgets_.push_back(budget);
      test_.models_.seconds *= test_.growth_;
      return test_.models_;
    }
    double drift() override {
      ++test_.drifts_;
      return test_.drift_;
    }

   private:
    Simulations& test_;
  };

  MpiSimulation simulate_program() {
    SimulationServices services;
    services.simulate = [this](const SmpiSimulation& simulation) { return simulate(simulation); };
    services.open = [this](const machine::LibraryChoice& libraries) {
      opened_.push_back(libraries.blas + ' ' + libraries.kernels);
      return std::make_unique<Place>(*this);
    };
    services.cores_of_last_cache = cores_of_last_cache_;
    const SimulatedMachine machine(request_.machine, store_, context_);
    notes_.clear();
    return simulate_all(request_, machine, services, context_);
  }

  [[nodiscard]] Seconds given(std::size_t simulation) const {
    return simulations_.at(simulation).times.empty() ? 0 : simulations_[simulation].times.at(0).seconds;
  }

  tests::OwnFolder folder_;
  model::Store store_;
  MpiSimulateRequest request_;
  RunContext context_;
  bool cancelled_ = false;
  Environment environment_;
  std::vector<std::string> kernels_ = {"dscal"};
  std::int64_t calls_ = 4;
  bool traced_ = true;
  int cores_of_last_cache_ = 1;
  std::function<void(const SmpiSimulation&)> during_;
  LevelModels models_;
  double growth_ = 1;  ///< factor of kernel times from one learning to the next
  double drift_ = 1;

  std::vector<SmpiSimulation> simulations_;
  std::vector<std::string> opened_, notes_;
  std::vector<std::size_t> sampled_;
  std::vector<Seconds> budgets_;
  int drifts_ = 0;
};

TEST_F(Simulations, AreRepeatedWithTheTimesThatModelsPredict) {
  const MpiSimulation simulation = simulate_program();
  ASSERT_EQ(simulations_.size(), 2U);
  EXPECT_THAT(simulations_[0].times, IsEmpty());
  EXPECT_EQ(given(1), 2) << "both vectors are in the second level";
  ASSERT_EQ(simulation.runs.size(), 1U);
  EXPECT_EQ(simulation.runs[0].seconds, 4 * 2.0);
  EXPECT_TRUE(simulation.runs[0].kernels.at(0).known);
  EXPECT_THAT(opened_, ElementsAre("/lib/blis.so auto"));
  EXPECT_THAT(budgets_, ElementsAre(7, 7));
  EXPECT_THAT(sampled_, ElementsAre(2, 2)) << "the process as a whole, and its kernel";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Simulations, EndWhereTheFirstTimesAreRight) {
  models_.seconds = assumed / 2;
  const MpiSimulation simulation = simulate_program();
  EXPECT_EQ(simulations_.size(), 1U);
  EXPECT_EQ(simulation.runs.at(0).seconds, 4 * assumed);
  models_.seconds *= 1.004;
  simulate_program();
  EXPECT_EQ(simulations_.size(), 2U) << "within half a percent";
  models_.seconds = 1.006 * assumed / 2;
  simulate_program();
  EXPECT_EQ(simulations_.size(), 4U);
}

TEST_F(Simulations, EndAfterTheThirdWhereTimesNeverAgree) {
  growth_ = 2;
  const MpiSimulation simulation = simulate_program();
  ASSERT_EQ(simulations_.size(), 3U);
  EXPECT_EQ(given(1), 4);
  EXPECT_EQ(given(2), 8);
  EXPECT_EQ(simulation.runs.at(0).seconds, 4 * 8.0) << "the last one's";
  EXPECT_EQ(budgets_.size(), 2U) << "nothing is learnt from the last one";
}

TEST_F(Simulations, AreRepeatedWhileAKernelHasNoTime) {
  kernels_ = {"dscal", "dgemm"};
  const MpiSimulation simulation = simulate_program();
  EXPECT_EQ(simulations_.size(), 3U);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], AllOf(HasSubstr("20.0 s"), HasSubstr("have no model")));
}

TEST_F(Simulations, OpenNoLibraryForAProgramWithoutKernels) {
  kernels_.clear();
  traced_ = false;
  simulate_program();
  EXPECT_EQ(simulations_.size(), 1U);
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(Simulations, ScaleKernelsToThePresentSpeed) {
  drift_ = 1.5;
  request_.ranks = {1, 2};
  simulate_program();
  EXPECT_EQ(given(1), 3);
  EXPECT_EQ(drifts_, 2) << "once per number of processes";
}

TEST_F(Simulations, ShareTheLastCacheAmongTheProcessesOfAHost) {
  request_.ranks = {1, 2};
  cores_of_last_cache_ = 4;
  const MpiSimulation simulation = simulate_program();
  ASSERT_EQ(simulation.runs.size(), 2U);
  EXPECT_EQ(simulation.runs[0].seconds, 4 * 2.0);
  EXPECT_EQ(simulation.runs[1].seconds, 4 * 3.0) << "155 bytes are too few for both vectors";
}

TEST_F(Simulations, GiveNoProcessALastCacheBelowTheOneBefore) {
  request_.machine.cores_per_node = 8;
  request_.ranks = {8};
  cores_of_last_cache_ = 8;
  EXPECT_EQ(simulate_program().runs.at(0).seconds, 4 * 3.0);
}

TEST_F(Simulations, UseOneWorldForAllNumbersOfProcesses) {
  request_.ranks = {1, 2};
  request_.kernels = "library";
  const MpiSimulation simulation = simulate_program();
  EXPECT_EQ(simulation.runs.size(), 2U);
  EXPECT_THAT(opened_, ElementsAre("/lib/blis.so library"));
  ASSERT_EQ(simulations_.size(), 3U);
  EXPECT_EQ(simulations_[2].ranks, 2);
  EXPECT_EQ(given(2), 2) << "times of one process are the first guess for two";
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("1 process: "), HasSubstr("2 processes: ")));
}

TEST_F(Simulations, KeepTheOthersWhereOneNumberFails) {
  request_.ranks = {1, 2, 4};
  during_ = [](const SmpiSimulation& simulation) {
    if (simulation.ranks == 2) {
      throw unusable_measurement("it needs a square number");
    }
  };
  const MpiSimulation simulation = simulate_program();
  ASSERT_EQ(simulation.runs.size(), 2U);
  EXPECT_EQ(simulation.runs[0].ranks, 1);
  EXPECT_EQ(simulation.runs[1].ranks, 4);
  EXPECT_THAT(simulation.failures, ElementsAre(SimulationFailure{2, "it needs a square number", 5}));
  EXPECT_THAT(notes_, ::testing::Contains(HasSubstr("2 processes can't be simulated: it needs a square number")));
}

TEST_F(Simulations, KeepTheOthersWhereTheLastNumberFails) {
  request_.ranks = {1, 2};
  during_ = [](const SmpiSimulation& simulation) {
    if (simulation.ranks == 2) {
      throw unusable_measurement("it fails");
    }
  };
  const MpiSimulation simulation = simulate_program();
  EXPECT_EQ(simulation.runs.size(), 1U);
  EXPECT_EQ(simulation.failures.size(), 1U);
}

TEST_F(Simulations, ThrowTheLastErrorWhereAllFail) {
  request_.ranks = {1, 2};
  during_ = [](const SmpiSimulation& simulation) { throw bad_input("{} fail", simulation.ranks); };
  try {
    simulate_program();
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "2 fail");
    EXPECT_EQ(error.code(), ExitCode::bad_input);
  }
}

TEST_F(Simulations, AreCancelledBetweenTwoNumbers) {
  request_.ranks = {1, 2};
  during_ = [this](const SmpiSimulation&) { cancelled_ = simulations_.size() == 2; };  // the second one of one process
  EXPECT_THROW(simulate_program(), Cancelled);
  EXPECT_EQ(simulations_.size(), 2U);
}

TEST_F(Simulations, AFailureAfterACancellationIsTheCancellation) {
  request_.ranks = {1, 2};
  during_ = [this](const SmpiSimulation&) {
    cancelled_ = true;
    throw unusable_measurement("the simulator ended by signal 2");
  };
  try {
    simulate_program();
    FAIL() << "nothing thrown";
  } catch (const Cancelled& cancelled) {
    EXPECT_THAT(cancelled.what(), HasSubstr("what was measured of kernels is kept"));
  }
  EXPECT_EQ(simulations_.size(), 1U);
}

}  // namespace
}  // namespace flopcast
