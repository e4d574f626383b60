#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/planner/trial_memory.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "tests/tasks/contraction/planning_fixture.hpp"

namespace flopcast {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// dgemm by its definition, with Fortran's interface.
void naive_dgemm(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
                 const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  const auto element = [](const double* x, int ld, char trans, int i, int j) { return trans == 'N' ? x[i + j * ld] : x[j + i * ld]; };
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0;
      for (int l = 0; l < *k; ++l) {
        sum += element(a, *lda, *transa, i, l) * element(b, *ldb, *transb, l, j);
      }
      double& to = c[i + j * *ldc];
      to = *alpha * sum + (*beta == 0 ? 0 : *beta * to);
    }
  }
}

/// Runs contractions by the panel kernel.
class ContractionTask : public tests::PlanningFixture {
 protected:
  ContractionTask() { request_.tiles = contract::parse_tiles("8x8x8:panels"); }

  ContractionResult contract_saved(const std::string& notation, const std::string& a, const std::string& b) {
    return run_contraction(services_, {{contract::parse_expression(notation)}, {path(a), path(b)}, path("c.npy"), request_}, context_);
  }
  /// Returns a product of matrices, each with `size` rows and columns.
  static contract::SizedExpression product(std::int64_t size) {
    return contract::with_extents(contract::parse_expression("ab=ai,ib"), {{'a', size}, {'b', size}, {'i', size}});
  }
  /// Runs the product of matrices with 8 rows and columns.
  ContractionResult run_product() {
    const contract::SizedExpression expression = product(8);
    return run_contraction(services_, {{expression.expression, expression.extents}, {}, {}, request_}, context_);
  }
};

TEST_F(ContractionTask, RunsForASecond) {
  const ContractionResult run = run_product();
  EXPECT_THAT(run.times, SizeIs(4)) << "each loop looks at the clock three times";
  EXPECT_THAT(run.times, Each(::testing::DoubleNear(0.1, 1e-9)));
  EXPECT_NEAR(run.flops_per_second, 2 * 8 * 8 * 8 / 0.1, 1e-3);
  EXPECT_NEAR(run.planning_seconds, 0.1, 1e-9);
  EXPECT_EQ(run.plan.considered.front().tiles, "8 x 8 x 8 in panels");
  EXPECT_EQ(run.plan.considered.front().basis, "model");
}

TEST_F(ContractionTask, RunsAtLeastThreeAndAtMostAHundredTimes) {
  tick_ = 100;
  EXPECT_THAT(run_product().times, SizeIs(3));
  tick_ = 1e-6;
  EXPECT_THAT(run_product().times, SizeIs(100));
}

TEST_F(ContractionTask, RunsUntilAnIncrementalChoiceIsMade) {
  request_.tiles.reset();
  request_.effort = contract::Effort::incremental;
  request_.time_budget = 1000;
  Seconds now = 0;
  services_.trials = std::make_shared<contract::TrialMemory>([&now] { return now += 1; });
  const ContractionResult run = run_product();
  EXPECT_TRUE(run.plan.decided);
  EXPECT_EQ(run.plan.considered.front().basis, "execution");
  EXPECT_THAT(run.times, SizeIs(::testing::Gt(4U))) << "longer than a second";
  EXPECT_THAT(run.times, SizeIs(::testing::Le(80U)));
  request_.time_budget = 0;
  services_.trials = nullptr;
  const ContractionResult short_run = run_product();
  EXPECT_FALSE(short_run.plan.decided);
  EXPECT_THAT(short_run.times, SizeIs(4));
}

/// Preparing a plan looks for gemm, which takes five seconds here.
TEST_F(ContractionTask, PreparingAStoredChoiceIsPlanning) {
  model::Store store = model::Store::open(folder_.path() / "store.db");
  services_.store = [&store] { return &store; };
  services_.machine = [this] {
    return contract::Machine{[this](std::string_view) {
                               now_ += 5;
                               return reinterpret_cast<kernel::Function>(&naive_dgemm);
                             },
                             {}};
  };
  request_.tiles.reset();
  request_.effort = contract::Effort::measure;
  contract::PlanOptions options;
  options.effort = request_.effort;
  options.time_budget = request_.time_budget;
  options.wisdom = &store;
  const contract::Contraction contraction = contract::make_contraction(product(8), {}, Precision::d, contract::Order::row_major);
  contract::keep_wisdom(contraction, services_.machine(), options, {contract::parse_tiles("8x8x8"), 1, contract::Basis::execution});
  const ContractionResult run = run_product();
  EXPECT_EQ(run.plan.considered.front().basis, "execution") << "the stored choice";
  EXPECT_GT(run.planning_seconds, 5);
  EXPECT_THAT(run.times, Each(::testing::DoubleNear(0.1, 1e-9)));
}

TEST_F(ContractionTask, EndsWhereItIsCancelled) {
  int polls = 0;
  context_.cancelled = [&polls] { return ++polls > 3; };
  EXPECT_THROW(static_cast<void>(run_product()), Cancelled);
}

TEST_F(ContractionTask, SaysWhichTilesAreNotKept) {
  request_.tiles = contract::parse_tiles("8x8x8:panels:mkn:keepC");
  static_cast<void>(plan(services_, product(64), {}, request_, context_));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("tiles of C aren't kept")));
}

TEST_F(ContractionTask, SaysThatASingleThreadSplitsNoSums) {
  request_.tiles = contract::parse_tiles("64x64x8:panels:splitK", 2);
  static_cast<void>(plan(services_, product(64), {}, request_, context_));
  EXPECT_TRUE(notes_.empty());
  request_.tiles = contract::parse_tiles("64x64x8:panels:splitK", 1);
  static_cast<void>(plan(services_, product(64), {}, request_, context_));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("K isn't split between threads")));
}

TEST_F(ContractionTask, RefusesRowOrdersBeforeTheMachineIsOpened) {
  request_.tiles = contract::parse_tiles("8x8x8:panels:A");
  EXPECT_THROW(static_cast<void>(plan(services_, product(8), {}, request_, context_)), Error);
  EXPECT_EQ(machines_, 0);
}

TEST_F(ContractionTask, ContractsFilesInBothOrders) {
  save("b.npy", {3, 2}, {1, 0, 0, 1, 1, 1});
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(contract_saved("ai,ib->ab", "a.npy", "b.npy").times, SizeIs(1));
  EXPECT_THAT(load("c.npy"), ElementsAre(4, 5, 10, 11));
  save("a.npy", {2, 3}, {1, 4, 2, 5, 3, 6}, contract::Order::column_major);
  contract_saved("ai,ib->ba", "a.npy", "b.npy");
  EXPECT_THAT(load("c.npy"), ElementsAre(4, 10, 5, 11));
  EXPECT_THAT(notes_, SizeIs(0));
}

TEST_F(ContractionTask, TakesOneFileAsOneTensor) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  contract_saved("ai,bi->ab", "a.npy", "a.npy");
  EXPECT_THAT(load("c.npy"), ElementsAre(14, 32, 32, 77));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("taken for one tensor")));
}

TEST_F(ContractionTask, SaysWhichNumbersAreNotFiniteOrDenormal) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  save("a.npy", {2, 2}, {std::nan(""), infinity, 1, 1});
  save("b.npy", {2, 2}, {1e-310, 1, 1, 1});
  contract_saved("ai,ib->ab", "a.npy", "b.npy");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.npy holds NaN or Inf (2)"), HasSubstr("b.npy holds denormal numbers (1)")));
}

TEST_F(ContractionTask, RefusesFilesThatContradictTheNotation) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  save("b.npy", {2, 2}, {1, 0, 0, 1});
  for (const char* notation : {"a,ab->b", "ai,ib->ab", "ai,i->a"}) {
    EXPECT_THROW(contract_saved(notation, "a.npy", "b.npy"), Error) << notation;
  }
  EXPECT_EQ(machines_, 0);
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
}

TEST_F(ContractionTask, NeverWritesOverAnOperand) {
  const std::string a = save("a.npy", {2, 2}, {1, 2, 3, 4});
  EXPECT_THROW(run_contraction(services_, {{contract::parse_expression("ai,ib->ab")}, {a, a}, path("./a.npy"), request_}, context_), Error);
  EXPECT_THAT(load("a.npy"), ElementsAre(1, 2, 3, 4));
}

TEST_F(ContractionTask, ResultsOfFilesNeedMemory) {
  constexpr std::int64_t length = 1 << 22;  // C would have 128 TiB
  save("long.npy", {1, length}, std::vector<double>(length));
  try {
    contract_saved("ia,ib->ab", "long.npy", "long.npy");
    FAIL() << "C has room";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("c.npy needs"), HasSubstr("4194304 x 4194304 elements")));
  }
  EXPECT_EQ(machines_, 0) << "nothing is planned";
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
}

TEST_F(ContractionTask, CancelledFilesWriteNothing) {
  save("a.npy", {2, 2}, {1, 2, 3, 4});
  context_.cancelled = [] { return true; };
  EXPECT_THROW(contract_saved("ai,ib->ab", "a.npy", "a.npy"), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
}

}  // namespace
}  // namespace flopcast
