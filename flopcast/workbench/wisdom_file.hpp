#pragma once

/// Decisions that travel between users and machines as one file.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast {

/// Tuned block sizes, kernels of BLAS libraries and plans of contractions. Samples, models and measured caches aren't wisdom.
struct Wisdom {
  std::vector<program::SavedTuning> tunings;  ///< one per CPU, pair of libraries and number of threads, without `others`
  std::vector<Environment> environments;      ///< those that the plans' names refer to
  std::vector<model::Artifact> artifacts;     ///< choices of kernels and plans of contractions
  friend bool operator==(const Wisdom&, const Wisdom&) = default;
};

/// Converts to the text of a document {"schema": "flopcast-wisdom-1", ...}. Entries are sorted, so that equal wisdom has equal text.
std::string wisdom_text(Wisdom wisdom);
/// Reads such a document; `document` names it in messages. Entries of kinds that this version doesn't know are skipped. `check` is called
/// with every plan, and throws MemberError for one that can't be used. Throws bad_input that names the document and the member.
Wisdom parse_wisdom(
    std::string_view text, const std::string& document,
    const std::function<void(const model::Artifact& plan)>& check = [](const model::Artifact&) {});

/// Adds `newer` to `older`. Tuning files of the same CPU, libraries and threads are merged point by point (SavedTuning::merge); of other entries with
/// one name, the newer one stays. Returns the number of entries of `older` that were changed.
int add_wisdom(Wisdom& older, const Wisdom& newer);

/// Returns the file of the wisdom that all users of a machine share: $FLOPCAST_SYSTEM_WISDOM, else /etc/flopcast/wisdom. Empty if the
/// variable is set to nothing.
std::filesystem::path system_wisdom_file();

/// This machine, as far as wisdom must fit it. Tests have a machine of their own.
struct WisdomMachine {
  machine::Topology topology;
  /// Returns the digest of a library's file, as LibraryIdentity has it; empty if there is no such library.
  std::function<std::string(const std::string& path)> digest;
  /// Returns the size of a file in bytes; 0 if there is none.
  std::function<std::uintmax_t(const std::string& path)> bytes;
  /// Returns the value of an environment variable; empty if it isn't set.
  std::function<std::string(const std::string& name)> variable = [](const std::string&) { return std::string(); };
};
WisdomMachine this_wisdom_machine();

/// The reason why an entry doesn't hold on a machine; both texts are empty if it holds.
struct Misfit {
  std::string part;    ///< "CPU", "cores or caches" or "library"
  std::string reason;  ///< a clause
  [[nodiscard]] bool empty() const { return reason.empty(); }
};

/// Returns why entries of this environment don't hold on the machine. The CPU's name, the fingerprint and the digests of the library files
/// are compared.
Misfit misfit(const Environment& environment, const WisdomMachine& machine);
/// Returns why a choice of kernels or a plan doesn't hold on the machine. `environments` are those of the wisdom.
Misfit misfit(const model::Artifact& artifact, const std::vector<Environment>& environments, const WisdomMachine& machine);

/// Returns the part of the system's wisdom that holds on this machine; empty if there is none. A file that can't be read is noted and has no
/// effect.
Wisdom system_wisdom(const RunContext& context);

/// Returns why no tuning file of the system's wisdom holds on this machine, as a clause with the file's name; empty if one does, or if there is
/// none at all.
std::string system_tunings_misfit(const RunContext& context);

/// Returns the schema of files of wisdom (workbench/wisdom_file.hpp).
PublishedSchema wisdom_schema();

}  // namespace flopcast
