#include "flopcast/contract/notation/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/message_of.hpp"

namespace flopcast::contract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Shapes = std::vector<std::vector<std::int64_t>>;

std::string refusal(const std::string& text) {
  return tests::bad_input_of([&] { parse_expression(text); });
}

/// Returns einsum's notation of what was read.
std::string read(const std::string& text) { return to_string(parse_expression(text)); }

/// Expects that each text is read as einsum's notation that stands before it.
void expect_notation(std::initializer_list<std::pair<const char*, std::vector<const char*>>> cases) {
  for (const auto& [notation, texts] : cases) {
    for (const char* text : texts) {
      EXPECT_EQ(read(text), notation) << text;
    }
  }
}

TEST(Expression, MessagesAboutManyLabelsTakeLinearTime) {
  const Expression expression = parse_expression(std::string(1 << 18, 'i'));  // minutes if each label looked at all others
  EXPECT_THAT(tests::bad_input_of([&] { with_shapes(expression, Shapes{{2, 2}}); }), HasSubstr("operand 1 has 262144 labels for 2 axes"));
}

TEST(Expression, IsReadInThreeNotations) {
  expect_notation({{"ai,ibc->abc",
                    {"abc=ai,ibc", "C_abc := A_ai B_ibc", "ai,ibc->abc", " abc = ai , ibc ", "C_{abc} := A_{ai} B_{ibc}",
                     "C_abc := A_ai * B_ibc", "C_abc = A_ai B_ibc", "C_{abc}=A_{ai}*B_{ibc}", "C_abc:=A_aiB_ibc", "C_abc := A_a i B_ibc"}},
                   {"a,a->", {"=a,a"}},
                   {",a->a", {",a->a"}},
                   {"i,i->", {"C := A_i B_i"}},
                   {",->", {"C := A B"}},
                   {",bc->bc", {"C_bc := A B_bc"}},
                   {"ab,->ab", {"C_ab := A_{ab} B"}}});
}

TEST(Expression, TakesAnyNumberOfOperands) {
  expect_notation(
      {{"->", {""}}, {"ij->ji", {"ij->ji", "ji=ij"}}, {"ji->ij", {"D_ij := A_ji"}}, {"ab,bc,cd->ad", {"ab,bc,cd->ad", "ad=ab,bc,cd"}}});
  EXPECT_EQ(read("D_ad := A_ab B_bc * C_cd s"), "ab,bc,cds->ad") << "blanks mean nothing";
  EXPECT_EQ(read("D_ad := A_ab B_bc C_cd * s"), "ab,bc,cd,->ad");
}

TEST(Expression, ConjugatesOperands) {
  expect_notation({{"conj(ki),kj->ij", {"conj(ki),kj->ij", "C_ij := conj(A_ki) B_kj"}},
                   {"ki,conj(kj)->ij", {"C_ij := A_kiconj(B_{kj})"}},
                   {"conj(),conj()->", {"C := conj(A) conj(B)"}},
                   {"k,conj(k)->", {"conj(conj(k)),conj(k)->"}}});
  EXPECT_EQ(read("conj->conj"), "conj->conj") << "four labels";
}

TEST(Expression, CompletesTheResultAsNumPyDoes) {
  expect_notation({{"ij,jk->ik", {"ij,jk", "A_ij B_jk"}},
                   {"ba->ab", {"ba"}},
                   {"ii->", {"ii"}},
                   {"b...a->...ab", {"b...a"}},
                   {"...,i...->...i", {"...,i..."}},
                   {"βα->αβ", {"βα"}}});
  EXPECT_EQ(read("aB"), "aB->Ba") << "capitals come first";
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

TEST(NamedExpression, HasTheLettersOfAFormula) {
  const NamedExpression named = parse_named_expression("W_{abij} := conj(V_abcd) * T_cdij * s");
  EXPECT_EQ(named.operands, (std::vector<std::string>{"V", "T", "s"}));
  EXPECT_EQ(named.result, "W");
  EXPECT_EQ(named.expression, parse_expression("W_{abij} := conj(V_abcd) * T_cdij * s"));
}

TEST(NamedExpression, CallsTensorsABCInOtherNotations) {
  EXPECT_EQ(parse_named_expression("ai,ib->ab").operands, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(parse_named_expression("ab=ai,ib").result, "C");
  EXPECT_EQ(parse_named_expression("a,b,c,d->abcd").result, "E");
}

TEST(NamedExpression, NeedsAResultInAFormula) {
  EXPECT_THAT(tests::bad_input_of([] { parse_named_expression("A_ai B_ib"); }), HasSubstr("'A_ai B_ib' names no result"));
  std::string many = "a";
  for (int i = 0; i < 25; ++i) {
    many += ",a";
  }
  EXPECT_THAT(tests::bad_input_of([&] { parse_named_expression(many); }), HasSubstr("has 26 operands without names; expected 25 at most"));
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

}  // namespace
}  // namespace flopcast::contract
