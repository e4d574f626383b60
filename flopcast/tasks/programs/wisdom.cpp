#include "flopcast/tasks/programs/wisdom.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/wisdom_services.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/wisdom_file.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

template <>
Fields FieldTable<WisdomEntry>::fields() {
  return {
      field<&T::id>("names the entry for `flopcast wisdom forget`: w and eight hexadecimal digits, of which the first few are enough"),
      field<&T::kind>("\"block sizes\", \"kernels\" or \"plan\"; \"file\" for a file that can't be read"),
      field<&T::subject>(
          "tuned routines with their orders, file of a library with its kernels, or contraction with extents, precision and the planner's "
          "effort. Labels of contractions stand for neighbouring ones that are one index in all tensors"),
      field<&T::place>("libraries and threads that the entry is for; empty for kernels"),
      field<&T::misfit>("why the entry doesn't hold on this machine; empty if it holds"),
      field<&T::file>("where the entry is kept"),
      optional_field<&T::cpu>("CPU that the entry is for; empty: not known"),
      optional_field<&T::differs>("CPU, cores or caches, library, kernels, version or file; empty if the entry holds"),
      optional_field<&T::remedy>("what to do about the difference; empty if the entry holds")};
}

template <>
Fields FieldTable<WisdomList>::fields() {
  return {field<&T::entries>("block sizes, plans, kernels")};
}

template <>
Fields FieldTable<WisdomCheck>::fields() {
  return {field<&T::findings>("entries that don't hold on this machine; of pruning those that were removed, or would be"),
          field<&T::others>("number of the other entries"), field<&T::summary>("one sentence")};
}

template <>
Fields FieldTable<WisdomImport>::fields() {
  return {field<&T::taken>("entries that were added to your own wisdom"), field<&T::left_out>("entries that don't hold on this machine")};
}

namespace {

namespace fs = std::filesystem;

constexpr const char* list_schema = "flopcast-wisdom-list-1";
constexpr const char* import_schema = "flopcast-wisdom-import-1";
constexpr const char* check_schema = "flopcast-wisdom-check-1";
constexpr const char* block_sizes = "block sizes";
constexpr const char* kernels = "kernels";
constexpr const char* plan = "plan";
constexpr const char* other_cpu_part = "CPU";  ///< Misfit::part of entries for other CPUs

/// Returns an identifier that depends on nothing but the entry's name. It begins with a letter, so that no reader of CSV takes it for a number.
std::string id_of(const std::string& name) {
  constexpr std::size_t digits = 8;
  return 'w' + hexadecimal_digest(name).substr(0, digits);
}

/// Returns "dgeqrf, dpotrf:L and 118 others, orders 200 to 3200".
std::string routines_text(const std::vector<program::TunedRoutine>& routines) {
  static constexpr std::size_t max_named = 6;
  std::vector<std::string> names;
  std::int64_t low = 0, high = 0;
  for (const program::TunedRoutine& routine : routines) {
    names.push_back(program::routine_label(routine.name, routine.flags));
    for (const program::TunedPoint& point : routine.points) {
      const std::int64_t order = std::min(point.m, point.n);
      low = low == 0 ? order : std::min(low, order);
      high = std::max(high, order);
    }
  }
  const std::size_t others = names.size() > max_named ? names.size() - max_named : 0;
  names.resize(names.size() - others);
  return fmt::format("{}{}, {}", fmt::join(names, ", "), others > 0 ? fmt::format(" and {}", counted(others, "other")) : "",
                     low == high ? fmt::format("order {}", high) : fmt::format("orders {} to {}", low, high));
}

/// Marks an entry that doesn't hold, and says what to do.
void set_misfit(WisdomEntry& entry, const Misfit& misfit, const std::string& renewal) {
  entry.misfit = misfit.reason;
  entry.differs = misfit.part;
  entry.remedy = misfit.empty()                  ? ""
                 : misfit.part == other_cpu_part ? renewal + ", on a machine of this kind"
                                                 : renewal + "; 'flopcast wisdom prune' removes the entry";
}

WisdomEntry described(const program::SavedTuning& tuning, const WisdomMachine& machine, const std::string& file) {
  const Environment& place = tuning.environment;
  WisdomEntry entry{id_of(fmt::format("{};{};{};{};{}", place.cpu, place.blas.path, place.lapack.path, place.threads, place.fingerprint)),
                    block_sizes,
                    routines_text(tuning.routines),
                    place_text(place),
                    "",
                    file,
                    place.cpu};
  set_misfit(entry, misfit(place, machine),
             fmt::format("tune anew: flopcast tune {} --threads {} --save",
                         tuning.routines.size() == 1 ? tuning.routines.front().name + " --n 200:3200" : "lapack", place.threads));
  return entry;
}

WisdomEntry described(const model::Artifact& artifact, const std::vector<Environment>& environments, const WisdomMachine& machine,
                      const std::string& file) {
  WisdomEntry entry{id_of(artifact.kind + ';' + artifact.name), kernels, artifact.name, "", "", file};
  const Misfit found = misfit(artifact, environments, machine);
  if (artifact.kind == model::artifact::kernel_choice) {
    set_misfit(entry, found, "'flopcast run' tries the kernels of the library that is here");
    entry.cpu = artifact.name.substr(0, artifact.name.find(" /"));
    if (const std::optional<TriedLibrary> library = tried_library(artifact.name, machine.topology.cpu)) {
      entry.subject = fmt::format("{}: {}", library->file, kernel_choice_text(artifact.document));
    }
    return entry;
  }
  entry.kind = plan;
  if (const std::optional<contract::WisdomConditions> conditions = contract::wisdom_conditions(artifact.name)) {
    const auto own = std::find_if(environments.begin(), environments.end(),
                                  [&](const Environment& environment) { return environment.fingerprint == conditions->fingerprint; });
    entry.subject = fmt::format("{}, effort {}", contract::contraction_text(conditions->contraction), conditions->effort);
    entry.cpu = own == environments.end() ? "" : own->cpu;
    entry.place = fmt::format("{}{}", own == environments.end() ? "" : own->blas.name + ", ", counted(conditions->threads, "thread"));
    set_misfit(entry, found.empty() && !conditions->is_current ? Misfit{"version", "another version of flopcast made it"} : found,
               "the next plan of this contraction is made anew");
  }
  return entry;
}

/// An entry and what it stands for: either a tuning file or an artifact of some wisdom.
struct WisdomPart {
  WisdomEntry entry;
  const program::SavedTuning* tuning = nullptr;
  const model::Artifact* artifact = nullptr;
};

/// Returns the parts of `wisdom`, whose tuning files and artifacts are kept in these files.
std::vector<WisdomPart> parts_of(const Wisdom& wisdom, const WisdomMachine& machine, const std::string& tuning_file,
                                 const std::string& artifact_file) {
  std::vector<WisdomPart> parts;
  for (const program::SavedTuning& tuning : wisdom.tunings) {
    parts.push_back({described(tuning, machine, tuning_file), &tuning});
  }
  for (const model::Artifact& artifact : wisdom.artifacts) {
    parts.push_back({described(artifact, wisdom.environments, machine, artifact_file), nullptr, &artifact});
  }
  return parts;
}

/// Checks a plan in a file.
void require_plan(const model::Artifact& artifact) {
  if (!contract::wisdom_conditions(artifact.name)) {
    throw MemberError("", fmt::format("'{}' is no name of a plan", artifact.name));
  }
  contract::require_wisdom(artifact.document);
}

Wisdom read_wisdom(const std::string& file) { return parse_wisdom(read_file(file), file == "-" ? "standard input" : file, require_plan); }

/// Returns whether the entry can be used. Other versions of flopcast may have stored entries of other forms.
bool is_usable(const model::Artifact& artifact) {
  try {
    artifact.kind == model::artifact::kernel_choice ? require_kernel_choice(artifact.document) : require_plan(artifact);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

/// Adds the part of the store that is wisdom. The store is opened only if there is one.
void add_stored(Wisdom& wisdom, const WisdomServices& services, const RunContext& context) {
  if (std::error_code none; !fs::exists(services.store, none)) {
    return;
  }
  const model::Store store = services.open(keeping_if_possible(context));  // reading needs no folder that can be written
  std::set<std::string> fingerprints;
  for (const char* kind : {model::artifact::contraction_plan, model::artifact::kernel_choice}) {
    for (const std::string& name : artifact_names(store, kind)) {
      model::Artifact artifact{kind, name, find_artifact(store, kind, name).value_or(nlohmann::json())};
      if (is_usable(artifact)) {
        wisdom.artifacts.push_back(std::move(artifact));
      }
      if (const auto conditions = contract::wisdom_conditions(name);
          conditions && kind == std::string_view(model::artifact::contraction_plan)) {
        fingerprints.insert(conditions->fingerprint);
      }
    }
  }
  for (Environment& environment : store.environments()) {
    if (fingerprints.contains(environment.fingerprint)) {
      wisdom.environments.push_back(std::move(environment));
    }
  }
}

Wisdom own_wisdom(const WisdomServices& services, const RunContext& context) {
  Wisdom wisdom;
  if (std::error_code none; fs::exists(services.tuning, none)) {
    wisdom.tunings = program::places(program::read_tuning(services.tuning));
    std::erase_if(wisdom.tunings, [](const program::SavedTuning& tuning) { return tuning.routines.empty(); });
  }
  add_stored(wisdom, services, context);
  return wisdom;
}

/// Throws environment_error if the user has no folder.
void require_folder(const WisdomServices& services) {
  if (services.tuning.empty() || services.store.empty()) {
    throw environment_error("{}", services.no_folder);
  }
}

/// Returns the store for changes that must be kept. Throws environment_error if they can't be.
model::Store store_to_keep(const WisdomServices& services, RunContext context) {
  context.unkept = nullptr;
  return services.open(context);
}

/// Writes tuning files and store together; the tuning file gets its former text again if the store can't be changed.
void keep(const Wisdom& wisdom, const WisdomServices& services, const RunContext& context) {
  require_folder(services);
  std::string remark;
  const auto save = [&] { remark = wisdom.tunings.empty() ? "" : program::save_tunings(services.tuning, wisdom.tunings); };
  if (wisdom.artifacts.empty()) {
    save();
  } else {
    const std::optional<std::string> before = fs::exists(services.tuning) ? std::optional(read_file(services.tuning)) : std::nullopt;
    bool saved = false;
    try {
      model::Store store = store_to_keep(services, context);
      put_together(store, wisdom.environments, wisdom.artifacts, [&] {
        save();
        saved = true;
      });
    } catch (...) {
      if (std::error_code none; saved && before) {
        write_file(services.tuning, *before);
      } else if (saved) {
        fs::remove(services.tuning, none);
      }
      throw;
    }
  }
  if (!remark.empty()) {
    context.note(remark);
  }
}

/// Throws bad_input unless every identifier begins exactly one entry's.
void require_ids(const std::vector<std::string>& ids, const std::vector<WisdomPart>& parts) {
  for (const std::string& id : ids) {
    const auto count =
        std::count_if(parts.begin(), parts.end(), [&](const WisdomPart& part) { return !id.empty() && part.entry.id.starts_with(id); });
    if (count != 1) {
      throw bad_input("{} of your own wisdom begins with '{}'. 'flopcast wisdom list' shows the identifiers",
                      count == 0 ? "no entry" : "more than one entry", id);
    }
  }
}

/// Returns WisdomEntry::kind of the entries of a kind.
const char* kind_of_entries(WisdomKind kind) {
  return kind == WisdomKind::block_sizes ? block_sizes : kind == WisdomKind::kernels ? kernels : plan;
}

bool is_meant(const WisdomEntry& entry, const ForgetRequest& request) {
  return request.all || (request.kind && entry.kind == kind_of_entries(*request.kind)) ||
         std::any_of(request.ids.begin(), request.ids.end(), [&](const std::string& id) { return entry.id.starts_with(id); });
}

void write_tunings(const std::string& file, std::vector<program::SavedTuning> left) {
  write_file(file + ".previous", read_file(file));
  if (left.empty()) {
    fs::remove(file);
  } else {
    write_file(file, program::to_json(program::joined(std::move(left))).dump(2) + '\n');
  }
}

/// Changes the tuning file to `left` and removes artifacts from the store, both or none.
void remove_entries(const Wisdom& own, std::vector<program::SavedTuning> left, const std::vector<model::Artifact>& removed,
                    const WisdomServices& services, const RunContext& context) {
  const auto save = [&] {
    if (left.size() < own.tunings.size()) {
      write_tunings(services.tuning, std::move(left));
    }
  };
  if (removed.empty()) {
    save();
    return;
  }
  model::Store store = store_to_keep(services, context);
  delete_together(store, removed, save);
}

/// Returns whether an entry for this library may be shown to others: its path has no folder of a user.
bool is_systems(std::string_view path) {
  static constexpr std::array<std::string_view, 4> system = {"/usr/", "/lib/", "/lib64/", "/opt/"};
  return path.empty() || std::any_of(system.begin(), system.end(), [&](std::string_view folder) { return path.starts_with(folder); });
}
bool is_systems(const Environment& place) { return is_systems(place.blas.path) && is_systems(place.lapack.path); }

/// Removes entries whose libraries lie in folders of users. Returns the number of the removed ones.
std::size_t remove_users(Wisdom& wisdom) {
  std::erase_if(wisdom.environments, [](const Environment& place) { return !is_systems(place); });
  return std::erase_if(wisdom.tunings, [](const program::SavedTuning& tuning) { return !is_systems(tuning.environment); }) +
         std::erase_if(wisdom.artifacts, [&](const model::Artifact& artifact) {
           if (artifact.kind == model::artifact::kernel_choice) {
             const std::size_t path = artifact.name.find(" /");
             return path == std::string::npos || !is_systems(std::string_view(artifact.name).substr(path + 1));
           }
           return std::none_of(wisdom.environments.begin(), wisdom.environments.end(), [&](const Environment& place) {
             return artifact.name.find(' ' + place.fingerprint + ' ') != std::string::npos;
           });
         });
}

/// Returns "all 3 entries of wisdom hold on this machine", or how many don't and what differs.
std::string summary_of(const WisdomCheck& check) {
  const std::size_t all = check.others + check.findings.size();
  if (all == 0) {
    return "there is no wisdom";
  }
  if (check.findings.empty()) {
    return all == 1 ? "the entry of wisdom holds on this machine" : fmt::format("all {} entries of wisdom hold on this machine", all);
  }
  std::set<std::string> parts;
  for (const WisdomEntry& entry : check.findings) {
    parts.insert(entry.differs);
  }
  return fmt::format("{} of {} entries of wisdom {} hold on this machine, which differs in: {}", check.findings.size(), all,
                     check.findings.size() == 1 ? "doesn't" : "don't", fmt::join(parts, ", "));
}

/// The part of some wisdom that holds on this machine, and all its entries.
struct FittingPart {
  Wisdom wisdom;
  WisdomImport entries;
};
FittingPart fitting_part(const Wisdom& wisdom, const std::string& file, const WisdomServices& services) {
  FittingPart result;
  result.wisdom.environments = wisdom.environments;
  for (WisdomPart& part : parts_of(wisdom, services.machine(), file, file)) {
    const bool fits = part.entry.misfit.empty();
    if (fits && part.tuning != nullptr) {
      result.wisdom.tunings.push_back(*part.tuning);
    } else if (fits) {
      result.wisdom.artifacts.push_back(*part.artifact);
    }
    (fits ? result.entries.taken : result.entries.left_out).push_back(std::move(part.entry));
  }
  return result;
}

/// Returns the wisdom without environments that no entry refers to.
Wisdom with_needed_environments(Wisdom wisdom) {
  std::erase_if(wisdom.environments, [&](const Environment& environment) {
    return std::none_of(wisdom.artifacts.begin(), wisdom.artifacts.end(),
                        [&](const model::Artifact& artifact) { return artifact.name.find(environment.fingerprint) != std::string::npos; });
  });
  return wisdom;
}

/// Returns the wisdom without the routines, kernels and plans that `own` has.
Wisdom without_known(Wisdom wisdom, const Wisdom& own) {
  for (program::SavedTuning& tuning : wisdom.tunings) {
    for (const program::SavedTuning& place : own.tunings) {
      if (place.environment.cpu == tuning.environment.cpu && program::same_place(place.environment, tuning.environment)) {
        std::erase_if(tuning.routines, [&](const program::TunedRoutine& routine) { return place.has(routine); });
      }
    }
  }
  std::erase_if(wisdom.tunings, [](const program::SavedTuning& tuning) { return tuning.routines.empty(); });
  std::erase_if(wisdom.artifacts, [&](const model::Artifact& artifact) {
    return std::any_of(own.artifacts.begin(), own.artifacts.end(),
                       [&](const model::Artifact& one) { return one.kind == artifact.kind && one.name == artifact.name; });
  });
  return wisdom;
}

/// Marks an entry whose kernels other values of the user's variables replace, as the user's own values go first.
void compare_kernels(WisdomEntry& entry, const program::SavedTuning& tuning, const WisdomMachine& machine) {
  for (const auto& [name, value] : tuning.settings) {
    if (const std::string own = machine.variable(name); entry.misfit.empty() && !own.empty() && own != value) {
      entry.misfit = fmt::format("it is for kernels by {}={}, and the variable is set to {}", name, value, own);
      entry.differs = "kernels";
      entry.remedy = "unset " + name;
    }
  }
}

/// Returns the entries of the wisdom that is asked for. For a check, kernels are compared as well, and a file that can't be read is an
/// entry.
std::vector<WisdomEntry> all_entries(const ListWisdomRequest& request, const WisdomServices& services, const RunContext& context,
                                     bool for_check) {
  std::vector<WisdomEntry> entries;
  const WisdomMachine machine = services.machine();
  const auto add = [&](const std::string& tuning_file, const std::string& artifact_file, const auto& read) {
    try {
      const Wisdom wisdom = read();
      for (WisdomPart& part : parts_of(wisdom, machine, tuning_file, artifact_file)) {
        if (for_check && part.tuning != nullptr) {
          compare_kernels(part.entry, *part.tuning, machine);
        }
        entries.push_back(std::move(part.entry));
      }
    } catch (const Error& error) {
      if (std::error_code none; !for_check || error.code() != ExitCode::bad_input || !fs::exists(tuning_file, none)) {
        throw;
      }
      entries.push_back(
          {"", "file", tuning_file, "", error.what(), tuning_file, "", "file", "write it anew with this version of flopcast"});
    }
  };
  const auto add_file = [&](const std::string& file) { add(file, file, [&] { return read_wisdom(file); }); };
  if (!request.file.empty()) {
    add_file(request.file);
    return entries;
  }
  if (!services.no_folder.empty()) {
    context.note("warning: " + services.no_folder);
  }
  add(services.tuning, services.store.string(), [&] { return own_wisdom(services, context); });
  if (std::error_code none; !services.system.empty() && fs::exists(services.system, none)) {
    add_file(services.system.string());
  }
  return entries;
}

}  // namespace

WisdomServices this_wisdom_services(const std::string& tuning) {
  WisdomServices services{tuning, {}, system_wisdom_file(), open_store, this_wisdom_machine, ""};
  try {
    services.tuning = tuning.empty() ? program::default_tuning_file() : tuning;
    services.store = model::default_store_path();
  } catch (const Error& error) {
    services.no_folder = error.what();
  }
  return services;
}

WisdomList list_wisdom(const ListWisdomRequest& request, const WisdomServices& services, const RunContext& context) {
  return {all_entries(request, services, context, false)};
}

WisdomCheck check_wisdom(const ListWisdomRequest& request, const WisdomServices& services, const RunContext& context) {
  WisdomCheck check;
  for (WisdomEntry& entry : all_entries(request, services, context, true)) {
    if (entry.misfit.empty()) {
      ++check.others;
    } else {
      check.findings.push_back(std::move(entry));
    }
  }
  check.summary = summary_of(check);
  return check;
}

WisdomCheck prune_wisdom(const PruneRequest& request, const WisdomServices& services, const RunContext& context) {
  const Wisdom own = own_wisdom(services, context);
  WisdomCheck pruned;
  std::vector<program::SavedTuning> left;
  std::vector<model::Artifact> removed;
  std::size_t for_other_cpus = 0;
  for (WisdomPart& part : parts_of(own, services.machine(), services.tuning, services.store.string())) {
    const bool is_other_cpus = part.entry.differs == other_cpu_part;
    const bool goes = !part.entry.misfit.empty() && (!is_other_cpus || request.other_cpus);
    if (part.tuning != nullptr && !goes) {
      left.push_back(*part.tuning);
    } else if (part.artifact != nullptr && goes) {
      removed.push_back(*part.artifact);
    }
    if (goes) {
      pruned.findings.push_back(std::move(part.entry));
    } else {
      ++pruned.others;
      for_other_cpus += is_other_cpus ? 1 : 0;
    }
  }
  if (!request.dry_run) {
    remove_entries(own, std::move(left), removed, services, context);
  }
  pruned.summary = fmt::format("entries {}: {}; left: {}{}", request.dry_run ? "that would be removed" : "removed", pruned.findings.size(),
                               pruned.others, for_other_cpus > 0 ? fmt::format(", {} of them for other CPUs", for_other_cpus) : "");
  return pruned;
}

std::string export_wisdom(const WisdomServices& services, const RunContext& context, bool anonymous) {
  Wisdom own = own_wisdom(services, context);
  if (const std::size_t skipped = anonymous ? remove_users(own) : 0; skipped > 0) {
    context.note(fmt::format("entries skipped whose libraries lie outside of the system's folders: {}", skipped));
  }
  if (own.tunings.empty() && own.artifacts.empty()) {
    require_folder(services);
    throw bad_input("there is no wisdom yet: no {}, and nothing in the store {}. 'flopcast tune lapack --save' makes some", services.tuning,
                    services.store.string());
  }
  return wisdom_text(std::move(own));
}

WisdomImport import_wisdom(const WisdomRequest& request, const WisdomServices& services, const RunContext& context) {
  auto [fitting, result] = fitting_part(read_wisdom(request.file), request.file, services);
  keep(with_needed_environments(std::move(fitting)), services, context);
  return result;
}

WisdomImport import_system_wisdom(const WisdomServices& services, const RunContext& context) {
  if (std::error_code none; services.system.empty() || !fs::exists(services.system, none)) {
    return {};
  }
  const std::string file = services.system.string();
  const Wisdom own = own_wisdom(services, context);
  const WisdomMachine machine = services.machine();
  auto [fitting, all] = fitting_part(without_known(read_wisdom(file), own), file, services);
  if (!fitting.tunings.empty()) {  // the user's places are added again, so that they stay before the system's
    std::copy_if(own.tunings.rbegin(), own.tunings.rend(), std::back_inserter(fitting.tunings),
                 [&](const program::SavedTuning& place) { return place.environment.cpu == machine.topology.cpu; });
  }
  keep(with_needed_environments(std::move(fitting)), services, context);
  return all;
}

std::string merge_wisdom(const std::vector<std::string>& files, const RunContext& context) {
  Wisdom merged;
  for (const std::string& file : files) {
    if (const int changed = add_wisdom(merged, read_wisdom(file)); changed > 0) {
      context.note(
          fmt::format("{} changes {} of the files before it", file, changed == 1 ? "1 entry" : fmt::format("{} entries", changed)));
    }
  }
  return wisdom_text(std::move(merged));
}

WisdomList forget_wisdom(const ForgetRequest& request, const WisdomServices& services, const RunContext& context) {
  if (request.ids.empty() && !request.kind && !request.all) {
    throw bad_input("nothing to forget. Name entries by the identifiers of 'flopcast wisdom list', or give a kind or all");
  }
  const Wisdom own = own_wisdom(services, context);
  const std::vector<WisdomPart> parts = parts_of(own, services.machine(), services.tuning, services.store.string());
  require_ids(request.ids, parts);
  WisdomList forgotten;
  std::vector<program::SavedTuning> left;
  std::vector<model::Artifact> removed;
  for (const WisdomPart& part : parts) {
    const bool meant = is_meant(part.entry, request);
    if (meant) {
      forgotten.entries.push_back(part.entry);
    }
    if (part.tuning != nullptr && !meant) {
      left.push_back(*part.tuning);
    } else if (part.artifact != nullptr && meant) {
      removed.push_back(*part.artifact);
    }
  }
  remove_entries(own, std::move(left), removed, services, context);
  return forgotten;
}

WisdomList list_wisdom(const ListWisdomRequest& request, const RunContext& context) {
  return list_wisdom(request, this_wisdom_services(request.tuning), context);
}
std::string export_wisdom(const ExportWisdomRequest& request, const RunContext& context) {
  return export_wisdom(this_wisdom_services(request.tuning), context, request.anonymous);
}
WisdomCheck check_wisdom(const ListWisdomRequest& request, const RunContext& context) {
  return check_wisdom(request, this_wisdom_services(request.tuning), context);
}
WisdomCheck prune_wisdom(const PruneRequest& request, const RunContext& context) {
  return prune_wisdom(request, this_wisdom_services(request.tuning), context);
}
WisdomImport import_wisdom(const WisdomRequest& request, const RunContext& context) {
  return import_wisdom(request, this_wisdom_services(request.tuning), context);
}
WisdomImport import_system_wisdom(const OwnWisdomRequest& request, const RunContext& context) {
  return import_system_wisdom(this_wisdom_services(request.tuning), context);
}
WisdomList forget_wisdom(const ForgetRequest& request, const RunContext& context) {
  return forget_wisdom(request, this_wisdom_services(request.tuning), context);
}

std::string to_json(const WisdomList& list) { return to_document(list, list_schema).dump(2); }
WisdomList wisdom_list_from_json(std::string_view text) { return from_document<WisdomList>(text, "list of wisdom", list_schema); }
std::string to_json(const WisdomImport& imported) { return to_document(imported, import_schema).dump(2); }
WisdomImport wisdom_import_from_json(std::string_view text) { return from_document<WisdomImport>(text, "import of wisdom", import_schema); }

std::string to_json(const WisdomCheck& check) { return to_document(check, check_schema).dump(2); }
WisdomCheck wisdom_check_from_json(std::string_view text) { return from_document<WisdomCheck>(text, "check of wisdom", check_schema); }

std::vector<PublishedSchema> wisdom_schemas() {
  return {wisdom_schema(), published<WisdomList>(list_schema, "Wisdom that the user and the system have, or a file of wisdom"),
          published<WisdomImport>(import_schema, "Entries of wisdom that were taken and skipped"),
          published<WisdomCheck>(check_schema, "Wisdom that doesn't hold on this machine, found or removed")};
}

}  // namespace flopcast
