#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"

/// Decisions that travel: tuned block sizes, kernels of BLAS libraries and plans of contractions, as one file.
namespace flopcast {

struct WisdomEntry {
  std::string id;            ///< names the entry for forget_wisdom(): w and eight hexadecimal digits
  std::string kind;          ///< "block sizes", "kernels" or "plan"; "file" for a file that can't be read
  std::string subject;       ///< routines with their orders, the file of a library with its kernels, or a contraction with its extents
  std::string place;         ///< libraries and threads that the entry is for; empty for kernels
  std::string misfit;        ///< why the entry doesn't hold on this machine, as a clause; empty if it holds
  std::string file;          ///< where the entry is kept
  std::string cpu = {};      ///< CPU that the entry is for; empty: not known
  std::string differs = {};  ///< "CPU", "cores or caches", "library", "kernels", "version" or "file"; empty if the entry holds
  std::string remedy = {};   ///< a clause on what helps; empty if the entry holds
  friend bool operator==(const WisdomEntry&, const WisdomEntry&) = default;
};

/// Entries by kind: block sizes, plans, kernels. The user's own come before the system's.
struct WisdomList {
  std::vector<WisdomEntry> entries;
  friend bool operator==(const WisdomList&, const WisdomList&) = default;
};

/// Wisdom compared with this machine.
struct WisdomCheck {
  std::vector<WisdomEntry> findings;  ///< entries that don't hold here; of prune_wisdom() those that were removed, or would be
  std::size_t others = 0;             ///< number of the other entries
  std::string summary;                ///< one sentence
  friend bool operator==(const WisdomCheck&, const WisdomCheck&) = default;
};

/// The user's own wisdom, which is to be written for others.
struct ExportWisdomRequest {
  std::string tuning;
  bool anonymous = false;
};
/// Entries that are to be removed because they don't hold on this machine any more.
struct PruneRequest {
  bool dry_run = false;
  bool other_cpus = false;
  std::string tuning;
};
/// The user's own wisdom.
struct OwnWisdomRequest {
  std::string tuning;
};
/// A file of wisdom beside the user's own.
struct WisdomRequest {
  std::string file;
  std::string tuning;
};
/// A file of wisdom that is shown; without a name, the user's own and the system's.
struct ListWisdomRequest {
  std::string file;
  std::string tuning;
};
/// Files of wisdom that become one.
struct MergeRequest {
  std::vector<std::string> files;
};

/// Returns what a file of wisdom has; without a file, what the user and the system have.
WisdomList list_wisdom(const ListWisdomRequest& request, const RunContext& context = {});

/// Returns the user's own wisdom as the text of a file. Throws bad_input if there is none.
/// With `anonymous`, entries for libraries outside of the system's folders are skipped and noted.
std::string export_wisdom(const ExportWisdomRequest& request, const RunContext& context = {});

/// Compares the entries of list_wisdom() with this machine. A file that can't be read is a finding.
WisdomCheck check_wisdom(const ListWisdomRequest& request, const RunContext& context = {});

/// Removes entries from the user's own wisdom that don't hold on this machine any more, or that another version of flopcast made. Entries for
/// other CPUs stay unless they are asked for, because machines may share a folder. A tuning file that loses block sizes is kept as FILE.previous.
WisdomCheck prune_wisdom(const PruneRequest& request, const RunContext& context = {});

/// The outcome of an import.
struct WisdomImport {
  std::vector<WisdomEntry> taken;
  std::vector<WisdomEntry> left_out;  ///< entries that don't hold on this machine
  friend bool operator==(const WisdomImport&, const WisdomImport&) = default;
};
/// Adds the entries of a file that hold on this machine to the user's own, all or none. An entry of the file replaces the user's own of the
/// same name; block sizes are merged size by size. Throws bad_input that names file and member for a damaged file.
WisdomImport import_wisdom(const WisdomRequest& request, const RunContext& context = {});

/// Adds the entries of the system's wisdom that hold on this machine to the user's own, all or none. The user's entries stay: routines of
/// the same libraries and threads, kernels of the same library, plans. Nothing happens if the system has no wisdom. Throws as
/// import_wisdom().
WisdomImport import_system_wisdom(const OwnWisdomRequest& request, const RunContext& context = {});

/// Returns the entries of several files as the text of one. Where entries have one name, that of the later file stays. The same files in
/// the same order give the same text. Throws as import_wisdom().
std::string merge_wisdom(const std::vector<std::string>& files, const RunContext& context = {});

/// Kind of entries of wisdom.
enum class WisdomKind : std::uint8_t { block_sizes, kernels, plans };

/// Entries of the user's own wisdom that are to be removed.
struct ForgetRequest {
  std::vector<std::string> ids;
  std::optional<WisdomKind> kind;
  bool all = false;
  std::string tuning;
};
/// Removes entries from the user's own wisdom and returns them. A tuning file that loses block sizes is kept as FILE.previous. The system's
/// wisdom stays. Throws bad_input for an identifier that names no entry or several.
WisdomList forget_wisdom(const ForgetRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-wisdom-check-1", ...}.
std::string to_json(const WisdomCheck& check);
WisdomCheck wisdom_check_from_json(std::string_view text);
/// Converts to and from the documents {"schema": "flopcast-wisdom-list-1", ...} and {"schema": "flopcast-wisdom-import-1", ...}.
std::string to_json(const WisdomList& list);
WisdomList wisdom_list_from_json(std::string_view text);
std::string to_json(const WisdomImport& imported);
WisdomImport wisdom_import_from_json(std::string_view text);

template <>
Fields FieldTable<OwnWisdomRequest>::fields();
template <>
Fields FieldTable<ExportWisdomRequest>::fields();
template <>
Fields FieldTable<PruneRequest>::fields();
template <>
Fields FieldTable<WisdomRequest>::fields();
template <>
Fields FieldTable<ListWisdomRequest>::fields();
template <>
Fields FieldTable<MergeRequest>::fields();
template <>
Fields FieldTable<ForgetRequest>::fields();

}  // namespace flopcast
