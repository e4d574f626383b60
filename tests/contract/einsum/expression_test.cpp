#include "flopcast/contract/notation/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Shapes = std::vector<std::vector<std::int64_t>>;

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "nothing was thrown";
}

std::string refusal(const std::string& text) {
  return message([&] { parse_expression(text); });
}

/// Returns einsum's notation of what was read.
std::string read(const std::string& text) { return to_string(parse_expression(text)); }

TEST(Expression, MessagesAboutManyLabelsTakeLinearTime) {
  const Expression expression = parse_expression(std::string(1 << 18, 'i'));  // minutes if each label looked at all others
  EXPECT_THAT(message([&] { with_shapes(expression, Shapes{{2, 2}}); }), HasSubstr("operand 1 has 262144 labels for 2 axes"));
}

TEST(Expression, IsReadInThreeNotations) {
  for (const char* text :
       {"abc=ai,ibc", "C_abc := A_ai B_ibc", "ai,ibc->abc", " abc = ai , ibc ", "C_{abc} := A_{ai} B_{ibc}", "C_abc := A_ai * B_ibc",
        "C_abc = A_ai B_ibc", "C_{abc}=A_{ai}*B_{ibc}", "C_abc:=A_aiB_ibc", "C_abc := A_a i B_ibc"}) {
    EXPECT_EQ(read(text), "ai,ibc->abc") << text;
  }
  EXPECT_EQ(read("=a,a"), "a,a->");
  EXPECT_EQ(read(",a->a"), ",a->a");
  EXPECT_EQ(read("C := A_i B_i"), "i,i->");
  EXPECT_EQ(read("C := A B"), ",->");
  EXPECT_EQ(read("C_bc := A B_bc"), ",bc->bc");
  EXPECT_EQ(read("C_ab := A_{ab} B"), "ab,->ab");
}

TEST(Expression, TakesAnyNumberOfOperands) {
  EXPECT_EQ(read(""), "->");
  EXPECT_EQ(read("ij->ji"), "ij->ji");
  EXPECT_EQ(read("ji=ij"), "ij->ji");
  EXPECT_EQ(read("D_ij := A_ji"), "ji->ij");
  EXPECT_EQ(read("ab,bc,cd->ad"), "ab,bc,cd->ad");
  EXPECT_EQ(read("ad=ab,bc,cd"), "ab,bc,cd->ad");
  EXPECT_EQ(read("D_ad := A_ab B_bc * C_cd s"), "ab,bc,cds->ad") << "blanks mean nothing";
  EXPECT_EQ(read("D_ad := A_ab B_bc C_cd * s"), "ab,bc,cd,->ad");
}

TEST(Expression, ConjugatesOperands) {
  EXPECT_EQ(read("conj(ki),kj->ij"), "conj(ki),kj->ij");
  EXPECT_EQ(read("C_ij := conj(A_ki) B_kj"), "conj(ki),kj->ij");
  EXPECT_EQ(read("C_ij := A_kiconj(B_{kj})"), "ki,conj(kj)->ij");
  EXPECT_EQ(read("C := conj(A) conj(B)"), "conj(),conj()->");
  EXPECT_EQ(read("conj(conj(k)),conj(k)->"), "k,conj(k)->");
  EXPECT_EQ(read("conj->conj"), "conj->conj") << "four labels";
}

TEST(Expression, CompletesTheResultAsNumPyDoes) {
  EXPECT_EQ(read("ij,jk"), "ij,jk->ik");
  EXPECT_EQ(read("ba"), "ba->ab");
  EXPECT_EQ(read("aB"), "aB->Ba") << "capitals come first";
  EXPECT_EQ(read("ii"), "ii->");
  EXPECT_EQ(read("b...a"), "b...a->...ab");
  EXPECT_EQ(read("...,i..."), "...,i...->...i");
  EXPECT_EQ(read("A_ij B_jk"), "ij,jk->ik");
  EXPECT_EQ(read("βα"), "βα->αβ");
}

TEST(Expression, TakesUnicodeAndManyLabels) {
  const Expression expression = parse_expression("αé,é𝛼->α𝛼");
  EXPECT_THAT(expression.operands[1].labels, ElementsAre(0xe9, 0x1d6fc));
  EXPECT_EQ(to_string(expression), "αé,é𝛼->α𝛼");
  EXPECT_EQ(read("C_αγ := Α_αβ Β_βγ"), "αβ,βγ->αγ");
  std::vector<Label> many(100);
  std::iota(many.begin(), many.end(), 0);
  const Expression numbers = make_expression({{many}, {many}});
  EXPECT_TRUE(numbers.result.labels.empty());
  EXPECT_EQ(make_expression({{many}}).result.labels, many);
}

TEST(Expression, OfIntegersFollowsTheSameRules) {
  EXPECT_THAT(make_expression({{{7, 3}}, {{3, 0}}}).result.labels, ElementsAre(0, 7));
  EXPECT_EQ(to_string(make_expression({{{7, 3}, 1}, {{3, 0}, {}, true}}, Subscripts{{0}, 0})), "[7 ... 3],conj([3 0])->[... 0]");
  EXPECT_THAT(message([] { make_expression({}); }), HasSubstr("expected one operand or more"));
  EXPECT_THAT(message([] { make_expression({{{1, 2}}}, Subscripts{{3}}); }), HasSubstr("label 3 of the result is in no operand"));
  EXPECT_THAT(message([] { make_expression({{{1, 2}, 3}}); }), HasSubstr("ellipsis of operand 1 stands behind 3 labels, but there are 2"));
}

TEST(Expression, ErrorsNameOperandLabelAndPosition) {
  EXPECT_THAT(refusal("ij,j$->i"),
              AllOf(HasSubstr("expression 'ij,j$->i'"), HasSubstr("'$' at position 5 in operand 2"), HasSubstr("expected")));
  EXPECT_THAT(refusal("a1,1b->ab"), HasSubstr("'1' at position 2 in operand 1"));
  EXPECT_THAT(refusal("ij,jk->i1"), HasSubstr("'1' at position 9 in the result"));
  EXPECT_THAT(refusal("ij,jk->ix"), HasSubstr("label x of the result is in no operand"));
  EXPECT_THAT(refusal("i..j->ij"), AllOf(HasSubstr("'.' at position 2"), HasSubstr("three points")));
  EXPECT_THAT(refusal("...i...->i"), AllOf(HasSubstr("'.' at position 5"), HasSubstr("one ellipsis")));
  EXPECT_THAT(refusal("ij->i->j"), HasSubstr("'-' at position 6 in the result"));
  EXPECT_THAT(refusal("ij=ij->ij"), HasSubstr("'->' or '=', not both"));
  EXPECT_THAT(refusal("conj(ij->ij"), AllOf(HasSubstr("operand 1"), HasSubstr("')'")));
  EXPECT_THAT(refusal("ij->conj(ij)"), HasSubstr("'(' at position 9 in the result"));
  EXPECT_THAT(refusal("C_ij := A_{ij"), AllOf(HasSubstr("ends within operand 1"), HasSubstr("'}'")));
  EXPECT_THAT(refusal("C_ij := A_"), HasSubstr("ends within operand 1; expected labels behind '_'"));
  EXPECT_THAT(refusal("C_ij := A_ij *"), AllOf(HasSubstr("ends within operand 2"), HasSubstr("the name of a tensor")));
  EXPECT_THAT(refusal("C_ij := "), HasSubstr("ends within operand 1"));
  EXPECT_THAT(refusal(" = A_i B_i"), HasSubstr("in the result"));
  EXPECT_THAT(refusal("C_ij := conj(A_ij B_i)"), AllOf(HasSubstr("operand 1"), HasSubstr("')'")));
  EXPECT_THAT(refusal("conj(C_ij) := A_ij"), HasSubstr("in the result; expected one tensor"));
  EXPECT_THAT(refusal("ab,b\xce->ac"), HasSubstr("expression 'ab,b\\xce->ac': byte \\xce at position 5 isn't UTF-8"));
  EXPECT_THAT(refusal("i\xc2\xa0j->i"), HasSubstr("'U+00A0' at position 2")) << "a no-break space";
  EXPECT_THAT(refusal("\xc0\xaf"), HasSubstr("isn't UTF-8")) << "an overlong form";
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
    return message([&] { with_shapes(parse_expression(text), shapes); });
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
  const auto says = [&](const std::vector<std::string>& words) { return message([&] { read_sizes(words); }); };
  EXPECT_THAT(says({"i=1", "α=i=2"}), HasSubstr("label i is given two sizes, 1 and 2"));
  EXPECT_THAT(says({"β=1"}), HasSubstr("size 'β=1': 'β' is no label of iα,αk->ik"));
  EXPECT_THAT(says({"ik=1"}), HasSubstr("'ik' is no label"));
  EXPECT_THAT(says({"i==1"}), HasSubstr("'' is no label"));
  EXPECT_THAT(says({"i=-1"}), HasSubstr("size of i"));
  EXPECT_THAT(says({"400"}), HasSubstr("size '400' is not LABEL=SIZE"));
}

TEST(SizedExpression, TakesSizesOfLabels) {
  EXPECT_EQ(with_extents(parse_expression("ij,jk"), {{'i', 2}, {'j', 3}, {'k', 4}}).shapes, (Shapes{{2, 3}, {3, 4}}));
  EXPECT_THAT(message([] {
                with_extents(parse_expression("ij,jk"), {{'i', 2}, {'j', 3}});
              }),
              HasSubstr("label k of operand 2 has no size"));
  EXPECT_THAT(message([] { with_extents(parse_expression("i..."), {{'i', 2}}); }), HasSubstr("axes of '...' in operand 1"));
}

}  // namespace
}  // namespace flopcast::contract
