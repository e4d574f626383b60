#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/wisdom/tables.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(Wisdom is what was decided once: tuned block sizes, kernels of BLAS libraries, plans of contractions.
The system's wisdom, /etc/flopcast/wisdom, holds for all users where they have none of their own.

Examples:
  flopcast wisdom export --output epyc.wisdom
  flopcast wisdom import epyc.wisdom)";

std::string entries(std::size_t count) { return count == 1 ? "1 entry" : fmt::format("{} entries", count); }

void show(const std::vector<WisdomEntry>& all, const CommonOptions& common) {
  if (!all.empty() || common.csv) {
    emit(wisdom_table(all), common);
  }
}

void list(const ListWisdomRequest& request, const CommonOptions& common) {
  const WisdomList found = list_wisdom(request, run_context(common));
  if (common.json) {
    emit_document(found, common);
    return;
  }
  if (found.entries.empty()) {
    note("no wisdom; 'flopcast tune dgeqrf --n 200:3200 --save' makes some", common);
  }
  show(found.entries, common);
}

void import_file(const WisdomRequest& request, bool from_system, const CommonOptions& common) {
  if (from_system && !request.file.empty()) {
    throw usage_error("--system reads the system's wisdom; leave {} out", request.file);
  }
  if (!from_system && request.file.empty()) {
    throw usage_error("no file of wisdom is named; give a FILE, or --system for the system's wisdom");
  }
  const RunContext context = run_context(common);
  const WisdomImport imported = from_system ? import_system_wisdom({request.tuning}, context) : import_wisdom(request, context);
  if (common.json) {
    emit_document(imported, common);
    return;
  }
  note(fmt::format("{} imported{}", entries(imported.taken.size()),
                   imported.left_out.empty()
                       ? ""
                       : fmt::format("; {} skipped, which don't hold on this machine", entries(imported.left_out.size()))),
       common);
  std::vector<WisdomEntry> all = imported.taken;
  all.insert(all.end(), imported.left_out.begin(), imported.left_out.end());
  show(all, common);
}

void forget(const ForgetRequest& request, const CommonOptions& common) {
  if (request.ids.empty() && !request.kind && !request.all) {
    throw usage_error("nothing to forget. Name entries by the identifiers of 'flopcast wisdom list', or give --kind or --all");
  }
  const WisdomList forgotten = forget_wisdom(request, run_context(common));
  if (common.json) {
    emit_document(forgotten, common);
    return;
  }
  note(fmt::format("{} forgotten", entries(forgotten.entries.size())), common);
  show(forgotten.entries, common);
}

/// Returns whether something of this machine's own wisdom doesn't hold. Entries for other CPUs count only where nothing at all holds.
bool has_own_misfits(const WisdomCheck& check) {
  const auto is_own = [](const WisdomEntry& finding) { return finding.differs != "CPU"; };
  return std::any_of(check.findings.begin(), check.findings.end(), is_own) || (check.others == 0 && !check.findings.empty());
}

void show(const WisdomCheck& check, bool summary_only, const CommonOptions& common) {
  if (common.json) {
    emit_document(check, common);
  } else if (summary_only) {
    emit(check.summary + '\n', common);
  } else {
    note(check.summary, common);
    if (!check.findings.empty() || common.csv) {
      emit(finding_table(check.findings), common);
    }
  }
}

/// Adds a command that does nothing but its request.
template <class Request, class Act>
void add(OptionSet& wisdom, CommonOptions& common, const char* name, const char* summary, const char* examples, Act act) {
  auto request = std::make_shared<Request>();
  OptionSet command = wisdom.add_command(name, summary);
  add_request(command, *request);
  command.footer(examples);
  command.action([request, act, &common] { act(*request, common); });
}

void add_import(OptionSet& wisdom, CommonOptions& common) {
  auto request = std::make_shared<WisdomRequest>();
  auto from_system = std::make_shared<bool>(false);
  OptionSet command = wisdom.add_command("import", "Add a file's wisdom, as far as it holds on this machine, to your own");
  command.option("file", request->file, "File of wisdom; - is standard input").placeholder("FILE");
  command.flag("--system", *from_system, "Add the system's wisdom where you have none of the same name");
  add_request(command, *request);
  command.footer("Example:\n  flopcast wisdom import epyc.wisdom");
  command.action([request, from_system, &common] { import_file(*request, *from_system, common); });
}

void add_check(OptionSet& wisdom, CommonOptions& common) {
  auto request = std::make_shared<ListWisdomRequest>();
  auto summary_only = std::make_shared<bool>(false);
  OptionSet command =
      wisdom.add_command("check", "Say which entries don't hold on this machine; exit code 1 if one is for its CPU, or none holds");
  add_request(command, *request);
  command.flag("--summary", *summary_only, "Only sum up: one sentence, for a prolog script");
  command.footer("Example:\n  flopcast wisdom check --summary");
  command.action([request, summary_only, &common] {
    const WisdomCheck check = check_wisdom(*request, run_context(common));
    common.exit_code = has_own_misfits(check) ? static_cast<int>(ExitCode::check_failed) : 0;
    show(check, *summary_only, common);
  });
}

}  // namespace

void add_wisdom_command(OptionSet& app, CommonOptions& common) {
  OptionSet wisdom = app.add_command("wisdom", "Export, import, merge, list, check and remove what was decided");
  wisdom.require_command();
  wisdom.footer(footer);
  add<ListWisdomRequest>(wisdom, common, "list", "List your wisdom and the system's, or that of a file",
                         "Example:\n  flopcast wisdom list epyc.wisdom", list);
  add_check(wisdom, common);
  add<ExportWisdomRequest>(wisdom, common, "export", "Write your wisdom as one file",
                           "Example:\n  flopcast wisdom export --output epyc.wisdom",
                           [](const ExportWisdomRequest& request, const CommonOptions& options) {
                             emit(export_wisdom(request, run_context(options)), options);
                           });
  add_import(wisdom, common);
  add<MergeRequest>(
      wisdom, common, "merge", "Write the wisdom of several files as one",
      "Example:\n  flopcast wisdom merge epyc.wisdom xeon.wisdom --output site.wisdom",
      [](const MergeRequest& request, const CommonOptions& options) { emit(merge_wisdom(request.files, run_context(options)), options); });
  add<ForgetRequest>(wisdom, common, "forget", "Remove entries from your own wisdom",
                     "A tuning file that loses block sizes is kept as FILE.previous.\n\nExample:\n  flopcast wisdom forget --kind plans",
                     forget);
  add<PruneRequest>(
      wisdom, common, "prune", "Remove entries that don't hold on this machine any more from your own wisdom",
      "A tuning file that loses block sizes is kept as FILE.previous.\n\nExample:\n  flopcast wisdom prune --dry-run",
      [](const PruneRequest& request, const CommonOptions& options) { show(prune_wisdom(request, run_context(options)), false, options); });
}

}  // namespace flopcast::cli
