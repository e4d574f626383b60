#include "flopcast/kernel/entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::kernel {
namespace {

using testing::HasSubstr;

/// An entry like that of syrk, with a constraint: C := alpha A A^T + beta C.
Entry product() {
  return Entry{names("dz", "prod"),
               "prod",
               "C := alpha A A^T + beta C",
               {flag("uplo", "UL"), size("n"), size("k"), scalar("alpha"), in("A", full("n", "k")).with(Fill::triangular), ld("lda"),
                update("C", triangle("n")), ld("ldc"), work("work", vec("max(1,k)")), info()},
               "n*(n+1)*k/2",
               "n*(n+1)*k/2"}
      .requiring({"n >= k"});
}

TEST(Entries, HaveARoutineForEachName) {
  const std::vector<Routine> all = routines(product());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "dprod");
  EXPECT_EQ(all[0].precision, Precision::d);
  EXPECT_EQ(all[1].name, "zprod");
  EXPECT_EQ(all[1].precision, Precision::z);
  EXPECT_EQ(all[1].family, "prod");
}

TEST(Entries, NamesBecomeIndices) {
  const Routine routine = routines(product()).front();
  const Argument& a = routine.arguments.at(4);
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(a.kind, Kind::data);
  EXPECT_EQ(a.access, Access::read);
  EXPECT_EQ(a.form, Form::full);
  EXPECT_EQ(a.fill, Fill::triangular);
  EXPECT_EQ(a.stride, 5) << "lda";
  EXPECT_EQ(a.uplo, -1);
  const Argument& c = routine.arguments.at(6);
  EXPECT_EQ(c.access, Access::update);
  EXPECT_EQ(c.uplo, 0);
  EXPECT_EQ(c.stride, 7) << "ldc";
  EXPECT_EQ(routine.arguments.at(8).stride, -1) << "the work space is contiguous";
}

TEST(Entries, FormulaeAreOnesOfTheArguments) {
  const Routine routine = routines(product()).front();
  const std::array<std::int64_t, 10> arguments = {'U', 6, 4, 0, 0, 6, 0, 6, 0, 0};
  EXPECT_EQ(routine.multiplications.value(arguments), 6 * 7 * 4 / 2);
  EXPECT_EQ(routine.arguments.at(4).rows.integer(arguments), 6);
  EXPECT_EQ(routine.arguments.at(4).columns.integer(arguments), 4);
  ASSERT_EQ(routine.constraints.size(), 1U);
  EXPECT_EQ(routine.constraints[0].text, "n >= k");
  EXPECT_EQ(routine.constraints[0].slack.integer(arguments), 2);
}

TEST(Items, ModifiersChangeCopies) {
  const Item plain = out("w", vec("n"));
  const Item changed = plain.as_real().as_integer().skipped(3).with(Fill::zero);
  EXPECT_FALSE(plain.argument.real);
  EXPECT_TRUE(changed.argument.real);
  EXPECT_TRUE(changed.argument.integer);
  EXPECT_EQ(changed.argument.fill, Fill::zero);
  EXPECT_EQ(changed.shape.skipped, "3");
  EXPECT_EQ(plain.shape.skipped, "");
  EXPECT_EQ(ld("lda").at_least("max(1,n)").shape.rows, "max(1,n)");
}

TEST(Shapes, AreShiftedByRowsAndColumns) {
  const OperandLayout part = full("m", "n").from("k1 - 1", "2");
  EXPECT_EQ(part.offset, "k1 - 1");
  EXPECT_EQ(part.column_offset, "2");
  EXPECT_EQ(part.rows, "m");
  const OperandLayout reduced = hessenberg("ilo", "ihi", "n");
  EXPECT_EQ(reduced.form, Form::hessenberg);
  EXPECT_EQ(reduced.rows, "ihi");
  EXPECT_EQ(reduced.upper, "max(0,(ihi) - (ilo))");
}

TEST(Shapes, TrianglesMayBeFixed) {
  Entry entry = product();
  entry.items[6] = update("C", triangle("n", "L"));
  const Argument& c = routines(entry).front().arguments.at(6);
  EXPECT_EQ(c.uplo, -1);
  EXPECT_EQ(c.fixed_uplo, 'L');
}

/// Returns the message of the internal error that compiling an entry throws.
std::string message(const Entry& entry) {
  try {
    routines(entry);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    return error.what();
  }
  return "nothing thrown";
}

TEST(Entries, MistakesAreInternalErrors) {
  Entry entry = product();
  entry.items[6] = update("C", triangle("n", "side"));
  EXPECT_THAT(message(entry), HasSubstr("'side' is not a flag of the routine"));
  entry = product();
  entry.items[6] = update("C", triangle("n", "k"));
  EXPECT_THAT(message(entry), HasSubstr("'k' is not a flag of the routine")) << "a size";
  EXPECT_THAT(message(product().requiring({"n > k"})), HasSubstr("'n > k' lacks the relation >="));
  entry = product();
  entry.multiplications = "n*m";
  EXPECT_NE(message(entry), "nothing thrown") << "there is no m";
  entry = product();
  entry.items.resize(Call::max_arguments + 1, size("more"));
  EXPECT_THAT(message(entry), HasSubstr("arguments, at most"));
}

}  // namespace
}  // namespace flopcast::kernel
