#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"

namespace flopcast::model {

/// The version of the store's tables that this flopcast reads and writes.
inline constexpr int store_version = 1;

/// $FLOPCAST_HOME/flopcast.db, else $XDG_DATA_HOME/flopcast/flopcast.db, else ~/.local/share/flopcast/flopcast.db. Throws environment_error
/// if none of the three variables (HOME for the last) is set.
std::filesystem::path default_store_path();

/// A sample and its number in the store.
struct StoredSample {
  std::int64_t id = 0;
  Sample sample;
};

/// Samples, models, environments and other data that outlive a process, in one SQLite file that several processes may use at once. After a
/// member function has returned, its changes survive a kill of the process (write-ahead log).
///
/// Every function throws environment_error where the file system refuses: a full disk, a file that may not be written, a lock that stays.
class Store {
 public:
  /// Opens the store at `path`; makes it, with its directories, if there is none. If single entries can't be read, they are removed, and a
  /// copy of the store is kept as NAME.corrupt-TIME. A file with other damage is moved to that name, and a fresh store is begun. warning()
  /// then says so. Throws environment_error if the directory can't be made or written (the message names it) or a newer flopcast made the
  /// store. Throws bad_input if the file is a database of another program.
  static Store open(const std::filesystem::path& path = default_store_path());
  /// Opens the store at its default path. Where the file system or another process refuses, now or in a later operation, the store is a copy
  /// of the file in memory. It is an empty one if the file can't be read. `unkept` is told the reason: for a copy once it is changed, else at
  /// once. Only put_together() still throws, because its callers ask for something to be kept. Throws bad_input as open().
  static Store open_if_possible(std::function<void(const std::string& reason)> unkept);
  /// Opens a store that another machine or user made; it is never moved aside. A store that can only be read is read, and changes of it
  /// throw. Throws bad_input if there is no such file, or it is damaged
  /// or no store; otherwise as open does.
  static Store open_copy(const std::filesystem::path& path);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// Message for the user about opening the store; usually empty.
  [[nodiscard]] const std::string& warning() const noexcept;
  /// Number that changes when another process or another Store writes to the same file, and not by this object's own writes.
  [[nodiscard]] std::int64_t version() const;

  /// Stores all samples or none.
  void add_samples(std::span<const Sample> samples);
  /// Samples of `key`, oldest first.
  [[nodiscard]] std::vector<Sample> samples(const ModelKey& key) const;
  /// The same samples with their numbers.
  [[nodiscard]] std::vector<StoredSample> stored_samples(const ModelKey& key) const;
  /// Removes the samples with these numbers and stores `added`, all or nothing. Numbers without a sample have no effect.
  void replace_samples(std::span<const std::int64_t> removed, std::span<const Sample> added);
  /// Keys that have samples, sorted.
  [[nodiscard]] std::vector<ModelKey> sampled_keys() const;
  [[nodiscard]] std::int64_t sample_count() const;

  /// Stores `model` in place of one with the same key and generator. Returns true if there was one.
  bool put_model(const Model& model);
  [[nodiscard]] std::optional<Model> find_model(const ModelKey& key, const std::string& generator) const;
  /// Returns the model of this name (Model's name()); nothing if there is none.
  [[nodiscard]] std::optional<Model> find_model(const std::string& model_name) const;
  /// All models, by name.
  [[nodiscard]] std::vector<Model> models() const;
  /// Returns true if there was one.
  bool delete_model(const std::string& model_name);

  void put_environment(const Environment& environment);
  [[nodiscard]] std::optional<Environment> find_environment(const std::string& fingerprint) const;
  [[nodiscard]] std::vector<Environment> environments() const;

 private:
  friend struct StoreAccess;
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flopcast::model
