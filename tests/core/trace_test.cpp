#include "flopcast/core/trace.hpp"
#include "flopcast/core/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using testing::HasSubstr;

constexpr std::array<std::string_view, 8> argument_names = {"trans", "n", "alpha", "A", "lda", "ipiv", "isgn", "info"};

/// An artificial routine with an argument of most kinds.
const Routine& solver() {
  static const Routine routine = [] {
    Routine made;
    made.name = "solver";
    made.precision = Precision::z;
    const auto add = [&](Kind kind) -> Argument& {
      Argument argument;
      argument.name = argument_names.at(made.arguments.size());
      argument.kind = kind;
      made.arguments.push_back(argument);
      return made.arguments.back();
    };
    add(Kind::flag);
    add(Kind::size);
    add(Kind::scalar);
    Argument& a = add(Kind::data);
    a.rows = a.columns = ArgumentFormula("n", argument_names);
    a.stride = 4;
    add(Kind::leading_dimension);
    Argument& pivots = add(Kind::pivots);
    pivots.form = Form::vector;
    pivots.rows = ArgumentFormula("n", argument_names);
    add(Kind::sign);
    add(Kind::info);
    return made;
  }();
  return routine;
}

const Routine* lookup(std::string_view name) { return name == "solver" ? &solver() : nullptr; }

Call call_at(std::int64_t a, std::int64_t pivots, std::complex<double> alpha = 1.0) {
  Call call;
  call.routine = &solver();
  call.arguments = {'N', 4, 0, a, 6, pivots, -1, 0};
  call.scalars[0] = alpha;
  return call;
}

Trace small_trace() {
  Trace trace;
  trace.configuration = {"dgeqrf", {{"n", 8}, {"nb", 4}}};
  trace.allocations = {{"A", virtual_base(0), 1000}, {"ipiv", virtual_base(1), 64}};
  const auto base = static_cast<std::int64_t>(virtual_base(0)), pivots = static_cast<std::int64_t>(virtual_base(1));
  trace.calls = {call_at(base, pivots), call_at(base + 256, pivots + 16, {0.5, -2}), call_at(0, 0)};
  return trace;
}

TEST(Trace, SurvivesARoundTripThroughJson) {
  Trace trace = small_trace();
  EXPECT_EQ(trace_from_json(nlohmann::json::parse(to_json(trace).dump()), lookup), trace);
  trace.measured = {1e-6, 2.5e-3, 0};
  EXPECT_EQ(trace_from_json(nlohmann::json::parse(to_json(trace).dump()), lookup), trace);
}

TEST(Trace, WritesCallsAsReadableArrays) {
  EXPECT_EQ(to_json(small_trace().calls[1], small_trace().allocations).dump(), R"(["solver","N",4,[0.5,-2.0],"A+256",6,"ipiv+16",-1])");
  EXPECT_EQ(to_json(small_trace().calls[2], small_trace().allocations).dump(), R"(["solver","N",4,1.0,null,6,null,-1])");
}

TEST(Trace, NeedsTheMemoryOfAllItsAllocations) {
  EXPECT_EQ(resident_bytes(small_trace()), 1064);
  Trace trace;
  trace.calls = {call_at(0x5000, 0x9000)};
  make_virtual(trace);
  EXPECT_EQ(resident_bytes(trace), 16 * 4 * 6 + 4 * 4) << "local arrays: four columns with a leading dimension of 6, and four pivots";
}

TEST(Trace, MovesToVirtualAddresses) {
  Trace trace;
  trace.allocations = {{"A", 0x7000, 4096}};
  trace.calls = {call_at(0x7100, 0x500010), call_at(0x7000, 0x500018), call_at(0x7000, 0x900000)};
  trace.calls[0].arguments[7] = 0x1234;
  make_virtual(trace);
  EXPECT_EQ(trace.calls[0].address(3), virtual_base(0) + 0x100);
  EXPECT_EQ(trace.calls[0].arguments[7], 0) << "info isn't an operand";
  ASSERT_EQ(trace.allocations.size(), 3U);
  EXPECT_EQ(trace.allocations[1].name, "local0");
  EXPECT_EQ(trace.allocations[1].bytes, 8 + 16) << "overlapping pivots are one array";
  EXPECT_EQ(trace.calls[1].address(5), virtual_base(1) + 8);
  EXPECT_EQ(trace.calls[2].address(5), virtual_base(2));
}

TEST(Trace, IsTheSameWhereverItWasRecorded) {
  const auto recorded_at = [](std::int64_t a, std::int64_t pivots) {
    Trace trace;
    trace.allocations = {{"A", static_cast<std::uintptr_t>(a), 4096}};
    trace.calls = {call_at(a + 64, pivots), call_at(a, pivots + 4)};
    make_virtual(trace);
    return trace;
  };
  EXPECT_EQ(recorded_at(0x7000, 0x500000), recorded_at(0x90000, 0x3000));
}

/// Returns the message of the bad_input that reading `json` throws.
std::string message(const nlohmann::json& json) {
  try {
    trace_from_json(json, lookup);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Trace, ErrorsNameTheProblemInADocument) {
  const nlohmann::json good = to_json(small_trace());
  const auto with_call = [&](const char* call) {
    nlohmann::json json = good;
    json["calls"] = nlohmann::json::array({nlohmann::json::parse(call)});
    return message(json);
  };
  EXPECT_THAT(message(nlohmann::json::parse("[]")), HasSubstr("not a trace"));
  EXPECT_THAT(message({{"schema", "flopcast-trace-99"}}), HasSubstr("flopcast-trace-99"));
  nlohmann::json damaged = good;
  damaged.erase("calls");
  EXPECT_THAT(message(damaged), HasSubstr("damaged"));
  damaged = good;
  damaged["measured_seconds"] = {1.0};
  EXPECT_THAT(message(damaged), HasSubstr("1 measured times for 3 calls"));
  EXPECT_THAT(with_call(R"({"a": 1})"), HasSubstr("must be an array"));
  EXPECT_THAT(with_call(R"(["nothing"])"), HasSubstr("unknown routine 'nothing'"));
  EXPECT_THAT(with_call(R"(["solver","N",4])"), HasSubstr("'alpha' is missing"));
  EXPECT_THAT(with_call(R"(["solver","N",4,1.0,"B+0",6,null,-1])"), HasSubstr("'B+0' lies in no allocation"));
  EXPECT_THAT(with_call(R"(["solver","N",4,1.0,"A+x",6,null,-1])"), HasSubstr("'x' is not an integer"));
  EXPECT_THAT(with_call(R"(["solver","N","four",1.0,"A+0",6,null,-1])"), HasSubstr("argument 'n' can't be \"four\""));
  EXPECT_THAT(with_call(R"(["solver","",4,1.0,"A+0",6,null,-1])"), HasSubstr("argument 'trans'"));
  EXPECT_THAT(with_call(R"(["solver","N",4,1.0,"A+0",6,null,-1,5])"), HasSubstr("has 8 arguments, expected 7"));
}

}  // namespace
}  // namespace flopcast
