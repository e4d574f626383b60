#include "flopcast/model/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/model/sqlite.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/user_folders.hpp"

namespace flopcast::model {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

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

/// Note whose time is that of the last complete check without a fault; sqlite::Database removes it when it finds damage.
std::filesystem::path check_note(const std::filesystem::path& path) { return path.string() + sqlite::check_note_suffix; }

/// Converts a stored document to a value.
template <class T>
T from_text(const std::string& text, const std::filesystem::path& path) {
  const std::string entry = "an entry of the store " + path.string();
  try {
    return in_document(entry, [&] { return parse_json(text, entry).get<T>(); });
  } catch (const Error& error) {
    std::error_code ignored;
    std::filesystem::remove(check_note(path), ignored);  // so that the entry is found and removed when the store is opened next
    const std::string_view what = error.what();
    throw Error(error.code(), what.substr(0, entry.size()) == entry ? std::string(what) : fmt::format("{}: {}", entry, what));
  }
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

/// Turns write-ahead logging on. Only the first process needs to change the file. SQLite doesn't wait for a lock here, so this function
/// waits.
void use_write_ahead_log(Database& database) {
  constexpr int max_tries = 200;
  for (int i = 1;; ++i) {
    try {
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
      return;
    } catch (const sqlite::Damaged&) {
      throw;
    } catch (const Error&) {
      if (i == max_tries) {
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(busy_milliseconds / max_tries));
    }
  }
}

/// Returns everything that SQLite knows of a database's tables, as one text.
std::string layout_of(Database& database) {
  return database.text(
      "SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), ';') FROM (SELECT * FROM sqlite_schema ORDER BY type, name)");
}

/// Returns true if the database has exactly the tables of this version.
bool has_our_tables(Database& database) {
  Database fresh(":memory:", busy_milliseconds);
  fresh.execute(tables);
  return layout_of(database) == layout_of(fresh);
}

sqlite::Damaged damaged(const Database& database, std::string_view reason) {
  return sqlite::Damaged(fmt::format("the store {} is damaged: {}", database.path().string(), reason));
}

/// Returns the store's version, 0 if its tables have yet to be made. Throws if flopcast may not use `database`: it is another program's or a
/// newer flopcast's.
std::int64_t version_of(Database& database) {
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
  const bool is_empty = version == 0 && database.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (!ours && !is_empty) {
    if (has_our_tables(database)) {
      throw damaged(database, "its header doesn't say that it is a store");
    }
    throw bad_input("{} is a database of another program, not a store of flopcast", path);
  }
  if (!is_empty && (version < 1 || !has_our_tables(database))) {
    throw damaged(database, "its tables are not those of a store");
  }
  return version;
}

/// Returns version_of() a database that can be written. Throws if it can't be.
std::int64_t check_owner(Database& database) {
  const std::int64_t version = version_of(database);
  const std::string path = database.path().string();
  if (sqlite3_db_readonly(database.handle(), "main") != 0) {
    if (::access(path.c_str(), W_OK) == 0) {
      throw damaged(database, "its header says that it can't be written");
    }
    throw environment_error("can't write the store {}: it is read-only; set FLOPCAST_HOME to a directory that can be written", path);
  }
  return version;
}

void make_tables(Database& database) {
  Transaction transaction(database);
  if (database.integer("PRAGMA user_version") == 0) {  // checked again, now that no other process can write
    database.execute(tables);
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, store_version));
  }
  transaction.commit();
}

/// Returns true if a store has to be checked. Reading all of a large store takes some 20 ms per MB, longer than many uses of it. Once a day
/// is enough, because SQLite reports damage in the parts that it reads.
bool is_due_for_check(const std::filesystem::path& path) {
  constexpr std::uintmax_t small_bytes = 1 << 20;
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

/// Throws sqlite::Damaged if SQLite finds anything wrong in the file.
void require_whole(Database& database) {
  if (const std::string verdict = database.text("PRAGMA integrity_check(1)"); verdict != "ok") {
    throw damaged(database, verdict);
  }
}

/// Row of one of the tables.
struct StoreEntry {
  std::string table;
  std::int64_t row = 0;
};

/// Returns true if `text` is a legal document of the table, or one of another version of flopcast.
bool is_readable(std::string_view table, const std::string& text) {
  try {
    const nlohmann::json document = parse_json(text, "an entry");
    if (table == "samples") {
      static_cast<void>(document.get<Sample>());
    } else if (table == "environments") {
      static_cast<void>(document.get<Environment>());
    } else if (table == "models" && member<std::string>(document, "schema") == model_schema) {
      static_cast<void>(document.get<Model>());
    }
    return true;
  } catch (const Error&) {
    return false;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::vector<StoreEntry> unreadable_entries(Database& database) {
  std::vector<StoreEntry> unreadable;
  for (const char* table : {"environments", "samples", "models", "artifacts"}) {
    Statement statement(database, fmt::format("SELECT rowid, document FROM {}", table));
    while (statement.step()) {
      if (!is_readable(table, statement.text(1))) {
        unreadable.push_back({table, statement.integer(0)});
      }
    }
  }
  return unreadable;
}

Database open_database(const std::filesystem::path& path) {
  Database database(path, busy_milliseconds);
  if (check_owner(database) == 0) {
    use_write_ahead_log(database);
    make_tables(database);
    return database;
  }
  if (is_due_for_check(path)) {
    require_whole(database);
    if (const std::size_t unreadable = unreadable_entries(database).size(); unreadable > 0) {
      throw damaged(database, fmt::format("{} of its entries can't be read", unreadable));
    }
    note_check(path);
  }
  use_write_ahead_log(database);
  return database;
}

/// Returns a lock file that is locked while it is open, so that only one process at a time moves a damaged store aside.
Descriptor locked(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0 || ::flock(file.get(), LOCK_EX) != 0) {
    throw environment_error("can't lock {}: {}", path.string(), std::strerror(errno));
  }
  return file;
}

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

/// Returns a name beside `path` for a damaged store.
std::filesystem::path name_aside(const std::filesystem::path& path) {
  const std::string base = fmt::format("{}.corrupt-{}", path.string(), time_stamp());
  std::filesystem::path aside = base;
  for (int i = 2; std::filesystem::exists(aside); ++i) {
    aside = fmt::format("{}-{}", base, i);
  }
  return aside;
}

/// Renames the file of a damaged store and those that SQLite keeps beside it; returns the new name of the first.
std::filesystem::path move_aside(const std::filesystem::path& path) {
  std::filesystem::path aside = name_aside(path);
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

/// Removes the entries that can't be read from a store without other damage, after copying it. Returns a message for the user, or nothing
/// if there is other damage.
std::optional<std::string> remove_unreadable(const std::filesystem::path& path) {
  try {
    Database database(path, busy_milliseconds);
    if (check_owner(database) == 0) {
      return std::nullopt;
    }
    require_whole(database);
    const std::vector<StoreEntry> unreadable = unreadable_entries(database);
    const std::filesystem::path aside = name_aside(path);
    Statement(database, "VACUUM INTO ?").bind(1, aside.string()).run();
    Transaction transaction(database);
    for (const StoreEntry& entry : unreadable) {
      Statement(database, fmt::format("DELETE FROM {} WHERE rowid = ?", entry.table)).bind(1, entry.row).run();
    }
    transaction.commit();
    require_whole(database);
    return fmt::format("{} of the entries of the store {} could not be read and {} removed; the store as it was is kept as {}",
                       unreadable.size(), path.string(), unreadable.size() == 1 ? "was" : "were", aside.string());
  } catch (const sqlite::Damaged&) {
    return std::nullopt;
  }
}

/// Returns a new, empty database in memory.
Database database_in_memory() {
  Database database(":memory:", busy_milliseconds);
  make_tables(database);
  return database;
}

/// Returns a copy in memory of the store `path` as far as it can be read; nothing if it can't be, or there is none.
std::optional<Database> copy_in_memory(const std::filesystem::path& path) {
  std::error_code none;
  for (const bool alone : {false, true}) {
    try {
      if (!std::filesystem::is_regular_file(path, none)) {
        return std::nullopt;
      }
      Database copy = Database::copy_of(path, alone);
      if (version_of(copy) > 0) {
        return copy;
      }
    } catch (const Error& error) {
      if (error.code() != ExitCode::environment) {
        throw;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

struct Store::State {
  Database database;
  std::string warning;
  std::function<void(const std::string& reason)> unkept = {};                ///< empty unless open_if_possible() opened the store
  std::string why_in_memory = {};                                            ///< reason why changes of a copy in memory aren't kept
  bool is_within_work = false;                                               ///< an error ends the whole work of an attempt()
  std::map<std::pair<std::string, std::string>, nlohmann::json> below = {};  ///< documents of answer_below(), by kind and name

  /// Lets errors end the whole work in its scope, instead of single statements being done again.
  class Within {
   public:
    explicit Within(State& state) : state_(state), before_(std::exchange(state.is_within_work, true)) {}
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
    ~Within() { state_.is_within_work = before_; }

   private:
    State& state_;
    bool before_;
  };

  /// Returns the result of `work`. In a store that open_if_possible() opened, the work is done again on a database in memory if the file
  /// refuses.
  template <class Work>
  auto attempt(Work work) {
    if (!unkept || is_within_work) {
      return work();
    }
    try {
      const Within within(*this);
      return work();
    } catch (const Error& error) {
      if (error.code() != ExitCode::environment) {
        throw;
      }
      unkept(error.what());
    }
    std::optional<Database> copy = copy_in_memory(database.path());
    database = copy ? *std::move(copy) : database_in_memory();
    return work();
  }

  /// Throws environment_error if the store is a copy in memory, and nobody has been told that changes aren't kept.
  void require_kept() const {
    if (!why_in_memory.empty()) {
      throw environment_error("{}", why_in_memory);
    }
  }

  /// Returns all first columns of a query, as values.
  template <class T, class... Parameters>
  std::vector<T> all(std::string_view sql, const Parameters&... parameters) {
    return attempt([&] {
      Statement statement(database, sql);
      int at = 0;
      (statement.bind(++at, parameters), ...);
      std::vector<T> values;
      while (statement.step()) {
        values.push_back(from_text<T>(statement.text(0), database.path()));
      }
      return values;
    });
  }

  template <class T, class... Parameters>
  std::optional<T> first(std::string_view sql, const Parameters&... parameters) {
    std::vector<T> values = all<T>(sql, parameters...);
    return values.empty() ? std::nullopt : std::optional<T>(std::move(values.front()));
  }

  /// Runs a statement that changes rows; returns how many it changed.
  template <class... Parameters>
  int change(std::string_view sql, const Parameters&... parameters) {
    if (!why_in_memory.empty() && unkept) {
      unkept(std::exchange(why_in_memory, ""));
    }
    require_kept();
    return attempt([&] {
      Statement statement(database, sql);
      int at = 0;
      (statement.bind(++at, parameters), ...);
      statement.run();
      return sqlite3_changes(database.handle());
    });
  }

  void insert(const Sample& sample) {
    change("INSERT INTO samples (key, sizes, document) VALUES (?, ?, ?)", to_text(sample.key), nlohmann::json(sample.sizes).dump(),
           nlohmann::json(sample).dump());
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

std::filesystem::path default_store_path() { return user_data_folder("samples and models") / "flopcast.db"; }

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& path) {
  make_directory(std::filesystem::absolute(path).parent_path());
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged&) {
    // The store is checked again below, when no other process can be moving the store aside.
  }
  const Descriptor lock = locked(path.string() + ".lock");
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged& damage) {
    std::optional<std::string> repaired = remove_unreadable(path);
    std::string warning = repaired
                              ? *std::move(repaired)
                              : fmt::format("{}; it was moved to {}, and a new, empty one begun", damage.what(), move_aside(path).string());
    return Store(std::make_unique<State>(State{open_database(path), std::move(warning)}));
  }
}

namespace {

/// Returns a copy in memory of the store at its default path; nothing if there is none, or no folder for it.
std::optional<Database> copy_of_default_store() {
  try {
    return copy_in_memory(default_store_path());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Store Store::open_if_possible(std::function<void(const std::string& reason)> unkept) {
  try {
    Store store = open();
    store.state_->unkept = std::move(unkept);
    return store;
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) {
      throw;
    }
    if (std::optional<Database> copy = copy_of_default_store()) {
      return Store(std::make_unique<State>(State{*std::move(copy), "", std::move(unkept), error.what()}));
    }
    unkept(error.what());
  }
  return Store(std::make_unique<State>(State{database_in_memory(), "", std::move(unkept)}));
}

Store Store::open_copy(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw bad_input("there is no store '{}', expected a flopcast.db", path.string());
  }
  try {
    return Store(std::make_unique<State>(State{open_database(path), ""}));
  } catch (const sqlite::Damaged& damage) {
    throw bad_input("{}", damage.what());
  } catch (const Error& error) {
    std::optional<Database> copy = error.code() == ExitCode::environment ? copy_in_memory(path) : std::nullopt;
    if (!copy) {
      throw;
    }
    return Store(std::make_unique<State>(State{*std::move(copy), "", {}, error.what()}));
  }
}

const std::filesystem::path& Store::path() const noexcept { return state_->database.path(); }
const std::string& Store::warning() const noexcept { return state_->warning; }

void Store::add_samples(std::span<const Sample> samples) { replace_samples({}, samples); }

std::vector<StoredSample> Store::stored_samples(const ModelKey& key) const {
  static constexpr double seconds_per_hour = 3600;
  return state_->attempt([&] {
    Statement statement(state_->database,
                        "SELECT id, document, CAST(strftime('%s', added) AS INTEGER) FROM samples WHERE key = ? ORDER BY id");
    statement.bind(1, to_text(key));
    std::vector<StoredSample> stored;
    while (statement.step()) {
      stored.push_back({statement.integer(0), from_text<Sample>(statement.text(1), state_->database.path())});
      stored.back().sample.find_state(static_cast<double>(statement.integer(2)) / seconds_per_hour);
    }
    return stored;
  });
}

std::vector<Sample> Store::samples(const ModelKey& key) const {
  std::vector<Sample> samples;
  for (StoredSample& stored : stored_samples(key)) {
    samples.push_back(std::move(stored.sample));
  }
  return samples;
}

void Store::replace_samples(std::span<const std::int64_t> removed, std::span<const Sample> added) {
  state_->attempt([&] {
    Transaction transaction(state_->database);
    for (const std::int64_t id : removed) {
      state_->change("DELETE FROM samples WHERE id = ?", id);
    }
    for (const Sample& sample : added) {
      state_->insert(sample);
    }
    transaction.commit();
  });
}

std::vector<ModelKey> Store::sampled_keys() const { return state_->all<ModelKey>("SELECT DISTINCT key FROM samples ORDER BY key"); }

std::int64_t Store::version() const {
  return state_->attempt([&] { return state_->database.integer("PRAGMA data_version"); });
}

std::int64_t Store::sample_count() const {
  return state_->attempt([&] { return state_->database.integer("SELECT count(*) FROM samples"); });
}

bool Store::put_model(const Model& model) {
  return state_->attempt([&] {
    Transaction transaction(state_->database);
    const bool replaced = find_model(model.key, model.generator).has_value();
    state_->replace(model);
    transaction.commit();
    return replaced;
  });
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

/// Gives the functions for documents the inner state of the store.
struct StoreAccess {
  using State = Store::State;
  static State& of(const Store& store) { return *store.state_; }
};

void put_artifact(Store& store, const std::string& kind, const std::string& name, const nlohmann::json& document) {
  StoreAccess::of(store).replace(kind, name, document);
}

std::optional<nlohmann::json> find_artifact(const Store& store, const std::string& kind, const std::string& name) {
  StoreAccess::State& state = StoreAccess::of(store);
  std::optional<nlohmann::json> own = state.first<nlohmann::json>("SELECT document FROM artifacts WHERE kind = ? AND name = ?", kind, name);
  if (const auto below = state.below.find({kind, name}); !own && below != state.below.end()) {
    return std::optional<nlohmann::json>(std::in_place, below->second);
  }
  return own;
}

void answer_below(Store& store, std::vector<Artifact> documents) {
  for (Artifact& one : documents) {
    StoreAccess::of(store).below.insert_or_assign({std::move(one.kind), std::move(one.name)}, std::move(one.document));
  }
}

void put_together(Store& store, std::span<const Environment> environments, std::span<const Artifact> documents,
                  const std::function<void()>& before_commit) {
  StoreAccess::State& state = StoreAccess::of(store);
  state.require_kept();
  const StoreAccess::State::Within must_be_kept(state);
  Transaction transaction(state.database);
  for (const Environment& environment : environments) {
    state.replace(environment);
  }
  for (const Artifact& one : documents) {
    state.replace(one.kind, one.name, one.document);
  }
  before_commit();
  transaction.commit();
}

void delete_together(Store& store, std::span<const Artifact> documents, const std::function<void()>& before_commit) {
  StoreAccess::State& state = StoreAccess::of(store);
  state.require_kept();
  const StoreAccess::State::Within must_be_kept(state);
  Transaction transaction(state.database);
  for (const Artifact& one : documents) {
    state.change("DELETE FROM artifacts WHERE kind = ? AND name = ?", one.kind, one.name);
  }
  before_commit();
  transaction.commit();
}

std::vector<std::string> artifact_names(const Store& store, const std::string& kind) {
  return StoreAccess::of(store).all<std::string>("SELECT json_quote(name) FROM artifacts WHERE kind = ? ORDER BY name", kind);
}

bool delete_artifact(Store& store, const std::string& kind, const std::string& name) {
  return StoreAccess::of(store).change("DELETE FROM artifacts WHERE kind = ? AND name = ?", kind, name) > 0;
}

}  // namespace flopcast::model
