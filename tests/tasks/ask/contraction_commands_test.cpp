#include <gmock/gmock.h>

#include <string>

#include "tests/message_of.hpp"
#include "tests/tasks/ask/refusal.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;
using tests::bad_input_of;

TEST(Ask, RefusesExpressionsThatContradict) {
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ij->k", "sizes": {"i": 2, "j": 2}}})"), HasSubstr("contract.expression"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ij->i", "sizes": {"i": 2}}})"), HasSubstr("contract.sizes"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "i->i", "sizes": {"i": 2, "j": 3}}})"),
              HasSubstr("contract.sizes: 'j' has a size, but is no label of i->i"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "i->i", "sizes": {"ij": 2}}})"), HasSubstr("contract.sizes: 'ij' is no label"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "i->i", "sizes": {"i": 2}, "precision": "x"}})"), HasSubstr("contract.precision"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "ai,ib->ab", "sizes": {"a": 2, "b": 2, "i": 2}, "tiles": "8x8"}})"),
              HasSubstr("contract.tiles"));
  EXPECT_THAT(refusal(R"({"contract_rank": {"expression": "ai,i->a", "sizes": {"a": 2, "i": 2}, "stage": "last"}})"),
              HasSubstr("one of repeated, distance, prefetching, failures, first, segments"));
}

TEST(Ask, RefusesFilesBesideWhatTheyHaveThemselves) {
  EXPECT_THAT(refusal(R"({"contract": {"expression": "i->", "operands": ["a.npy"]}})"), HasSubstr("contract.result"));
  EXPECT_THAT(refusal(R"({"contract": {"expression": "i->", "result": "a.npy"}})"), HasSubstr("contract.operands"));
  const std::string files = R"({"contract": {"expression": "i->", "operands": ["a.npy"], "result": "b.npy", )";
  EXPECT_THAT(refusal(files + R"("sizes": {"i": 2}}})"), HasSubstr("contract.sizes: files have their own"));
  EXPECT_THAT(refusal(files + R"("strides": {"A": [2]}}})"), HasSubstr("contract.strides: files have their own"));
  EXPECT_THAT(refusal(files + R"("execute": false}})"), HasSubstr("contract.execute"));
}

TEST(Ask, RefusesStridesThatContradictTheExpression) {
  const auto refused = [](const std::string& expression, const std::string& strides) {
    return refusal(R"({"contract": {"expression": ")" + expression + R"(", "sizes": {"i": 2, "j": 3}, "strides": )" + strides + "}}");
  };
  EXPECT_THAT(refused("ij,j->i", R"({"A": [3]})"),
              HasSubstr("contract.strides: 'A' has 2 indices, but 1 stride is given; expected one per index of 'ij,j->i'"));
  EXPECT_THAT(refused("ij,j->i", R"({"result": [1, 2]})"), HasSubstr("'result' has 1 index, but 2 strides are given"));
  EXPECT_THAT(refused("ij,j->i", R"({"3": [1]})"), HasSubstr("number of an operand: 3 is out of range"));
  EXPECT_THAT(refused("ij,j->i", R"({"D": [1]})"), HasSubstr("'D' is no tensor; expected A, B, C, 1, 2 or result"));
  EXPECT_THAT(refused("ij,j,j->i", R"({"A": [3, 1]})"), HasSubstr("'A' is no tensor; expected 1, 2, ... or result"));
  EXPECT_THAT(refused("ij->ij", R"({"B": [3, 1]})"), HasSubstr("has one operand, A"));
  EXPECT_THAT(refused("ij,j->i", R"({"A": [3, 1], "1": [3, 1]})"), HasSubstr("a tensor may have two names"));
  EXPECT_THAT(refused("ij,j->i", R"({"A": [3, 0.5]})"), HasSubstr("contract.strides.A[1]"));
  EXPECT_THAT(refused("ij->ij", R"({"result": [1, 1]})"), HasSubstr("let elements share addresses"));
}

}  // namespace
}  // namespace flopcast
