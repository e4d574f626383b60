#pragma once

#include <memory>
#include <set>
#include <string>

#include "flopcast/core/sample.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

struct Environment;

namespace algorithm {
struct BlockParameters;
}
namespace contract {
class TrialMemory;
}
namespace machine {
class LibrarySet;
}
namespace measure {
class Session;
struct SessionOptions;
}  // namespace measure
namespace model {
class OnDemandModels;
class Store;
}  // namespace model
namespace program {
struct LibraryFiles;
}

/// The tools of one place, which every command measures and predicts with: a BLAS and a LAPACK with threads set and kernels that suit the
/// CPU, the measured environment, the store of samples and models. Everything is opened when it is first asked for; then a library that
/// isn't there is bad_input, and one that can't be loaded environment_error. Commands take a const workbench, since opening changes nothing
/// that a caller sees. Not for use from several threads at once.
class Workbench {
 public:
  explicit Workbench(machine::LibraryChoice choice = {}, RunContext context = {});
  Workbench(Workbench&&) noexcept;
  Workbench& operator=(Workbench&&) noexcept;
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;
  ~Workbench();

  /// Opens the libraries now, by which the caches are measured unless they were before (up to 15 s). With `sets_blocks`, ilaenv_ of the
  /// LAPACK is replaced, so that set_blocks() works; libraries that were opened without are opened once more.
  void open(bool sets_blocks = false) const;
  /// Returns a workbench whose libraries are open.
  static Workbench opened(machine::LibraryChoice choice, RunContext context, bool sets_blocks = false);

  [[nodiscard]] const machine::LibraryChoice& choice() const noexcept;
  [[nodiscard]] const machine::LibrarySet& libraries() const;
  [[nodiscard]] const Environment& environment() const;
  [[nodiscard]] program::LibraryFiles files() const;
  /// Returns the variables that make the BLAS use its present kernels. A program that is to run alike needs these variables too.
  [[nodiscard]] const machine::KernelSettings& settings() const;
  /// Returns the store at its default path (model::default_store_path()).
  [[nodiscard]] model::Store& store() const;
  /// Returns what incremental plans of contractions have measured so far. Plans may use it after the workbench is gone.
  [[nodiscard]] const std::shared_ptr<contract::TrialMemory>& trials() const noexcept;

  /// Returns a measuring session, which knows from the store how the reference kernels run without disturbances.
  [[nodiscard]] measure::Session session(const model::Store& store, measure::SessionOptions options) const;
  /// Returns the time of the reference kernel in the latest session; 0 if none is kept yet.
  [[nodiscard]] Seconds reference_time(const model::Store& store) const;
  /// Keeps the times of the session's reference kernels in the store.
  void keep_reference(model::Store& store, const measure::Session& session) const;

  /// Returns models on demand from all stored samples of this environment, or from those of the kernels `only`.
  [[nodiscard]] model::OnDemandModels models(const model::Store& store, const std::set<std::string>& only = {}) const;

  /// Makes the loaded LAPACK use these block parameters for `routine`. Requires open(true).
  void set_blocks(const std::string& routine, const algorithm::BlockParameters& blocks) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the store at its default path; the context's note tells of a damaged one. With context.unkept, a store that can't be used is one in
/// memory.
model::Store open_store(const RunContext& context);

/// Returns models on demand from all stored samples of `environment`, or from those of the kernels `only`.
model::OnDemandModels stored_models(const model::Store& store, const Environment& environment, const std::set<std::string>& only = {});

/// Returns how far single runs in `environment` lie from a prediction because of the machine's state, as far as stored samples show it.
RunDeviation known_run_deviation(const model::Store& store, const Environment& environment);

/// Returns a description of an environment: "blis 0.9.0 (kernels skx) with 2 threads, LAPACK reference 3.11.0".
std::string place_text(const Environment& environment);

}  // namespace flopcast
