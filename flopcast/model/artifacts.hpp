#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/core/environment.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/json.hpp"

/// Documents of other kinds that the store keeps beside samples and models. The functions throw what Store's members throw.
namespace flopcast::model {

/// Kinds of documents, with what distinguishes documents of one kind.
namespace artifact {

inline constexpr const char* reference_time = "reference-time";        ///< per environment: times of the reference kernels
inline constexpr const char* kernel_choice = "kernel-choice";          ///< per library: kernels that suit the CPU
inline constexpr const char* kernel_comparison = "kernel-comparison";  ///< per library and kernels: rates of two choices of kernels
inline constexpr const char* thread_thresholds = "thread-thresholds";  ///< per kernel and domain: sizes where a BLAS changes its threads
inline constexpr const char* sampled_segment = "sampled-segment";  ///< per environment, kernel and digest: calls that samples were timed in
inline constexpr const char* mpi_machine = "mpi-machine";          ///< per host: costs of messages
inline constexpr const char* mpi_kernels = "mpi-kernels";          ///< per host: kernel times of MPI programs
inline constexpr const char* mpi_self_checks = "mpi-self-checks";  ///< per program: results of self-checks
inline constexpr const char* mpi_advice = "mpi-advice";            ///< per host and request: state of an unfinished search for advice
inline constexpr const char* contraction_plan = "contraction-plan";      ///< per contraction, machine and options: the plan that won
inline constexpr const char* contraction_rates = "contraction-rates-3";  ///< per environment: rates of the planner's kernels
inline constexpr const char* speed_up_error =
    "speed-up-deviation";                                    ///< per environment, precision, threads: deviation of layouts' speed-ups
inline constexpr const char* layout_runs = "layout-runs";    ///< per contractions, sizes and environment: runs of an interrupted comparison
inline constexpr const char* race_runs = "race-runs";        ///< per commands and folder: runs of an interrupted race
inline constexpr const char* verification = "verification";  ///< per request: state of an interrupted verification
inline constexpr const char* micro_benchmark = "micro-benchmark";  ///< per kernel call and context: timings of micro-benchmarks
inline constexpr const char* thread_table = "thread-table";        ///< per libraries and threads: entries of a table of times by threads

}  // namespace artifact

/// A document in the store.
struct Artifact {
  std::string kind, name;
  nlohmann::json document;
  friend bool operator==(const Artifact&, const Artifact&) = default;
};

/// Replaces one of the same kind and name.
void put_artifact(Store& store, const std::string& kind, const std::string& name, const nlohmann::json& document);
std::optional<nlohmann::json> find_artifact(const Store& store, const std::string& kind, const std::string& name);
/// Returns the result of `read` on such a document. Throws bad_input, which names the store, the document and the member, if it can't be
/// read.
template <class Read>
auto read_artifact(const Store& store, const std::string& kind, const std::string& name, Read read)
    -> std::optional<decltype(read(std::declval<nlohmann::json>()))> {
  std::optional<nlohmann::json> found = find_artifact(store, kind, name);
  if (!found) {
    return std::nullopt;
  }
  return in_document("the store " + store.path().string() + ", " + kind + " '" + name + "',",
                     [&] { return std::optional(read(std::move(*found))); });
}
/// Lets find_artifact() and read_artifact() answer with these documents where the store has none of that kind and name. Nothing is
/// stored.
void answer_below(Store& store, std::vector<Artifact> documents);
/// Names of the store's own documents, sorted.
std::vector<std::string> artifact_names(const Store& store, const std::string& kind);
/// Returns true if there was one.
bool delete_artifact(Store& store, const std::string& kind, const std::string& name);
/// Deletes documents, or none of them if one can't be deleted or `before_commit` throws.
void delete_together(Store& store, std::span<const Artifact> documents, const std::function<void()>& before_commit);
/// Stores environments and documents, or nothing if one of them can't be stored or `before_commit` throws.
void put_together(Store& store, std::span<const Environment> environments, std::span<const Artifact> documents,
                  const std::function<void()>& before_commit);

}  // namespace flopcast::model
