#include "flopcast/support/request_types.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>

#include "flopcast/support/units.hpp"

namespace flopcast {
namespace request_types_test {

enum class Mood { quiet, busy };

struct Limits {
  int threads = 2;
  std::string kernels = "auto";
};

struct Request {
  std::string routine;
  SizeList n = {100, 200};
  Duration time_budget = 50;
  ByteCount capacity = 0;
  Limits limits;
  Mood mood = Mood::quiet;
  bool validate = false;
};

struct OtherRequest {
  std::string family;
  SizeList n;
  Duration time_budget = 10;
  int validate = 7;
};

}  // namespace request_types_test

using request_types_test::OtherRequest;
using request_types_test::Request;

template <>
struct EnumNames<request_types_test::Mood> {
  using Mood = request_types_test::Mood;
  static constexpr std::array names{std::pair{Mood::quiet, "quiet"}, std::pair{Mood::busy, "busy"}};
};
template <>
Fields FieldTable<Request>::fields() {
  using L = request_types_test::Limits;
  return {field<&T::routine>("a routine").within(bounds::given),
          optional_field<&T::n>("orders").within(bounds::between(1, 1000)),
          optional_field<&T::time_budget>("time").within(bounds::seconds),
          optional_field<&T::capacity>("cache"),
          optional_field<&T::limits, &L::threads>("threads").within(bounds::threads),
          optional_field<&T::limits, &L::kernels>("kernels").named("kernel_choice").one_of({"auto", "library"}),
          optional_field<&T::mood>("mood"),
          optional_field<&T::validate>("validate")};
}
template <>
Fields FieldTable<OtherRequest>::fields() {
  return {field<&T::family>(), optional_field<&T::n>(), optional_field<&T::time_budget>(), optional_field<&T::validate>()};
}

namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Request read(const json& members) {
  json all = {{"routine", "dgeqrf"}};
  all.update(members);
  Request request;
  read_fields(all, request);
  return request;
}

std::string fault_of(const json& members) {
  try {
    static_cast<void>(read(members));
  } catch (const MemberError& error) {
    return error.what();
  }
  return "";
}

nlohmann::ordered_json schema() {
  SchemaMaker maker(OtherMembers::refused);
  nlohmann::ordered_json root = maker.object<Request>();
  return maker.document("request", "", std::move(root));
}

std::string limit_fault_of(const json& members) {
  try {
    require_members_and_bounds(members, schema());
  } catch (const MemberError& error) {
    return error.what();
  }
  return "";
}

TEST(RequestTypes, ReadANumberAListAndATextAlike) {
  for (const json& sizes : {json("100:300:100"), json({100, 200, 300}), json("100,200,300")}) {
    EXPECT_THAT(read({{"n", sizes}}).n, ElementsAre(100, 200, 300)) << sizes;
  }
  EXPECT_THAT(read({{"n", 64}}).n, ElementsAre(64));
  for (const json& time : {json("2min"), json(120), json("120s"), json(120.0)}) {
    EXPECT_EQ(read({{"time_budget", time}}).time_budget, 120) << time;
  }
  for (const json& bytes : {json("2KiB"), json(2048), json("2048")}) {
    EXPECT_EQ(read({{"capacity", bytes}}).capacity, 2048) << bytes;
  }
}

TEST(RequestTypes, NameTheMemberWhoseTextIsWrong) {
  EXPECT_THAT(fault_of({{"n", "100:"}}), HasSubstr("member n: "));
  EXPECT_THAT(fault_of({{"n", true}}), HasSubstr("expected a size, a list of sizes, or a text"));
  EXPECT_THAT(fault_of({{"time_budget", "5 years"}}), HasSubstr("member time_budget: '5 years' is not a duration"));
  EXPECT_THAT(fault_of({{"capacity", "big"}}), HasSubstr("member capacity: 'big' is not"));
}

TEST(RequestTypes, WriteTheValueOfAText) {
  json members;
  write_fields(members, read({{"n", "8:16:8"}, {"time_budget", "1min"}, {"capacity", "1KiB"}}));
  EXPECT_EQ(members["n"], json({8, 16}));
  EXPECT_EQ(members["time_budget"], 60.0);
  EXPECT_EQ(members["capacity"], 1024);
}

TEST(RequestTypes, MembersOfMembersStandInTheTableOfTheRequest) {
  EXPECT_EQ(read({{"threads", 5}, {"kernel_choice", "library"}}).limits.threads, 5);
  EXPECT_EQ(read({{"kernel_choice", "library"}}).limits.kernels, "library");
  EXPECT_EQ(schema()["properties"]["threads"]["default"], 2);
}

TEST(RequestTypes, LimitsAndChoicesAreThoseOfTheTable) {
  EXPECT_THAT(limit_fault_of({{"n", 1001}}), HasSubstr("1001 given, expected 1 to 1000"));
  EXPECT_THAT(limit_fault_of({{"n", {5, 0}}}), HasSubstr("n[1]"));
  EXPECT_THAT(limit_fault_of({{"threads", 0}}), HasSubstr("expected 1 to 1024"));
  EXPECT_THAT(limit_fault_of({{"kernel_choice", "best"}}), HasSubstr("\"best\" given, expected one of auto, library"));
  EXPECT_THAT(limit_fault_of({{"routine", ""}}), HasSubstr("an empty text given"));
  EXPECT_EQ(limit_fault_of({{"n", {5, 1000}}, {"kernel_choice", "auto"}, {"time_budget", "5s"}}), "");
}

TEST(RequestTypes, DocumentsHaveNoTextForms) {
  SchemaMaker maker;
  EXPECT_EQ(maker.of<Duration>()["type"], "number");
  EXPECT_EQ(maker.of<SizeList>()["type"], "array");
  EXPECT_EQ(maker.of<ByteCount>()["type"], "integer");
}

TEST(SizeList, TextIsTheShortestThatReadsAsTheSameSizes) {
  for (const auto& [text, shortest] : {std::pair("8,16,24,32", "8:32:8"), std::pair("8,16", "8,16"), std::pair("100", "100"),
                                       std::pair("16:64:8,80:128:16,160,192,256", "16:64:8,80:128:16,160,192,256")}) {
    const SizeList sizes = parse_sizes(text, "n", 1, SizeList::max_size);
    EXPECT_EQ(SizeList(parse_sizes(to_text(sizes), "n", 1, SizeList::max_size)), sizes) << to_text(sizes);
    EXPECT_LE(to_text(sizes).size(), std::string(shortest).size()) << to_text(sizes);
  }
  EXPECT_EQ(to_text(SizeList()), "");
}

TEST(Duration, TextReadsAsTheSameTime) {
  for (const Seconds seconds : {0.0, 0.5, 50.0, 60.0, 90.0, 600.0, 3600.0, 7200.0, 100000.0}) {
    EXPECT_DOUBLE_EQ(parse_duration(to_text(seconds), "time"), seconds) << to_text(seconds);
  }
  EXPECT_EQ(to_text(600), "10min");
  EXPECT_EQ(to_text(7200), "2h");
}

TEST(WithMembersOf, TakesMembersOfTheSameNameAndType) {
  Request request;
  request.n = {7};
  request.time_budget = 3;
  request.validate = true;
  const auto other = with_members_of<OtherRequest>(request);
  EXPECT_THAT(other.n, ElementsAre(7));
  EXPECT_EQ(other.time_budget, 3);
  EXPECT_EQ(other.family, "");
  EXPECT_EQ(other.validate, 7);
}

}  // namespace
}  // namespace flopcast
