#include "flopcast/tasks/contraction/layout_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/message_of.hpp"

namespace flopcast {
namespace {

using contract::SizedExpression;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Returns a time between 1 and 2 s that depends on the order of the labels of all tensors.
Seconds arbitrary(const SizedExpression& expression) {
  std::mt19937_64 random(std::hash<std::string>()(contract::to_string(expression.expression)));
  return 1 + static_cast<double>(random() % 1000) / 1000;
}

/// Takes a second for each pair of labels that stand in rising order in a tensor, and 0.1 s for a copy.
Seconds sorted_slowly(const SizedExpression& expression) {
  if (expression.operands.size() == 1) {
    return 0.1;
  }
  Seconds seconds = 1;
  const auto add = [&](const contract::Subscripts& subscripts) {
    for (std::size_t i = 1; i < subscripts.labels.size(); ++i) {
      seconds += subscripts.labels[i - 1] < subscripts.labels[i] ? 1 : 0;
    }
  };
  for (const contract::Subscripts& operand : expression.operands) {
    add(operand);
  }
  add(expression.result);
  return seconds;
}

LayoutsRequest request_of(std::vector<std::string> contractions, std::vector<std::string> free) {
  LayoutsRequest request;
  request.contractions = std::move(contractions);
  for (const char label : std::string("abcdefijkl")) {
    request.sizes[label] = 4;
  }
  request.layouts = std::move(free);
  return request;
}

using Time = std::function<Seconds(const SizedExpression&)>;

/// Returns services whose runs of an expression take `measured` of it, and 10 % less and more.
LayoutServices services_of(const Time& time, const Time& measured = {}) {
  const auto runs = [measured](const SizedExpression& expression) {
    const Seconds seconds = measured(expression);
    return std::vector<Seconds>{seconds, 0.9 * seconds, 1.1 * seconds};
  };
  return {time, time, runs, [] { return 0.0; }};
}

LayoutsResult choose(const LayoutsRequest& request, const Time& time, const Time& measured = {}) {
  return choose_layouts(services_of(time, measured), request, {});
}

const TensorOrder& order_of(const LayoutsResult& result, const std::string& tensor) {
  return *std::find_if(result.tensors.begin(), result.tensors.end(), [&](const TensorOrder& one) { return one.tensor == tensor; });
}

TEST(LayoutSearch, TriesAllCombinationsOfFewAxes) {
  const LayoutsResult result = choose(request_of({"ab,bc->ac"}, {"A,B", "C"}), arbitrary);
  EXPECT_TRUE(result.is_exhaustive);
  EXPECT_EQ(result.combinations, 8);
  Seconds best = std::numeric_limits<Seconds>::infinity();
  for (const char* a : {"ab", "ba"}) {
    for (const char* b : {"bc", "cb"}) {
      for (const char* c : {"ac", "ca"}) {
        best = std::min(best, arbitrary(contract::with_extents(contract::parse_expression(std::string(a) + ',' + b + "->" + c),
                                                               {{'a', 4}, {'b', 4}, {'c', 4}})));
      }
    }
  }
  EXPECT_LE(result.compared.front().seconds, 1.02 * best);  // of ties, the one that changes the least is chosen
}

TEST(LayoutSearch, ChangesAFreeTensorOnlyWhereAConversionCosts) {
  LayoutsRequest request = request_of({"C_ab := A_ai B_ib"}, {"A"});
  request.executions = 1;
  const auto time = [](const SizedExpression& expression) { return expression.operands.size() == 1 ? 100 : sorted_slowly(expression); };
  const LayoutsResult result = choose(request, time);
  EXPECT_EQ(order_of(result, "A").order, "ia");
  EXPECT_TRUE(order_of(result, "A").is_free);
  EXPECT_EQ(order_of(result, "A").conversion, 0);
  EXPECT_EQ(order_of(result, "C").order, "ab");
  EXPECT_EQ(result.contractions.front().contraction, "C_ab := A_ia B_ib");
  EXPECT_EQ(result.compared.front().orders, "A=ia");
  EXPECT_EQ(result.compared.back().orders, "as written");
}

TEST(LayoutSearch, ConvertsATensorThatManyExecutionsUse) {
  LayoutsRequest request = request_of({"C_ab := A_ai B_ib"}, {"B"});
  request.executions = 10;
  const auto time = [](const SizedExpression& expression) { return expression.operands.size() == 1 ? 3 : sorted_slowly(expression); };
  const LayoutsResult result = choose(request, time);
  EXPECT_EQ(order_of(result, "A").order, "ia");
  EXPECT_EQ(order_of(result, "A").conversion, 3);
  EXPECT_EQ(order_of(result, "C").order, "ba");
  EXPECT_EQ(result.compared.front().seconds, 10 * 1 + 3 + 3) << "B is as fast as written";
}

TEST(LayoutSearch, GivesATensorOneOrderInAllContractions) {
  const LayoutsResult result =
      choose(request_of({"W_abij := V_abcd T_cdij", "X_ij := T_abjk V_abik"}, {"T", "V", "W", "X"}), sorted_slowly);
  EXPECT_FALSE(result.is_exhaustive);
  EXPECT_EQ(order_of(result, "T").written, "cdij");
  EXPECT_EQ(order_of(result, "T").order, "jidc");
  EXPECT_EQ(result.contractions[1].contraction, "X_ji := T_kjba V_kiba");
  EXPECT_EQ(result.contractions[1].seconds, 1);
}

TEST(LayoutSearch, MeasuresTheBestAndTheWrittenOrders) {
  LayoutsRequest request = request_of({"ab,bc->ac"}, {"A", "B", "C"});
  request.validate = true;
  const auto measured = [](const SizedExpression& expression) {
    return contract::to_string(expression.expression) == "ab,bc->ac" ? 1.0 : 5.0;
  };
  const LayoutsResult result = choose(request, sorted_slowly, measured);
  EXPECT_EQ(result.compared.front().orders, "as written");
  EXPECT_EQ(result.compared.front().measured_seconds, 1.0);
}

TEST(LayoutSearch, LeavesWrongPredictionsByMeasuredSteps) {
  LayoutsRequest request = request_of({"abc,cd->abd"}, {"A,B,C"});
  request.validate = true;
  const auto predicted = [](const SizedExpression&) { return 1.0; };
  const LayoutsResult result = choose(request, predicted, sorted_slowly);
  EXPECT_EQ(order_of(result, "A").order, "cba");
  EXPECT_EQ(order_of(result, "B").order, "dc");
  EXPECT_EQ(order_of(result, "C").order, "dba");
  EXPECT_EQ(result.compared.front().measured_seconds, 1);
}

TEST(LayoutSearch, APredictedSpeedUpHasTheIntervalOfMeasuredOnes) {
  LayoutServices services = services_of(sorted_slowly);
  services.speed_up_error = [] { return 0.1; };
  const LayoutsResult result = choose_layouts(services, request_of({"C_ab := A_ai B_bi", "F_ba := D_ia E_ib"}, {"A", "B", "C"}), {});
  const ComparedOrders& chosen = result.compared.front();
  EXPECT_EQ(chosen.orders, "A=ia B=ib C=ba");
  EXPECT_DOUBLE_EQ(chosen.speed_up, (4.0 + 1) / (1 + 1)) << "1 s, and 1 s more for each pair of axes in rising order";
  EXPECT_NEAR(chosen.speed_up_interval.low, (4 / std::exp(0.196) + 1) / (1 + 1), 1e-4) << "the second contraction stays as written";
  EXPECT_NEAR(chosen.speed_up_interval.high, (4 * std::exp(0.196) + 1) / (1 + 1), 1e-4);
  EXPECT_EQ(result.compared.back().speed_up, 1);
  EXPECT_EQ(result.compared.back().speed_up_interval, (Interval{1, 1}));
}

TEST(LayoutSearch, AMeasuredSpeedUpHasTheIntervalOfItsRuns) {
  LayoutsRequest request = request_of({"C_ab := A_ai B_bi"}, {"A", "B", "C"});
  request.validate = true;
  LayoutServices services = services_of(sorted_slowly, sorted_slowly);
  services.speed_up_error = []() -> double { throw std::logic_error("no prediction needs it"); };
  const LayoutsResult result = choose_layouts(services, request, {});
  const ComparedOrders& chosen = result.compared.front();
  EXPECT_DOUBLE_EQ(chosen.speed_up, 4);
  EXPECT_NEAR(chosen.speed_up_interval.low, 4 * 0.9 / 1.1, 1e-9) << "the range of three runs";
  EXPECT_NEAR(chosen.speed_up_interval.high, 4 * 1.1 / 0.9, 1e-9);
}

TEST(MeasuredSpeedUpError, IsTheDeviationOfMeasuredFromPredictedSpeedUps) {
  EXPECT_NEAR(measured_speed_up_error(services_of(sorted_slowly, sorted_slowly), {}, {}), 0, 1e-9);
  const auto slower_unless_written = [](const SizedExpression& expression) {
    const std::string text = contract::to_string(expression.expression);
    const bool is_written = text == "ai,ibc->abc" || text == "ija,ijb->ab" || text == "abi,ic->abc" || text == "abk,ack->bc" ||
                            text == "kab,kc->kabc" || text == "abk,kc->cab";
    return (is_written ? 1 : 1.25) * sorted_slowly(expression);
  };
  const double deviation = measured_speed_up_error(services_of(sorted_slowly, slower_unless_written), {}, {});
  EXPECT_NEAR(deviation, std::log(1.25) / 1.96, 1e-3) << "speed-ups are 1.25 times smaller than predicted";
}

TEST(MeasuredSpeedUpError, IsInterruptedBetweenRuns) {
  int runs = 0;
  RunContext context;
  context.cancelled = [&] { return runs == 3; };
  const auto counted_runs = [&](const SizedExpression&) {
    ++runs;
    return 1.0;
  };
  EXPECT_THROW(measured_speed_up_error(services_of(sorted_slowly, counted_runs), {}, context), Cancelled);
  EXPECT_EQ(runs, 3);
}

/// Counts runs and keeps them as a store does.
class InterruptedLayoutSearch : public ::testing::Test {
 protected:
  InterruptedLayoutSearch() {
    request_.validate = true;
    context_.cancelled = [this] { return runs_ == cancelled_at_; };
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }

  LayoutsResult search() {
    LayoutServices services = services_of([](const SizedExpression&) { return 1.0; },
                                          [this](const SizedExpression& expression) {
                                            ++runs_;
                                            return sorted_slowly(expression);
                                          });
    services.now = [this] { return static_cast<Seconds>(runs_); };
    services.known = kept_;
    services.keep = [this](const LayoutRuns& runs) { kept_ = runs; };
    return choose_layouts(services, request_, context_);
  }

  LayoutsRequest request_ = request_of({"abc,cd->abd"}, {"A,B,C"});
  RunContext context_;
  LayoutRuns kept_;
  std::vector<std::string> notes_;
  int runs_ = 0, cancelled_at_ = -1;
};

TEST_F(InterruptedLayoutSearch, GoesOnWithItsRuns) {
  const LayoutsResult uninterrupted = search();
  const int needed = runs_;
  EXPECT_TRUE(kept_.empty()) << "another comparison runs all again";
  for (const int at : {1, 5, needed - 1}) {
    runs_ = 0;
    cancelled_at_ = at;
    try {
      search();
      FAIL() << "the search wasn't cancelled";
    } catch (const Cancelled& cancelled) {
      EXPECT_THAT(cancelled.what(), HasSubstr("times of runs are kept; run it again to go on"));
    }
    EXPECT_THAT(kept_, SizeIs(at));
    cancelled_at_ = -1;
    EXPECT_EQ(search(), uninterrupted);
    EXPECT_EQ(runs_, needed) << "none is made twice";
    EXPECT_TRUE(kept_.empty());
  }
}

TEST_F(InterruptedLayoutSearch, GoesOnAfterItsTimeBudget) {
  request_.time_budget = 3;
  const LayoutsResult first = search();
  EXPECT_EQ(runs_, 4);
  EXPECT_THAT(kept_, SizeIs(4));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the time budget ended the runs")));
  EXPECT_THAT(first.compared, SizeIs(4));
  request_.time_budget = 1000;
  const LayoutsResult second = search();
  const int needed = runs_;
  EXPECT_TRUE(kept_.empty());
  runs_ = 0;
  EXPECT_EQ(search(), second);
  EXPECT_EQ(runs_, needed);
}

TEST_F(InterruptedLayoutSearch, ARunThatWasInterruptedIsMadeAgain) {
  LayoutServices services = services_of(sorted_slowly);
  bool is_cancelled = false;
  services.measured = [&](const SizedExpression&) {
    is_cancelled = true;
    return std::vector<Seconds>();
  };
  services.keep = [this](const LayoutRuns& runs) { kept_ = runs; };
  context_.cancelled = [&] { return is_cancelled; };
  EXPECT_THROW(choose_layouts(services, request_, context_), Cancelled);
  EXPECT_TRUE(kept_.empty());
}

TEST(LayoutSearch, KeepsATensorOfWhichOnlyTheDiagonalIsUsed) {
  const LayoutsResult result = choose(request_of({"C_a := D_aa B_ab"}, {"B"}), sorted_slowly);
  EXPECT_EQ(order_of(result, "D").order, "aa");
  EXPECT_EQ(order_of(result, "D").conversion, 0);
}

TEST(LayoutSearch, RefusesWhatContradicts) {
  EXPECT_THAT(tests::bad_input_of([] { choose(request_of({"ab,bc->ac"}, {"T"}), sorted_slowly); }),
              HasSubstr("no contraction has a tensor 'T'; expected some of A, B, C"));
  EXPECT_THAT(tests::bad_input_of([] {
                LayoutsRequest request = request_of({"C_ab := A_ai B_ib", "D_ab := A_ac B_cb"}, {"A"});
                request.sizes['c'] = 5;
                choose(request, sorted_slowly);
              }),
              HasSubstr("tensor A is 4 x 4 in one contraction and 4 x 5 in"));
}

TEST(LayoutSearch, IsReadBackFromItsDocument) {
  const LayoutsResult result = choose(request_of({"ab,bc->ac"}, {"A"}), arbitrary);
  EXPECT_EQ(layouts_result_from_json(to_json(result)), result);
}

}  // namespace
}  // namespace flopcast
