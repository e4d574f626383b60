#include "flopcast/workbench/wisdom_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "flopcast-wisdom-1";

auto order(const program::SavedTuning& tuning) {
  const Environment& place = tuning.environment;
  return std::tie(place.cpu, place.blas.path, place.lapack.path, place.threads, place.fingerprint);
}
auto order(const program::TunedRoutine& routine) { return std::tie(routine.name, routine.flags); }
auto order(const Environment& environment) { return std::tie(environment.fingerprint); }
auto order(const model::Artifact& artifact) { return std::tie(artifact.kind, artifact.name); }

template <class T>
void sort(std::vector<T>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const T& a, const T& b) { return order(a) < order(b); });
}

/// Returns the entry of `entries` that stands for the same as `one`.
template <class T>
auto same_as(const T& one, std::vector<T>& entries) {
  return std::find_if(entries.begin(), entries.end(), [&](const T& other) { return order(one) == order(other); });
}

std::vector<program::SavedTuning> tunings_from_json(const nlohmann::json& json) {
  try {
    return program::places(program::saved_tuning_from_json(json));
  } catch (const Error& error) {
    throw MemberError("", error.what());
  }
}

bool is_known(const std::string& kind) { return kind == model::artifact::kernel_choice || kind == model::artifact::contraction_plan; }

model::Artifact artifact_from_json(const nlohmann::json& json, const std::function<void(const model::Artifact& plan)>& check) {
  model::Artifact artifact{member<std::string>(json, "kind"), member<std::string>(json, "name"), json_detail::member(json, "document")};
  at_place("document", [&] {
    if (artifact.kind == model::artifact::kernel_choice) {
      require_kernel_choice(artifact.document);
    } else if (artifact.kind == model::artifact::contraction_plan) {
      check(artifact);
    }
  });
  return artifact;
}

/// Adds newer decisions for the same libraries and threads.
void merge(program::SavedTuning& older, const program::SavedTuning& newer) {
  older.environment = newer.environment;
  older.settings = newer.settings;
  for (const program::TunedRoutine& routine : newer.routines) {
    older.merge(routine);
  }
  sort(older.routines);
}

template <class T>
void replace(T& older, const T& newer) {
  older = newer;
}
void replace(program::SavedTuning& older, const program::SavedTuning& newer) { merge(older, newer); }

/// Adds or replaces entries; returns how many of the older ones were changed.
template <class T>
int add(std::vector<T>& older, const std::vector<T>& newer) {
  int changed = 0;
  for (const T& one : newer) {
    if (const auto same = same_as(one, older); same != older.end()) {
      const T before = *same;
      replace(*same, one);
      changed += before != *same ? 1 : 0;
    } else {
      older.push_back(one);
    }
  }
  sort(older);
  return changed;
}

/// Returns `wisdom` with every list in its order.
Wisdom sorted(Wisdom wisdom) {
  for (program::SavedTuning& tuning : wisdom.tunings) {
    sort(tuning.routines);
  }
  sort(wisdom.tunings);
  sort(wisdom.environments);
  sort(wisdom.artifacts);
  return wisdom;
}

using nlohmann::ordered_json;

ordered_json members(SchemaMaker& maker) {
  ordered_json tuning = program::saved_tuning_members(maker);
  add_member(tuning, "schema", {{"const", program::saved_tuning_schema().name}});
  const ordered_json artifact =
      object_schema({{"kind", described(maker.of<std::string>(), "kernel-choice or contraction-plan; others are ignored")},
                     {"name", described(maker.of<std::string>(), "what the decision is about, and for which machine")},
                     {"document", {{"type", "object"}, {"description", "the decision"}}}});
  return object_schema(
      {{"tunings", described(array_schema(tuning), "one for each CPU, pair of libraries and number of threads")},
       {"environments", described(maker.of<std::vector<Environment>>(), "machines and libraries that names of plans refer to")},
       {"artifacts", described(array_schema(artifact), "choices of kernels and plans of contractions")}});
}

}  // namespace

std::string wisdom_text(Wisdom wisdom) {
  wisdom = sorted(std::move(wisdom));
  nlohmann::json tunings = nlohmann::json::array(), artifacts = nlohmann::json::array();
  for (const program::SavedTuning& tuning : wisdom.tunings) {
    tunings.push_back(program::to_json(tuning));
  }
  for (const model::Artifact& artifact : wisdom.artifacts) {
    artifacts.push_back({{"kind", artifact.kind}, {"name", artifact.name}, {"document", artifact.document}});
  }
  nlohmann::ordered_json document = {{"schema", schema}};
  document["tunings"] = tunings;
  document["environments"] = nlohmann::json(wisdom.environments);
  document["artifacts"] = artifacts;
  return document.dump(1) + '\n';
}

Wisdom parse_wisdom(std::string_view text, const std::string& document, const std::function<void(const model::Artifact& plan)>& check) {
  const nlohmann::json json = parse_json(text, document);
  require_schema(json, document, schema);
  return in_document(document, [&] {
    Wisdom wisdom;
    for_each_element(json, "tunings", [&](const nlohmann::json& tuning) {
      std::vector<program::SavedTuning> places = tunings_from_json(tuning);
      std::move(places.begin(), places.end(), std::back_inserter(wisdom.tunings));
    });
    read_member(json, "environments", wisdom.environments);
    for_each_element(json, "artifacts", [&](const nlohmann::json& artifact) {
      if (model::Artifact read = artifact_from_json(artifact, check); is_known(read.kind)) {
        wisdom.artifacts.push_back(std::move(read));
      }
    });
    Wisdom whole;  // entries of one name stand for one thing, also within a file
    add_wisdom(whole, wisdom);
    return whole;
  });
}

int add_wisdom(Wisdom& older, const Wisdom& newer) {
  older = sorted(std::move(older));
  add(older.environments, newer.environments);  // those of one fingerprint differ in what was measured only
  const int changed = add(older.tunings, newer.tunings) + add(older.artifacts, newer.artifacts);
  older = sorted(std::move(older));
  return changed;
}

fs::path system_wisdom_file() {
  const char* named = std::getenv("FLOPCAST_SYSTEM_WISDOM");
  return named != nullptr ? named : "/etc/flopcast/wisdom";
}

WisdomMachine this_wisdom_machine() {
  WisdomMachine machine;
  machine.topology = machine::detect_topology();
  machine.digest = [](const std::string& path) {
    try {
      return machine::ElfFile(path).digest();
    } catch (const Error&) {
      return std::string();
    }
  };
  machine.bytes = [](const std::string& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
  };
  machine.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  };
  return machine;
}

Misfit misfit(const Environment& environment, const WisdomMachine& machine) {
  if (environment.cpu != machine.topology.cpu) {
    return {"CPU", fmt::format("it is for the CPU '{}', and this is '{}'", environment.cpu, machine.topology.cpu)};
  }
  if (machine::fingerprint(machine.topology, environment.blas, environment.lapack) != environment.fingerprint) {
    return {"cores or caches", "its fingerprint is that of a machine with other cores or caches"};
  }
  for (const LibraryIdentity& library : {environment.blas, environment.lapack}) {
    if (library.path.empty()) {
      continue;  // plans of contractions need no LAPACK
    }
    const std::string digest = machine.digest(library.path);
    if (digest.empty()) {
      return {"library", fmt::format("there is no library {}", library.path)};
    }
    if (digest != library.digest) {
      return {"library",
              fmt::format("the library {} is another build{}", library.path,
                          library.version.empty() ? "" : fmt::format(" than {} {} at that time", library.name, library.version))};
    }
  }
  return {};
}

namespace {

Misfit kernel_choice_misfit(const std::string& key, const WisdomMachine& machine) {
  const std::optional<TriedLibrary> library = tried_library(key, machine.topology.cpu);
  if (!library) {
    return {"CPU", fmt::format("it is for another CPU than '{}'", machine.topology.cpu)};
  }
  const std::uintmax_t bytes = machine.bytes(library->file);
  return bytes == library->bytes
             ? Misfit()
             : Misfit{"library", fmt::format("{} {}", bytes == 0 ? "there is no library" : "another build is", library->file)};
}

}  // namespace

Misfit misfit(const model::Artifact& artifact, const std::vector<Environment>& environments, const WisdomMachine& machine) {
  if (artifact.kind == model::artifact::kernel_choice) {
    return kernel_choice_misfit(artifact.name, machine);
  }
  const auto own = std::find_if(environments.begin(), environments.end(), [&](const Environment& environment) {
    return !environment.fingerprint.empty() && artifact.name.find(' ' + environment.fingerprint + ' ') != std::string::npos;
  });
  return own == environments.end() ? Misfit{"CPU", "the wisdom doesn't say for which machine it is"} : misfit(*own, machine);
}

namespace {

/// Returns the system's wisdom as it is; empty if there is none. A file that can't be read is noted.
Wisdom whole_system_wisdom(const RunContext& context) {
  const fs::path file = system_wisdom_file();
  std::error_code none;
  if (file.empty() || !fs::exists(file, none)) {
    return {};
  }
  try {
    return parse_wisdom(read_file(file.string()), file.string());
  } catch (const Error& error) {
    context.note(fmt::format("warning: the system's wisdom has no effect: {}", error.what()));
    return {};
  }
}

}  // namespace

Wisdom system_wisdom(const RunContext& context) {
  Wisdom wisdom = whole_system_wisdom(context);
  const WisdomMachine machine = this_wisdom_machine();
  std::erase_if(wisdom.tunings, [&](const program::SavedTuning& tuning) { return !misfit(tuning.environment, machine).empty(); });
  std::erase_if(wisdom.artifacts, [&](const model::Artifact& artifact) { return !misfit(artifact, wisdom.environments, machine).empty(); });
  std::erase_if(wisdom.environments, [&](const Environment& environment) { return !misfit(environment, machine).empty(); });
  return wisdom;
}

std::string system_tunings_misfit(const RunContext& context) {
  const Wisdom wisdom = whole_system_wisdom(context);
  const WisdomMachine machine = this_wisdom_machine();
  std::string reason;
  for (const program::SavedTuning& tuning : wisdom.tunings) {
    const std::string why = misfit(tuning.environment, machine).reason;
    if (why.empty()) {
      return "";
    }
    reason = reason.empty() ? fmt::format("the system's wisdom {} doesn't hold here: {}", system_wisdom_file().string(), why) : reason;
  }
  return reason;
}

PublishedSchema wisdom_schema() { return published("flopcast-wisdom-1", "Decisions that travel between users and machines", members); }

}  // namespace flopcast
