#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "flopcast/core/error.hpp"

/// The little of SQLite that the store needs, with errors as exceptions.
namespace flopcast::model::sqlite {

/// What an operation on a database that is cut off or no database throws; open() of the store recovers from it.
class Damaged : public Error {
 public:
  explicit Damaged(const std::string& message) : Error(ExitCode::environment, message) {}
};

/// The file of this name beside a database says that it was found well; it is removed when damage shows.
inline constexpr const char* check_note_suffix = ".checked";

class Database;

/// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t value);
  /// Goes to the next row; false after the last.
  bool step();
  /// Steps to the end and makes the statement ready to run again.
  void run();
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open database file.
class Database {
 public:
  /// Opens `path`, which is made if it isn't there. Waits `busy_milliseconds` for other processes.
  Database(const std::filesystem::path& path, int busy_milliseconds);

  void execute(const std::string& sql);
  /// The first column of the first row of a query.
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);
  /// Throws what `code` means: Damaged, or environment_error for a full disk, a file that can't be written, a lock that isn't released.
  [[noreturn]] void fail(int code) const;

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Everything between its construction and commit() takes effect at once, or, without commit(), not at all.
class Transaction {
 public:
  enum class For : std::uint8_t { reading, writing };
  explicit Transaction(Database& database, For what = For::writing);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace flopcast::model::sqlite
