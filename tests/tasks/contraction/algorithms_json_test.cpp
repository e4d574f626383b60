#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/contraction/fake_ranking.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;

TEST_F(Ranking, ReadsBackFromJson) {
  request_.validate = true;
  const AlgorithmRanking ranking = rank();
  EXPECT_EQ(algorithm_ranking_from_json(to_json(ranking)), ranking);
  EXPECT_EQ(tests::schema_violation(to_json(ranking), algorithms_schemas()), "");
  request_.validate = false;
  const AlgorithmRanking unvalidated = rank();
  EXPECT_EQ(algorithm_ranking_from_json(to_json(unvalidated)), unvalidated);
  EXPECT_EQ(tests::schema_violation(to_json(unvalidated), algorithms_schemas()), "");
}

TEST(AlgorithmDocuments, ListsReadBack) {
  const contract::Contraction scattered =
      contract::make_contraction(contract::parse_notation("abc=ija,jbic"), {{'a', 4}, {'b', 5}, {'c', 6}, {'i', 7}, {'j', 8}}, Precision::z,
                                 contract::Order::row_major);
  const AlgorithmList list{scattered, contract::generate(scattered)};
  EXPECT_EQ(algorithm_list_from_json(to_json(list)), list);
  EXPECT_EQ(tests::schema_violation(to_json(list), algorithms_schemas()), "");
  EXPECT_TRUE(std::any_of(list.algorithms.begin(), list.algorithms.end(), [](const auto& one) { return !one.copies.empty(); }));
}

TEST(AlgorithmDocuments, NameTheWrongMember) {
  const std::string text = to_json(AlgorithmList{ranked_contraction(), contract::generate(ranked_contraction())});
  const auto says = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    try {
      static_cast<void>(algorithm_list_from_json(damaged));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(says("abc=ai,ibc", "abc=ai"), HasSubstr("contraction"));
  EXPECT_THAT(says("\"precision\": \"d\"", "\"precision\": \"x\""), HasSubstr("precision"));
  EXPECT_THAT(says("\"kernel\": \"dot\"", "\"kernel\": \"trsm\""), HasSubstr("algorithms[0].kernel"));
  EXPECT_THAT(says("flopcast-contract-1", "flopcast-contract-9"), HasSubstr("schema"));
}

}  // namespace
}  // namespace flopcast
