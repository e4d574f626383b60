#include "flopcast/cli/profile_file.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "flopcast/core/error.hpp"
#include "flopcast/report/file.hpp"

namespace flopcast::cli {
namespace {

namespace fs = std::filesystem;

std::string set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void make_folder_of(const std::string& file) {
  std::error_code error;
  if (const fs::path folder = fs::path(file).parent_path(); !folder.empty()) {
    fs::create_directories(folder, error);
  }
  if (error) {
    throw environment_error("can't make the folder of {}: {}", file, error.message());
  }
}

}  // namespace

std::string default_profile_file() {
  if (const std::string home = set_variable("FLOPCAST_HOME"); !home.empty()) {
    return fs::path(home) / "profile.json";
  }
  if (const std::string data = set_variable("XDG_DATA_HOME"); !data.empty()) {
    return fs::path(data) / "flopcast/profile.json";
  }
  const std::string home = set_variable("HOME");
  if (home.empty()) {
    throw environment_error("neither FLOPCAST_HOME, XDG_DATA_HOME nor HOME is set: name the profile with --profile FILE");
  }
  return fs::path(home) / ".local/share/flopcast/profile.json";
}

interpose::Profile read_profile(const std::string& file) {
  const nlohmann::json document = report::read_document(file, "flopcast-profile-1");
  try {
    return interpose::profile_from_json(document);
  } catch (const Error& error) {
    throw Error(error.code(), file + ": " + error.what());
  }
}

void require_profile_writable(const std::string& file) {
  make_folder_of(file);
  report::require_writable(file);
}

std::string save_profile(const std::string& file, const interpose::Profile& profile) {
  interpose::Profile all;
  std::string remark;
  if (fs::exists(file)) {
    all = read_profile(file);
  }
  if (all.environment.fingerprint != profile.environment.fingerprint) {
    if (!all.routines.empty()) {
      const std::string previous = file + ".previous";
      std::error_code error;
      fs::copy_file(file, previous, fs::copy_options::overwrite_existing, error);
      if (error) {
        throw environment_error("can't copy {}, which holds for another machine or library, to {}: {}", file, previous, error.message());
      }
      remark = fmt::format("{} held for another machine or library ({}, {}): that is kept as {}", file, all.environment.cpu,
                           all.environment.blas.path, previous);
    }
    all.routines.clear();
  }
  all.environment = profile.environment;
  all.settings = profile.settings;
  for (const interpose::TunedRoutine& routine : profile.routines) {
    all.merge(routine);
  }
  make_folder_of(file);
  report::write_file(file, interpose::to_json(all).dump(2) + '\n');
  return remark;
}

}  // namespace flopcast::cli
