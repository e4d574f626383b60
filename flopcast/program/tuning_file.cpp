#include "flopcast/program/tuning_file.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/folder_lock.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/support/user_folders.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

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

std::string default_tuning_file() { return user_data_folder("tunings", "Name the tuning file with --tuning FILE") / "tuning.json"; }

SavedTuning read_tuning(const std::string& file) {
  const nlohmann::json document = read_document(file, "flopcast-tuning-file-1");
  try {
    return saved_tuning_from_json(document);
  } catch (const Error& error) {
    throw Error(error.code(), file + ": " + error.what());
  }
}

void require_tuning_writable(const std::string& file) {
  make_folder_of(file);
  require_writable(file);
}

namespace {

/// Keeps the previous file under another name. Returns a note on that for the user.
std::string keep_previous(const std::string& file, const Environment& environment) {
  const std::string previous = file + ".previous";
  write_file(previous, read_file(file));
  return fmt::format("{} held for another machine or library ({}, {}): that is kept as {}", file, environment.cpu, environment.blas.path,
                     previous);
}

/// Drops of `known` what no longer holds beside `environment`: all of it on another machine, its own place if that has changed since.
std::vector<SavedTuning> without_obsolete(std::vector<SavedTuning> known, const Environment& environment) {
  std::erase_if(known, [&](const SavedTuning& place) {
    return place.environment.cpu != environment.cpu ||
           (same_place(place.environment, environment) && place.environment.fingerprint != environment.fingerprint);
  });
  return known;
}

/// Adds the decisions of `tuning file` to the places known; the newest place comes first. Returns the older entries that stayed.
std::vector<KeptPoint> add(std::vector<SavedTuning>& known, const SavedTuning& tuning) {
  auto own =
      std::find_if(known.begin(), known.end(), [&](const SavedTuning& place) { return same_place(place.environment, tuning.environment); });
  if (own == known.end()) {
    own = known.insert(known.begin(), SavedTuning{});
  }
  std::rotate(known.begin(), own, own + 1);
  known.front().environment = tuning.environment;
  known.front().settings = tuning.settings;
  std::vector<KeptPoint> stayed;
  for (const TunedRoutine& routine : tuning.routines) {
    const std::vector<KeptPoint> of_routine = known.front().merge(routine);
    stayed.insert(stayed.end(), of_routine.begin(), of_routine.end());
  }
  return stayed;
}

std::string evidence_text(const TunedPoint& point) {
  return fmt::format("{} and {}{}", counted(point.considered, "block size"), counted(point.samples, "sample"),
                     point.undecided ? ", and is undecided" : "");
}

/// Returns a note on older entries that stayed, such as "the entry of dgeqrf for 1000 in FILE stays ..."; "" if there are none.
std::string kept_text(const std::string& file, const std::vector<KeptPoint>& stayed) {
  if (stayed.empty()) {
    return "";
  }
  const auto& [routine, kept, refused] = stayed.front();
  const std::string size = kept.m == kept.n ? fmt::format("{}", kept.n) : fmt::format("{} x {}", kept.m, kept.n);
  return fmt::format(
      "{}: the entry of {} for {} stays{}. It rests on {}; the new one rests on {}. 'flopcast wisdom forget' removes entries", file,
      routine, size, stayed.size() > 1 ? fmt::format(", and {} with it", counted(stayed.size() - 1, "other")) : "", evidence_text(kept),
      evidence_text(refused));
}

}  // namespace

std::string save_tunings(const std::string& file, const std::vector<SavedTuning>& newer) {
  make_folder_of(file);
  const FolderLock lock(fs::path(file).parent_path());  // two processes that save at once keep the entries of both
  const std::vector<SavedTuning> before = fs::exists(file) ? places(read_tuning(file)) : std::vector<SavedTuning>();
  std::vector<SavedTuning> known = before;
  for (const SavedTuning& tuning : newer) {
    known = without_obsolete(std::move(known), tuning.environment);
  }
  std::string remark;
  const auto is_lost = [&](const SavedTuning& place) {
    return !place.routines.empty() && std::find(known.begin(), known.end(), place) == known.end();
  };
  if (const auto lost = std::find_if(before.begin(), before.end(), is_lost); lost != before.end()) {
    remark = keep_previous(file, lost->environment);
  }
  std::vector<KeptPoint> stayed;
  for (const SavedTuning& tuning : newer) {
    const std::vector<KeptPoint> of_tuning = add(known, tuning);
    stayed.insert(stayed.end(), of_tuning.begin(), of_tuning.end());
  }
  const std::string note = kept_text(file, stayed);
  remark += (remark.empty() || note.empty() ? "" : ". ") + note;
  write_file(file, to_json(joined(std::move(known))).dump(2) + '\n');
  return remark;
}

std::string save_tuning(const std::string& file, const SavedTuning& tuning) { return save_tunings(file, {tuning}); }

}  // namespace flopcast::program
