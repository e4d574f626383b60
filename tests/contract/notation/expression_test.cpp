#include "flopcast/contract/notation/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Shapes = std::vector<std::vector<std::int64_t>>;

TEST(Expression, OfIntegersFollowsTheSameRules) {
  EXPECT_THAT(make_expression({{{7, 3}}, {{3, 0}}}).result.labels, ElementsAre(0, 7));
  EXPECT_EQ(to_string(make_expression({{{7, 3}, 1}, {{3, 0}, {}, true}}, Subscripts{{0}, 0})), "[7 ... 3],conj([3 0])->[... 0]");
  EXPECT_THAT(tests::bad_input_of([] { make_expression({}); }), HasSubstr("expected one operand or more"));
  EXPECT_THAT(tests::bad_input_of([] {
                make_expression({{{1, 2}}}, Subscripts{{3}});
              }),
              HasSubstr("label 3 of the result is in no operand"));
  EXPECT_THAT(tests::bad_input_of([] {
                make_expression({{{1, 2}, 3}});
              }),
              HasSubstr("ellipsis of operand 1 stands behind 3 labels, but there are 2"));
}

TEST(SizedExpression, RepeatsAxesOfSizeOne) {
  const SizedExpression sized = with_shapes(parse_expression("ij,jk"), Shapes{{3, 1}, {4, 5}});
  EXPECT_EQ(sized.extent('j'), 4);
  EXPECT_THAT(sized.result_shape(), ElementsAre(3, 5));
  EXPECT_EQ(with_shapes(parse_expression("i,i->i"), Shapes{{0}, {1}}).extent('i'), 0);
  EXPECT_EQ(with_shapes(parse_expression("ii,i->i"), Shapes{{1, 1}, {3}}).extent('i'), 3);
}

TEST(SizedExpression, MatchesEllipsesFromTheRight) {
  const SizedExpression sized = with_shapes(parse_expression("...i,i...->...i"), Shapes{{3, 1, 4}, {4, 5}});
  EXPECT_THAT(sized.result_shape(), ElementsAre(3, 5, 4));
  EXPECT_EQ(sized.operands[0].labels[1], sized.operands[1].labels[1]);
  EXPECT_THAT(with_shapes(parse_expression("i...->i"), Shapes{{3}}).result_shape(), ElementsAre(3));
  EXPECT_THAT(with_shapes(parse_expression("i->i..."), Shapes{{3}}).result_shape(), ElementsAre(3));
  EXPECT_THAT(with_shapes(make_expression({{{-5, 2}, 1}}), Shapes{{3, 7, 4}}).result_shape(), ElementsAre(7, 3, 4))
      << "negative labels differ from those of the ellipsis";
  EXPECT_THAT(with_shapes(parse_expression("ii...->...i"), Shapes{{3, 3, 2}}).result_shape(), ElementsAre(2, 3));
}

TEST(SizedExpression, ErrorsNameOperandLabelAndSizes) {
  const auto says = [](const std::string& text, const Shapes& shapes) {
    return tests::bad_input_of([&] { with_shapes(parse_expression(text), shapes); });
  };
  EXPECT_THAT(says("ij,jk", {{2, 3}, {4, 5}}), HasSubstr("label j has size 4 in operand 2, but 3 in an operand before"));
  EXPECT_THAT(says("ii", {{1, 3}}), HasSubstr("label i of operand 1 has sizes 1 and 3"));
  EXPECT_THAT(says("ij", {{1, 3, 4}}), HasSubstr("operand 1 has 2 labels for 3 axes; '...' for the other axes is needed"));
  EXPECT_THAT(says("ijkl", {{1, 3, 4}}), HasSubstr("operand 1 has 4 labels for 3 axes; fewer labels are needed"));
  EXPECT_THAT(says("ij...", {{1}}), HasSubstr("operand 1 has 2 labels for 1 axis; fewer labels are needed"));
  EXPECT_THAT(says("i...->i", {{3, 2}}), HasSubstr("'...' stands for 1 axis, but the result has no '...'"));
  EXPECT_THAT(says("...i,...i->...", {{3, 2, 4}, {5, 4}}), HasSubstr("label axis 1 of ... has size 5 in operand 2, but 2"));
  EXPECT_THAT(says("i,j", {{3}}), HasSubstr("has 2 operands, but 1 shape is given"));
  EXPECT_THAT(says("i", {{-3}}), HasSubstr("label i has size -3 in operand 1"));
}

TEST(SizedExpression, ReadsSizes) {
  const Expression expression = parse_expression("iα,αk");
  const auto read_sizes = [&](const std::vector<std::string>& words) { return parse_sizes(words, expression); };
  const std::map<Label, std::int64_t> expected = {{'i', 4}, {0x3b1, 4}, {'k', 0}};
  EXPECT_EQ(read_sizes({"i=α=4", "k=0"}), expected);
  EXPECT_EQ(read_sizes({"i=4,α=4,k=0"}), expected);
  const auto says = [&](const std::vector<std::string>& words) { return tests::bad_input_of([&] { read_sizes(words); }); };
  EXPECT_THAT(says({"i=1", "α=i=2"}), HasSubstr("label i is given two sizes, 1 and 2"));
  EXPECT_THAT(says({"β=1"}), HasSubstr("size 'β=1': 'β' is no label of iα,αk->ik"));
  EXPECT_THAT(says({"ik=1"}), HasSubstr("'ik' is no label"));
  EXPECT_THAT(says({"i==1"}), HasSubstr("'' is no label"));
  EXPECT_THAT(says({"i=-1"}), HasSubstr("size of i"));
  EXPECT_THAT(says({"400"}), HasSubstr("size '400' is not LABEL=SIZE"));
}

TEST(SizedExpression, TakesSizesOfLabels) {
  EXPECT_EQ(with_extents(parse_expression("ij,jk"), {{'i', 2}, {'j', 3}, {'k', 4}}).shapes, (Shapes{{2, 3}, {3, 4}}));
  EXPECT_THAT(tests::bad_input_of([] {
                with_extents(parse_expression("ij,jk"), {{'i', 2}, {'j', 3}});
              }),
              HasSubstr("label k of operand 2 has no size"));
  EXPECT_THAT(tests::bad_input_of([] { with_extents(parse_expression("i..."), {{'i', 2}}); }), HasSubstr("axes of '...' in operand 1"));
}

}  // namespace
}  // namespace flopcast::contract
