#include "flopcast/model/sqlite.hpp"

#include <gtest/gtest.h>

#include "tests/own_folder.hpp"
#include "tests/support/fork_beside.hpp"

namespace flopcast::model::sqlite {
namespace {

constexpr int busy_milliseconds = 100;

/// A child would take another thread's locks within SQLite, which its copy of the memory holds, for those of its own process.
TEST(Sqlite, ForkWaitsForStatementsAndTransactionsOfOtherThreads) {
  const tests::OwnFolder folder;
  const std::string path = folder.path() / "store";
  Database database(path, busy_milliseconds);
  database.execute("CREATE TABLE numbers (number); INSERT INTO numbers VALUES (1), (2)");
  const auto write = [&] {
    try {
      Database own(path, busy_milliseconds);
      own.execute("INSERT INTO numbers VALUES (3)");
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(fork_beside(
      [&](const std::function<void()>& wait_for_fork) {
        Statement statement(database, "SELECT number FROM numbers");
        EXPECT_TRUE(statement.step());
        wait_for_fork();
      },
      write));
  EXPECT_TRUE(fork_beside(
      [&](const std::function<void()>& wait_for_fork) {
        Transaction transaction(database);
        database.execute("INSERT INTO numbers VALUES (4)");
        wait_for_fork();
        transaction.commit();
      },
      write));
  EXPECT_EQ(database.integer("SELECT count(*) FROM numbers"), 5);
}

}  // namespace
}  // namespace flopcast::model::sqlite
