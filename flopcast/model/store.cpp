#include "flopcast/model/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include "flopcast/core/error.hpp"
#include "flopcast/model/sqlite.hpp"

namespace flopcast::model {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

constexpr const char* schema = "flopcast-store-1";
constexpr int busy_milliseconds = 10'000;
constexpr std::int64_t application_id = 0x464c4f50;  // "FLOP": tells our files from other programs' databases

constexpr const char* tables = R"(
  CREATE TABLE environments (fingerprint TEXT PRIMARY KEY, document TEXT NOT NULL);
  CREATE TABLE samples (id INTEGER PRIMARY KEY, key TEXT NOT NULL, sizes TEXT NOT NULL, document TEXT NOT NULL,
                        added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE INDEX samples_by_key ON samples (key, sizes);
  CREATE TABLE models (key TEXT NOT NULL, generator TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
                       added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (key, generator));
  CREATE INDEX models_by_name ON models (name);
  CREATE TABLE artifacts (kind TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
                          added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (kind, name));
)";

std::string to_text(const ModelKey& key) { return nlohmann::json(key).dump(); }

/// A value from its stored document.
template <class T>
T from_text(const std::string& text, const std::filesystem::path& path) {
  try {
    return nlohmann::json::parse(text).get<T>();
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("the store {} holds a damaged entry: {}", path.string(), error.what());
  }
}

const char* environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw environment_error("can't make the directory {} for samples and models: {}; set FLOPCAST_HOME to a directory that can be written",
                            directory.string(), error ? error.message() : "it is a file");
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    throw environment_error("can't write into the directory {}: {}; set FLOPCAST_HOME to a directory that can be written",
                            directory.string(), std::strerror(errno));
  }
}

/// Turns write-ahead logging on. Only the first process needs to change the file, and SQLite doesn't wait for a lock here, so we do.
void use_write_ahead_log(Database& database) {
  constexpr int most_tries = 200;
  for (int i = 1;; ++i) {
    try {
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
      return;
    } catch (const sqlite::Damaged&) {
      throw;
    } catch (const Error&) {
      if (i == most_tries) {
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(busy_milliseconds / most_tries));
    }
  }
}

/// The store's version, 0 if it has yet to be made. Throws if `database` isn't for us to use: another program's, a newer flopcast's, or
/// read-only.
std::int64_t check_owner(Database& database) {
  Transaction one_moment(database, Transaction::For::reading);  // another process may be making the tables
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::string path = database.path().string();
  if (version > store_version) {
    throw environment_error(
        "the store {} has version {}, made by a newer flopcast; this one knows versions up to {}: update flopcast, or set "
        "FLOPCAST_HOME to another directory",
        path, version, store_version);
  }
  const bool ours = database.integer("PRAGMA application_id") == application_id;
  if (!ours && (version != 0 || database.integer("SELECT count(*) FROM sqlite_schema") != 0)) {
    throw bad_input("{} is a database of another program, not a store of flopcast", path);
  }
  if (sqlite3_db_readonly(database.handle(), "main") != 0) {
    throw environment_error("can't write the store {}: it is read-only; set FLOPCAST_HOME to a directory that can be written", path);
  }
  return version;
}

void make_tables(Database& database) {
  Transaction transaction(database);
  if (database.integer("PRAGMA user_version") == 0) {  // still, now that nobody else can write
    database.execute(tables);
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, store_version));
  }
  transaction.commit();
}

/// Its time is when the whole store was last read and found well; sqlite::Database removes it when it meets damage.
std::filesystem::path check_note(const std::filesystem::path& path) { return path.string() + sqlite::check_note_suffix; }

/// Reading all of a large store takes longer (a millisecond per MB) than much of what it is opened for: once a day is enough, as SQLite
/// says so when it meets damage in what it reads.
bool is_due_for_check(const std::filesystem::path& path) {
  constexpr std::uintmax_t small_bytes = 4 << 20;
  constexpr auto often = std::chrono::hours(24);
  std::error_code error;
  if (std::filesystem::file_size(path, error) <= small_bytes || error) {
    return true;
  }
  const auto checked = std::filesystem::last_write_time(check_note(path), error);
  const auto age = std::filesystem::file_time_type::clock::now() - checked;
  return error || age > often || age < std::chrono::hours(0);
}

void note_check(const std::filesystem::path& path) {
  std::ofstream(check_note(path)) << "";  // where it can't be written the store is checked again
}

Database open_database(const std::filesystem::path& path) {
  Database database(path, busy_milliseconds);
  if (check_owner(database) == 0) {
    use_write_ahead_log(database);
    make_tables(database);
    return database;
  }
  if (is_due_for_check(path)) {
    const std::string verdict = database.text("PRAGMA quick_check(1)");
    if (verdict != "ok") {
      throw sqlite::Damaged(fmt::format("the store {} is damaged: {}", path.string(), verdict));
    }
    note_check(path);
  }
  use_write_ahead_log(database);
  return database;
}

/// Holds a lock file, so that only one process at a time moves a damaged store aside.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX) != 0) {
      throw environment_error("can't lock {}: {}", path.string(), std::strerror(errno));
    }
  }
  ~FileLock() { ::close(descriptor_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

/// Renames the file of a damaged store and those that SQLite keeps beside it; gives the new name of the first.
std::filesystem::path move_aside(const std::filesystem::path& path) {
  const std::string base = fmt::format("{}.corrupt-{}", path.string(), time_stamp());
  std::filesystem::path aside = base;
  for (int i = 2; std::filesystem::exists(aside); ++i) {
    aside = fmt::format("{}-{}", base, i);
  }
  for (const char* suffix : {"-wal", "-shm", ""}) {
    std::error_code error;
    std::filesystem::rename(path.string() + suffix, aside.string() + suffix, error);
    if (error && *suffix == '\0') {
      throw environment_error("the store {} is damaged, and can't be moved aside to {}: {}", path.string(), aside.string(),
                              error.message());
    }
  }
  return aside;
}

}  // namespace

struct Store::State {
  Database database;
  std::string warning;

  /// All first columns of a query, as values.
  template <class T, class... Parameters>
  std::vector<T> all(std::string_view sql, const Parameters&... parameters) {
    Statement statement(database, sql);
    int at = 0;
    (statement.bind(++at, parameters), ...);
    std::vector<T> values;
    while (statement.step()) {
      values.push_back(from_text<T>(statement.text(0), database.path()));
    }
    return values;
  }

  template <class T, class... Parameters>
  std::optional<T> first(std::string_view sql, const Parameters&... parameters) {
    std::vector<T> values = all<T>(sql, parameters...);
    return values.empty() ? std::nullopt : std::optional<T>(std::move(values.front()));
  }

  /// Runs a statement that changes rows; how many it changed.
  template <class... Parameters>
  int change(std::string_view sql, const Parameters&... parameters) {
    Statement statement(database, sql);
    int at = 0;
    (statement.bind(++at, parameters), ...);
    statement.run();
    return sqlite3_changes(database.handle());
  }

  void insert(const Sample& sample) {
    change("INSERT INTO samples (key, sizes, document) VALUES (?, ?, ?)", to_text(sample.key), nlohmann::json(sample.sizes).dump(),
           nlohmann::json(sample).dump());
  }
  void insert_new(const Sample& sample) {
    const std::string document = nlohmann::json(sample).dump();
    change(
        "INSERT INTO samples (key, sizes, document) SELECT ?1, ?2, ?3 "
        "WHERE NOT EXISTS (SELECT 1 FROM samples WHERE key = ?1 AND sizes = ?2 AND document = ?3)",
        to_text(sample.key), nlohmann::json(sample.sizes).dump(), document);
  }
  void replace(const Model& model) {
    change("INSERT OR REPLACE INTO models (key, generator, name, document) VALUES (?, ?, ?, ?)", to_text(model.key), model.generator,
           name(model), nlohmann::json(model).dump());
  }
  void replace(const Environment& environment) {
    change("INSERT OR REPLACE INTO environments (fingerprint, document) VALUES (?, ?)", environment.fingerprint,
           nlohmann::json(environment).dump());
  }
  void replace(const std::string& kind, const std::string& name, const nlohmann::json& document) {
    change("INSERT OR REPLACE INTO artifacts (kind, name, document) VALUES (?, ?, ?)", kind, name, document.dump());
  }
};

std::filesystem::path default_store_path() {
  if (const char* home = environment_variable("FLOPCAST_HOME")) {
    return std::filesystem::path(home) / "flopcast.db";
  }
  if (const char* data = environment_variable("XDG_DATA_HOME")) {
    return std::filesystem::path(data) / "flopcast" / "flopcast.db";
  }
  if (const char* home = environment_variable("HOME")) {
    return std::filesystem::path(home) / ".local" / "share" / "flopcast" / "flopcast.db";
  }
  throw environment_error("no place for samples and models: none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set");
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& path) {
  make_directory(std::filesystem::absolute(path).parent_path());
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged&) {
    // Looked at again below, when nobody else can be moving it aside.
  }
  const FileLock lock(path.string() + ".lock");
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged& damage) {
    const std::filesystem::path aside = move_aside(path);
    std::string warning = fmt::format("{}; it was moved to {}, and a new, empty one begun", damage.what(), aside.string());
    return Store(std::make_unique<State>(State{open_database(path), std::move(warning)}));
  }
}

Store Store::open_copy(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw bad_input("there is no store '{}', expected a flopcast.db", path.string());
  }
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged& damage) {
    throw bad_input("{}", damage.what());
  }
}

const std::filesystem::path& Store::path() const noexcept { return state_->database.path(); }
const std::string& Store::warning() const noexcept { return state_->warning; }

void Store::add_sample(const Sample& sample) { add_samples(std::span(&sample, 1)); }

void Store::add_samples(std::span<const Sample> samples) {
  Transaction transaction(state_->database);
  for (const Sample& sample : samples) {
    state_->insert(sample);
  }
  transaction.commit();
}

std::vector<Sample> Store::samples(const ModelKey& key) const {
  return state_->all<Sample>("SELECT document FROM samples WHERE key = ? ORDER BY id", to_text(key));
}

std::vector<ModelKey> Store::sampled_keys() const { return state_->all<ModelKey>("SELECT DISTINCT key FROM samples ORDER BY key"); }

std::int64_t Store::sample_count() const { return state_->database.integer("SELECT count(*) FROM samples"); }

bool Store::put_model(const Model& model) {
  Transaction transaction(state_->database);
  const bool replaced = find_model(model.key, model.generator).has_value();
  state_->replace(model);
  transaction.commit();
  return replaced;
}

std::optional<Model> Store::find_model(const ModelKey& key, const std::string& generator) const {
  return state_->first<Model>("SELECT document FROM models WHERE key = ? AND generator = ?", to_text(key), generator);
}

std::optional<Model> Store::find_model(const std::string& model_name) const {
  return state_->first<Model>("SELECT document FROM models WHERE name = ?", model_name);
}

std::vector<Model> Store::models() const { return state_->all<Model>("SELECT document FROM models ORDER BY name"); }

bool Store::delete_model(const std::string& model_name) { return state_->change("DELETE FROM models WHERE name = ?", model_name) > 0; }

void Store::put_environment(const Environment& environment) { state_->replace(environment); }

std::optional<Environment> Store::find_environment(const std::string& fingerprint) const {
  return state_->first<Environment>("SELECT document FROM environments WHERE fingerprint = ?", fingerprint);
}

std::vector<Environment> Store::environments() const {
  return state_->all<Environment>("SELECT document FROM environments ORDER BY fingerprint");
}

void Store::put_artifact(const std::string& kind, const std::string& name, const nlohmann::json& document) {
  state_->replace(kind, name, document);
}

std::optional<nlohmann::json> Store::find_artifact(const std::string& kind, const std::string& name) const {
  return state_->first<nlohmann::json>("SELECT document FROM artifacts WHERE kind = ? AND name = ?", kind, name);
}

std::vector<std::string> Store::artifact_names(const std::string& kind) const {
  return state_->all<std::string>("SELECT json_quote(name) FROM artifacts WHERE kind = ? ORDER BY name", kind);
}

bool Store::delete_artifact(const std::string& kind, const std::string& name) {
  return state_->change("DELETE FROM artifacts WHERE kind = ? AND name = ?", kind, name) > 0;
}

nlohmann::json Store::export_json() const {
  nlohmann::json artifacts = nlohmann::json::array();
  Statement statement(state_->database, "SELECT kind, name, document FROM artifacts ORDER BY kind, name");
  while (statement.step()) {
    artifacts.push_back(
        {{"kind", statement.text(0)}, {"name", statement.text(1)}, {"document", from_text<nlohmann::json>(statement.text(2), path())}});
  }
  return {{"schema", schema},
          {"environments", environments()},
          {"samples", state_->all<nlohmann::json>("SELECT document FROM samples ORDER BY id")},
          {"models", models()},
          {"artifacts", artifacts}};
}

void Store::import_json(const nlohmann::json& document) {
  if (!document.is_object() || document.value("schema", "") != schema) {
    throw bad_input("not an export of a store: expected \"schema\": \"{}\"", schema);
  }
  try {
    Transaction transaction(state_->database);
    for (const nlohmann::json& environment : document.at("environments")) {
      state_->replace(environment.get<Environment>());
    }
    for (const nlohmann::json& sample : document.at("samples")) {
      state_->insert_new(sample.get<Sample>());
    }
    for (const nlohmann::json& model : document.at("models")) {
      state_->replace(model.get<Model>());
    }
    for (const nlohmann::json& artifact : document.at("artifacts")) {
      state_->replace(artifact.at("kind").get<std::string>(), artifact.at("name").get<std::string>(), artifact.at("document"));
    }
    transaction.commit();
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("the export of a store is damaged: {}", error.what());
  }
}

}  // namespace flopcast::model
