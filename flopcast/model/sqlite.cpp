#include "flopcast/model/sqlite.hpp"

#include <cstring>
#include <new>

namespace flopcast::model::sqlite {
namespace {

/// Returns " (No space left on device)" or the like if the system gave a reason, otherwise an empty string.
std::string system_reason(sqlite3* handle) {
  const int number = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  return number == 0 ? std::string() : std::string(" (") + std::strerror(number) + ")";
}

}  // namespace

Database::Database(const std::filesystem::path& path, int busy_milliseconds) : path_(path) {
  const NoForkScope scope;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) {
    fail(code);
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, busy_milliseconds);
}

Database Database::copy_of(const std::filesystem::path& path, bool alone) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    constexpr std::string_view special = "%?#";
    uri += special.find(c) == std::string_view::npos ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  Database file;
  file.path_ = path;
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2((uri + (alone ? "?immutable=1" : "")).c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  file.handle_.reset(handle);
  if (opened != SQLITE_OK) {
    file.fail(opened);
  }
  Database copy(":memory:", 0);
  copy.path_ = path;
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", file.handle(), "main");
  sqlite3_backup_step(backup, -1);
  if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) {
    file.fail(code);
  }
  return copy;
}

/// A flat list of SQLite's codes is the clearest: the reason why this is one function.
void Database::fail(int code) const {
  const std::string said = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_.get());
  const std::string reason = said + system_reason(handle_.get());
  std::error_code error;
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_TOOBIG:  // an entry's length
      std::filesystem::remove(path_.string() + check_note_suffix, error);
      throw Damaged(fmt::format("the store {} is damaged: {}", path_.string(), reason));
    case SQLITE_FULL:
      throw environment_error("no space left to write the store {}: {}; its former content is kept", path_.string(), reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // write-ahead logging gave up waiting
      throw environment_error("the store {} is locked by another process: {}; try again, or set FLOPCAST_HOME to another directory",
                              path_.string(), reason);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_IOERR:
      throw environment_error("can't read and write the store {}: {}; set FLOPCAST_HOME to a directory that can be written", path_.string(),
                              reason);
    case SQLITE_NOMEM: throw std::bad_alloc();
    default:
      if (said.find("unsupported file format") != std::string::npos || said.find("malformed") != std::string::npos) {
        throw Damaged(fmt::format("the store {} is damaged: {}", path_.string(), reason));
      }
      throw internal_error("store {}: SQLite error {}: {}", path_.string(), code, reason);
  }
}

void Database::execute(const std::string& sql) {
  const NoForkScope scope;
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail(code);
  }
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) {
    database.fail(code);
  }
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) {
    database_->fail(code);
  }
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  if (code != SQLITE_OK) {
    database_->fail(code);
  }
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    database_->fail(code);
  }
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_.get());
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return data == nullptr ? std::string() : std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

Transaction::Transaction(Database& database, For what) : database_(database) {
  database.execute(what == For::writing ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED");
}

Transaction::~Transaction() {
  if (open_) {
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace flopcast::model::sqlite
