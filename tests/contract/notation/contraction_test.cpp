#include "flopcast/contract/notation/contraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.hpp"

namespace flopcast::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Notation, IsReadInThreeWays) {
  const Notation expected{"ai", "ibc", "abc"};
  for (const char* text : {"abc=ai,ibc", "C_abc := A_ai B_ibc", "ai,ibc->abc", " abc = ai , ibc ", "C_{abc} := A_{ai} B_{ibc}",
                           "C_abc := A_ai * B_ibc", "C_abc = A_ai B_ibc", "C_{abc}=A_{ai}*B_{ibc}", "C_abc:=A_aiB_ibc"}) {
    EXPECT_EQ(parse_notation(text), expected) << text;
  }
  EXPECT_EQ(parse_notation("=a,a"), (Notation{"a", "a", ""}));
  EXPECT_EQ(parse_notation(",a->a"), (Notation{"", "a", "a"}));
  EXPECT_EQ(parse_notation("C := A_i B_i"), (Notation{"i", "i", ""}));
  EXPECT_EQ(parse_notation("C := A B"), (Notation{"", "", ""}));
}

TEST(Notation, ErrorsNameTheProblem) {
  const auto says = [](const std::string& text) { return tests::bad_input_of([&] { parse_notation(text); }); };
  EXPECT_THAT(says("abc"), HasSubstr("contraction 'abc->abc' has 1 operand; it takes two"));
  EXPECT_THAT(says("C_a := A_ai"), HasSubstr("has 1 operand; it takes two"));
  EXPECT_THAT(says("= A_a B_a"), HasSubstr("in the result; expected the name of a tensor"));
  EXPECT_THAT(says("a=ai"), HasSubstr("has 1 operand; it takes two"));
  EXPECT_THAT(says("a=a,a,a"), HasSubstr("has 3 operands; it takes two"));
  EXPECT_THAT(says("ab=aij,ijjb"), HasSubstr("index j is repeated in B"));
  EXPECT_THAT(says("ab=aik,ib"), HasSubstr("index k is in A only"));
  EXPECT_THAT(says("abx=ai,ib"), HasSubstr("label x of the result is in no operand"));
  EXPECT_THAT(says("ab=a1,1b"), HasSubstr("unexpected '1'"));
  EXPECT_THAT(says("ab=...a,b"), HasSubstr("A has '...'"));
  EXPECT_THAT(says("conj(ai),ib->ab"), HasSubstr("A is conjugated"));
  EXPECT_THAT(says("αβ,βγ->αγ"),
              HasSubstr("contraction 'αβ,βγ->αγ': 'α' in A is no index; an index is one of the letters a to z and A to Z"));
  EXPECT_THAT(says("ab,b\xce->ac"), HasSubstr("byte \\xce"));
}

TEST(Notation, OfAnExpressionThatIsAContraction) {
  EXPECT_TRUE(is_contraction(parse_expression("ai,ibc->abc")));
  EXPECT_TRUE(is_contraction(parse_expression("ai,ib"))) << "the result is ab";
  EXPECT_FALSE(is_contraction(parse_expression("ab,bc,cd->ad")));
  EXPECT_FALSE(is_contraction(parse_expression("aix,ib->ab")));
  EXPECT_EQ(notation_of(parse_expression("ai,ib")), (Notation{"ai", "ib", "ab"}));
}

TEST(Contraction, HasTheRequestedLayout) {
  const Notation notation = parse_notation("abc=ai,ibc");
  const Extents extents{{'a', 2}, {'b', 3}, {'c', 5}, {'i', 7}};
  const Contraction columns = make_contraction(notation, extents);
  EXPECT_THAT(columns.tensor(Operand::b).strides, ElementsAre(1, 7, 21));
  const Contraction rows = make_contraction(notation, extents, Precision::d, Order::row_major);
  EXPECT_THAT(rows.tensor(Operand::b).strides, ElementsAre(15, 5, 1));
  EXPECT_EQ(columns.role('a'), IndexRole::free_a);
  EXPECT_EQ(columns.role('c'), IndexRole::free_b);
  EXPECT_EQ(columns.role('i'), IndexRole::contracted);
  EXPECT_EQ(flops(columns), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(columns.elements(Operand::c), 30);
}

TEST(Contraction, RefusesImpossibleSizesAndStrides) {
  const Notation notation = parse_notation("ab=ai,ib");
  const Extents extents{{'a', 2}, {'b', 3}, {'i', 4}};
  EXPECT_THAT(tests::bad_input_of([&] { make_contraction(notation, {{'a', 1}}); }), HasSubstr("index i of ab=ai,ib has no size"));
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(notation, {{'a', 1}, {'b', 2}, {'i', 99999999999}});
              }),
              HasSubstr("out of range"));
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(notation, {{'a', -1}, {'b', 1}, {'i', 1}});
              }),
              HasSubstr("size of a: -1 is out of range"));
  const std::int64_t huge = 2'000'000'000;
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(parse_notation("abc=ai,ibc"), {{'a', huge}, {'b', huge}, {'c', huge}, {'i', 1}});
              }),
              HasSubstr("more elements than 63 bits can address"));
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(notation, extents, Precision::d, Order::column_major, {{{}, {}, {1, 1}}});
              }),
              HasSubstr("let elements share addresses"));
  EXPECT_EQ(tests::bad_input_of([&] {
              make_contraction(notation, extents, Precision::d, Order::column_major, {{{}, {}, {3, 2}}});
            }),
            "nothing was thrown")
      << "interleaved, but apart";
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(notation, extents, Precision::d, Order::column_major, {{{}, {std::int64_t{1} << 60, 1}, {}}});
              }),
              HasSubstr("strides of B reach"));
  EXPECT_THAT(tests::bad_input_of([&] {
                make_contraction(notation, extents, Precision::d, Order::column_major, {{{1}, {}, {}}});
              }),
              HasSubstr("1 strides given for A, which has 2 indices"));
}

}  // namespace
}  // namespace flopcast::contract
