#include "flopcast/support/user_folders.hpp"

#include <cstdlib>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Returns the variable's value, empty if it isn't set. The XDG specification treats an empty variable as one that isn't set.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

fs::path user_folder(const char* xdg_variable, const char* below_home, std::string_view contents, std::string_view remedy) {
  if (fs::path own = folder_in("FLOPCAST_HOME"); !own.empty()) {
    return own;
  }
  if (const fs::path xdg = folder_in(xdg_variable); !xdg.empty()) {
    return xdg / "flopcast";
  }
  if (const fs::path home = folder_in("HOME"); !home.empty()) {
    return home / below_home / "flopcast";
  }
  throw environment_error("there is no folder for {}: none of FLOPCAST_HOME, {} and HOME is set. {}", contents, xdg_variable, remedy);
}

}  // namespace

fs::path user_data_folder(std::string_view contents, std::string_view remedy) {
  return user_folder("XDG_DATA_HOME", ".local/share", contents, remedy);
}

fs::path user_cache_folder(std::string_view contents, std::string_view remedy) {
  return user_folder("XDG_CACHE_HOME", ".cache", contents, remedy);
}

std::optional<fs::path> user_config_file() {
  if (std::getenv("FLOPCAST_CONFIG") != nullptr) {
    const fs::path named = folder_in("FLOPCAST_CONFIG");
    return named.empty() ? std::nullopt : std::optional(named);
  }
  for (const auto& [variable, below] : {std::pair("XDG_CONFIG_HOME", "flopcast"), std::pair("HOME", ".config/flopcast")}) {
    if (const fs::path folder = folder_in(variable); !folder.empty()) {
      return folder / below / "config.toml";
    }
  }
  return std::nullopt;
}

}  // namespace flopcast
