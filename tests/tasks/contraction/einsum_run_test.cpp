#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/contract/notation/npy.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_tools.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Runs expressions on a machine without a BLAS, by a clock that advances by 0.1 s whenever somebody looks.
class EinsumTask : public ::testing::Test {
 protected:
  EinsumTask() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_einsum_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
    tools_.machine = [this] {
      ++machines_;
      return contract::Machine{[](std::string_view) { return kernel::Function(nullptr); }, {}};
    };
    tools_.store = [] { return nullptr; };
    tools_.now = [this] { return now_ += 0.1; };
  }
  ~EinsumTask() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void save(const std::string& name, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    contract::Array array{Precision::d, contract::Order::row_major, std::move(shape), {}};
    array.elements.resize(values.size() * sizeof(double));
    std::memcpy(array.elements.data(), values.data(), array.elements.size());
    write_file(path(name), contract::format_npy(array));
  }
  /// Returns the result's elements; `shape_` is its shape.
  std::vector<double> compute(const std::string& expression, const std::vector<std::string>& files) {
    std::vector<std::string> operands;
    for (const std::string& file : files) {
      operands.push_back(path(file));
    }
    run_ = einsum_files(tools_, {expression, operands, path("c.npy"), request_}, context_);
    const contract::Array array = contract::parse_npy(read_file(path("c.npy")), "c.npy");
    shape_ = array.shape;
    std::vector<double> values(array.elements.size() / sizeof(double));
    std::memcpy(values.data(), array.elements.data(), array.elements.size());
    return values;
  }
  EinsumRun run(const std::string& text, const std::map<contract::Label, std::int64_t>& sizes) {
    return run_einsum(tools_, contract::with_extents(contract::parse_expression(text), sizes), {}, request_, context_);
  }

  std::filesystem::path folder_;
  PlanningTools tools_;
  PlanRequest request_;
  RunContext context_;
  EinsumRun run_;
  std::vector<std::int64_t> shape_;
  std::vector<std::string> notes_;
  int machines_ = 0;
  Seconds now_ = 0;
};

TEST_F(EinsumTask, ComputesFilesOfOneOperandWithoutTheMachine) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(compute("ij->ji", {"a.npy"}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(shape_, ElementsAre(3, 2));
  EXPECT_THAT(compute("...i->...", {"a.npy"}), ElementsAre(6, 15));
  EXPECT_THAT(compute("ij->", {"a.npy"}), ElementsAre(21));
  EXPECT_THAT(run_.times, SizeIs(1));
  EXPECT_EQ(machines_, 0);
}

TEST_F(EinsumTask, ComputesFilesOfTwoOperands) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  save("b.npy", {1, 2}, {1, 10});
  EXPECT_THAT(compute("ij,ki->i", {"a.npy", "b.npy"}), ElementsAre(6, 150));
  EXPECT_THAT(compute("ij,ij->", {"a.npy", "a.npy"}), ElementsAre(91));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.npy is both operands")));
}

TEST_F(EinsumTask, RunsForASecond) {
  const EinsumRun run = this->run("iji->j", {{'i', 8}, {'j', 4}});
  EXPECT_THAT(run.times, SizeIs(4)) << "each loop looks at the clock three times";
  EXPECT_THAT(run.times, Each(::testing::DoubleNear(0.1, 1e-9)));
  EXPECT_EQ(run.flops, 2 * 8 * 4);
  EXPECT_NEAR(run.flops_per_second, 2 * 8 * 4 / 0.1, 1e-6);
  EXPECT_EQ(run.expression, "iji->j");
  EXPECT_EQ(run.sizes, (std::map<std::string, std::int64_t>{{"i", 8}, {"j", 4}}));
  EXPECT_THAT(run.plan.explanation, HasSubstr("without BLAS"));
}

TEST_F(EinsumTask, SaysThatTilesAreNotUsed) {
  request_.tiles = contract::parse_tiles("8x8x8:panels");
  static_cast<void>(run("ij->ji", {{'i', 8}, {'j', 4}}));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no tiles are used")));
  EXPECT_THAT(run("ijx,jk->ik", {{'i', 20}, {'j', 20}, {'k', 20}, {'x', 2}}).plan.considered.front().tiles, HasSubstr("in panels"));
}

TEST_F(EinsumTask, RefusesWhatContradicts) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* expression : {"i->i", "ii->i", "ij,jk->ik", "ij->k", "ij->$"}) {
    EXPECT_THROW(compute(expression, {"a.npy"}), Error) << expression;
  }
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
  save("c.npy", {2}, {1, 2});
  EXPECT_THROW(compute("i->", {"c.npy"}), Error) << "the result would overwrite the operand";
  EXPECT_THROW(run("ij->ji", {{'i', std::int64_t{1} << 30}, {'j', std::int64_t{1} << 28}}), Error) << "too large for memory";
}

TEST_F(EinsumTask, CancelledRunsEnd) {
  context_.cancelled = [] { return true; };
  EXPECT_THROW(static_cast<void>(run("ij->ji", {{'i', 8}, {'j', 4}})), Cancelled);
}

TEST(EinsumDocuments, ReadBack) {
  const EinsumRun run{"ij->ji",     {{"i", 2}, {"j", 0}},
                      Precision::z, {"4 elements", 0.5, 4096, {{"8 x 8 x 8", 0.5, "model"}}, "nkm", "A"},
                      12,           0.25,
                      {1, 2, 3},    1e9};
  EXPECT_EQ(einsum_run_from_json(to_json(run)), run);
  EXPECT_EQ(tests::schema_violation(to_json(run), std::array{einsum_schema()}), "");
}

}  // namespace
}  // namespace flopcast
