#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "flopcast/support/error.hpp"
#include "flopcast/support/no_fork_scope.hpp"

/// The part of SQLite that the store needs, with errors as exceptions.
namespace flopcast::model::sqlite {

/// Thrown by operations on a truncated database or a file that is no database. open() of the store recovers from it.
class Damaged : public Error {
 public:
  explicit Damaged(const std::string& message) : Error(ExitCode::environment, message) {}
};

/// Suffix of the file beside a database that records a successful check. The file is removed when damage is found.
inline constexpr const char* check_note_suffix = ".checked";

class Database;

/// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t value);
  /// Goes to the next row; returns false after the last row.
  bool step();
  /// Steps to the end and resets the statement, so that it can run again.
  void run();
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  NoForkScope scope_;  ///< a child could find the locks of SQLite taken for ever
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database file.
class Database {
 public:
  /// Opens `path`, and creates the file if it doesn't exist. Waits up to `busy_milliseconds` for other processes.
  Database(const std::filesystem::path& path, int busy_milliseconds);
  /// Returns a copy in memory of the file `path`, which is only read: also where it may not be written, or its folder is full. Throws as
  /// the other functions if the file can't be read. With `alone`, what other processes have not yet put into the file itself is left out.
  static Database copy_of(const std::filesystem::path& path, bool alone);

  void execute(const std::string& sql);
  /// Returns the first column of the first row of a query; 0 or empty without rows.
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);
  /// Throws the exception for `code`: Damaged, or environment_error for a full disk, a file that can't be written or a lock that isn't
  /// released. Throws internal_error for other codes.
  [[noreturn]] void fail(int code) const;

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Database() = default;

  struct Close {
    void operator()(sqlite3* handle) const noexcept {
      const NoForkScope scope;
      sqlite3_close_v2(handle);
    }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A transaction: everything between its construction and commit() takes effect at once, or not at all without commit().
class Transaction {
 public:
  enum class For : std::uint8_t { reading, writing };
  explicit Transaction(Database& database, For what = For::writing);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  NoForkScope scope_;
  Database& database_;
  bool open_ = true;
};

}  // namespace flopcast::model::sqlite
