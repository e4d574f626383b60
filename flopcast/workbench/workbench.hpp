#pragma once

#include <set>
#include <string>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

/// What the subcommands that measure or predict put together: libraries, environment, store, session, recorder.
namespace flopcast {

/// The store at its default path; a warning about a damaged one goes to standard error.
model::Store open_store(const RunContext& context);

/// Time of the reference kernel at a drift of 1 in `environment`, by which sessions and samples are related; 0 if none is kept yet.
Seconds reference_time(const model::Store& store, const Environment& environment);

/// Models on demand from all stored samples of `environment`, or only of these kernels.
model::OnDemandModels stored_models(const model::Store& store, const Environment& environment, const std::set<std::string>& only = {});

/// Where a prediction is for: "blis 0.9.0 (kernels skx) with 2 threads, LAPACK reference 3.11.0".
std::string place_text(const Environment& environment);

/// A library set with threads set, using kernels that suit the CPU, and its environment (measured caches are taken from the cache file, or
/// measured first).
class Workbench {
 public:
  /// With `interposer`, ilaenv_ of the LAPACK is ours (set_blocks works).
  Workbench(const machine::LibraryChoice& options, const RunContext& context, bool interposer = false);

  [[nodiscard]] const machine::LibrarySet& libraries() const { return libraries_; }
  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] interpose::LibraryFiles files() const;
  /// Variables that make the BLAS use its present kernels; a program that is to run alike needs them too.
  [[nodiscard]] const KernelSettings& settings() const { return settings_; }

  /// A measuring session whose drift-normalised times are comparable with those of earlier sessions in this environment: the reference
  /// kernel's time is kept in the store.
  measure::Session session(const model::Store& store, measure::SessionOptions options) const;
  Seconds reference_time(const model::Store& store) const;
  /// Keeps what the session knows of the reference kernels if nothing is kept yet, or if the machine was clearly slower (because it was busy)
  /// when that was measured.
  void keep_reference(model::Store& store, const measure::Session& session) const;

  model::OnDemandModels models(const model::Store& store, const std::set<std::string>& only = {}) const;

  /// Makes the loaded LAPACK use these block parameters; needs the interposer.
  void set_blocks(const std::string& routine, const algorithm::BlockParameters& blocks) const;

 private:
  KernelSettings settings_;  // in force before the library is opened
  machine::LibrarySet libraries_;
  Environment environment_;
};

}  // namespace flopcast
