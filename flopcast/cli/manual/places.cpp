#include "flopcast/cli/manual/documents.hpp"

#include <fmt/format.h>

#include <map>

#include "flopcast/cli/manual/help_text.hpp"
#include "flopcast/cli/shared/settings.hpp"

namespace flopcast::cli {

std::vector<NamedPlace> variables(const CommandDescription& top) {
  std::map<std::string, std::string> settings;  // by variable
  for (const CommandDescription* command : all_commands(top)) {
    for (const OptionDescription& option : command->options) {
      if (const std::string variable = variable_of(option); !variable.empty()) {
        settings.emplace(variable, option_name(option));
      }
    }
  }
  std::vector<NamedPlace> all;
  for (const auto& [variable, option] : settings) {
    all.push_back({variable, fmt::format("Value of {} where the command line gives none.", option)});
  }
  const std::vector<NamedPlace> others = {
      {"FLOPCAST_CONFIG", "Configuration file. Empty: none is read."},
      {"FLOPCAST_HOME", "Folder of everything that flopcast keeps: store, tuning file, measured caches."},
      {"XDG_CONFIG_HOME", "Folder whose flopcast/config.toml is the configuration file. Default: ~/.config."},
      {"XDG_DATA_HOME", "Without FLOPCAST_HOME: folder below which flopcast/ has store and tuning file. Default: ~/.local/share."},
      {"XDG_CACHE_HOME", "Without FLOPCAST_HOME: folder below which flopcast/ has the measured caches. Default: ~/.cache."},
      {"FLOPCAST_SYSTEM_WISDOM", "File of the wisdom that all users share. Empty: none. Default: /etc/flopcast/wisdom."},
      {"FLOPCAST_LIBEXEC", "Folder of the preloaded libraries and helper programs."},
      {"FLOPCAST_VERBOSE", "If set, each process of 'flopcast run' prints at its end which block sizes its LAPACK asked for."},
      {"TMPDIR", "Folder for temporary files. Default: /tmp, then /var/tmp and /dev/shm."},
      {"NO_COLOR", "If set and not empty, results aren't coloured unless --color says so."},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<NamedPlace> files() {
  return {
      {"~/.config/flopcast/config.toml", "Configuration file."},
      {"~/.local/share/flopcast/flopcast.db", "Store: samples, models, kernel times of MPI programs, plans of contractions."},
      {"~/.local/share/flopcast/tuning.json", "Tuned block sizes that 'flopcast run' uses."},
      {"~/.cache/flopcast/", "Measured caches and memory of this machine."},
      {"/etc/flopcast/wisdom", "Wisdom that all users share."},
  };
}

}  // namespace flopcast::cli
