#include "flopcast/program/saved_tuning.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast {

template <>
Fields FieldTable<program::TunedPoint>::fields() {
  using algorithm::BlockParameters;
  return {field<&T::m>("rows, as the routine passes them to ilaenv"),
          field<&T::n>("columns; m for routines of one size"),
          field<&T::blocks, &BlockParameters::nb>("block size"),
          field<&T::blocks, &BlockParameters::nbmin>("least block size; 0: LAPACK's own"),
          field<&T::blocks, &BlockParameters::nx>("crossover point; 0: LAPACK's own"),
          optional_field<&T::ties>("other block sizes that are as good within noise"),
          optional_field<&T::regret>("greatest possible loss, fraction of the best time"),
          optional_field<&T::undecided>("the measurements don't show which block size is best, so that LAPACK's own is kept"),
          optional_field<&T::considered>("number of block sizes that were predicted; 0: not known"),
          optional_field<&T::samples>("measured calls that the predictions rest on; 0: not known")};
}

template <>
Fields FieldTable<program::TunedRoutine>::fields() {
  return {field<&T::name>("name of the LAPACK routine, such as \"dgeqrf\"").named("routine"),
          optional_field<&T::flags>("options of ilaenv, such as \"L\", for which the block sizes hold; empty: all"),
          field<&T::points>("decisions by problem size, sorted by (m, n)")};
}

/// The members of a tuning file without its `others`.
template <>
Fields FieldTable<program::SavedTuning>::fields() {
  return {field<&T::environment>("machine and libraries that the block sizes were tuned for"),
          optional_field<&T::settings>("environment variables in force"), field<&T::routines>("tuned routines")};
}

}  // namespace flopcast

namespace flopcast::program {
namespace {

constexpr const char* schema = "flopcast-tuning-file-1";

void require_sane(const TunedRoutine& routine) {
  if (routine.name.empty() || routine.points.empty()) {
    throw bad_input("tuning file: routine '{}' has no points", routine.name);
  }
  for (const TunedPoint& point : routine.points) {
    if (point.m < 1 || point.n < 1 || point.blocks.nb < 1 || point.blocks.nbmin < 0 || point.blocks.nx < 0) {
      throw bad_input(
          "tuning file: {} of {} x {} has nb = {}, nbmin = {}, nx = {}; expected positive sizes and nb, and nbmin and nx of 0 or more",
          routine.name, point.m, point.n, point.blocks.nb, point.blocks.nbmin, point.blocks.nx);
    }
  }
}

bool are_near(const TunedPoint& a, const TunedPoint& b) {
  constexpr double factor = 1.05;
  const auto near = [](std::int64_t x, std::int64_t y) {
    return static_cast<double>(std::max(x, y)) <= factor * static_cast<double>(std::min(x, y));
  };
  return near(a.m, b.m) && near(a.n, b.n);
}

template <class Routines>
auto same_as(const TunedRoutine& routine, Routines& known) {
  return std::find_if(known.begin(), known.end(),
                      [&](const TunedRoutine& one) { return one.name == routine.name && one.flags == routine.flags; });
}

}  // namespace

void SavedTuning::set(TunedRoutine routine) {
  require_sane(routine);
  std::sort(routine.points.begin(), routine.points.end(),
            [](const TunedPoint& a, const TunedPoint& b) { return std::tie(a.m, a.n) < std::tie(b.m, b.n); });
  if (const auto same = same_as(routine, routines); same != routines.end()) {
    *same = std::move(routine);
  } else {
    routines.push_back(std::move(routine));
  }
}

bool SavedTuning::has(const TunedRoutine& routine) const { return same_as(routine, routines) != routines.end(); }

bool rests_on_less(const TunedPoint& newer, const TunedPoint& older) {
  if (newer.undecided != older.undecided) {
    return newer.undecided;
  }
  return newer.considered < older.considered || 2 * newer.samples < older.samples;
}

std::vector<KeptPoint> SavedTuning::merge(TunedRoutine routine) {
  require_sane(routine);
  std::vector<KeptPoint> stayed;
  if (const auto same = same_as(routine, routines); same != routines.end()) {
    std::vector<TunedPoint> newer, older;
    for (const TunedPoint& point : routine.points) {
      const auto better = std::find_if(same->points.begin(), same->points.end(),
                                       [&](const TunedPoint& old) { return are_near(old, point) && rests_on_less(point, old); });
      if (better == same->points.end()) {
        newer.push_back(point);
      } else {
        stayed.push_back({routine_label(routine.name, routine.flags), *better, point});
      }
    }
    const auto is_replaced = [&](const TunedPoint& old) {
      return std::any_of(newer.begin(), newer.end(), [&](const TunedPoint& point) { return are_near(old, point); });
    };
    std::copy_if(same->points.begin(), same->points.end(), std::back_inserter(older),
                 [&](const TunedPoint& old) { return !is_replaced(old); });
    if (newer.empty() || newer.size() + older.size() <= protocol::max_tuned_points) {
      newer.insert(newer.end(), older.begin(), older.end());
    }
    routine.points = std::move(newer);
  }
  set(std::move(routine));
  return stayed;
}

std::string block_table_text(const SavedTuning& tuning) {
  std::string text;
  for (const TunedRoutine& routine : tuning.routines) {
    text += fmt::format("{}{},{}", text.empty() ? "" : ";", routine.name, routine.flags);
    for (const TunedPoint& point : routine.points) {
      text += fmt::format(",{}x{}:{}/{}/{}", point.m, point.n, point.blocks.nb, point.blocks.nbmin, point.blocks.nx);
    }
  }
  const auto table = std::make_unique<protocol::BlockTable>();
  if (!protocol::parse(text.c_str(), *table)) {
    throw bad_input("tuning file: at most {} routines of {} points are possible, with names of {} letters and sizes below 10^9",
                    protocol::max_tuned_routines, protocol::max_tuned_points, protocol::RoutineName::length);
  }
  return text;
}

std::vector<SavedTuning> places(SavedTuning tuning) {
  std::vector<SavedTuning> all = std::exchange(tuning.others, {});
  all.insert(all.begin(), std::move(tuning));
  return all;
}

SavedTuning joined(std::vector<SavedTuning> places) {
  SavedTuning tuning = std::move(places.at(0));
  tuning.others.assign(std::make_move_iterator(places.begin() + 1), std::make_move_iterator(places.end()));
  return tuning;
}

bool same_place(const Environment& a, const Environment& b) {
  return a.blas.path == b.blas.path && a.lapack.path == b.lapack.path && a.threads == b.threads;
}

namespace {

/// Reads the tuning file without its `others`.
SavedTuning place_from_json(const nlohmann::json& json) {
  SavedTuning tuning;
  read_fields(json, tuning);
  for (const auto& [name, value] : tuning.settings) {
    if (!machine::selects_kernels(name)) {
      throw bad_input("tuning file: it sets {}; variables that select kernels of a BLAS are allowed, such as OPENBLAS_CORETYPE", name);
    }
  }
  for (TunedRoutine& routine : std::exchange(tuning.routines, {})) {
    tuning.set(std::move(routine));
  }
  return tuning;
}

}  // namespace

nlohmann::json to_json(const SavedTuning& tuning) {
  nlohmann::json json = tuning;
  json["schema"] = schema;
  for (const SavedTuning& other : tuning.others) {
    json["others"].push_back(nlohmann::json(other));
  }
  return json;
}

SavedTuning saved_tuning_from_json(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
    throw bad_input("not a tuning file: expected \"schema\": \"{}\"{}", schema,
                    json.is_object() && json.contains("schema") ? ", found " + shown(json["schema"]) : "");
  }
  try {
    SavedTuning tuning = place_from_json(json);
    if (json.contains("others")) {
      for_each_element(json, "others", [&](const nlohmann::json& other) { tuning.others.push_back(place_from_json(other)); });
    }
    return tuning;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("tuning file is damaged: {}", reason(error));
  }
}

nlohmann::ordered_json saved_tuning_members(SchemaMaker& maker) {
  nlohmann::ordered_json root = maker.object<SavedTuning>();
  add_member(root, "others", described(array_schema(maker.of<SavedTuning>()), "other libraries and numbers of threads"), false);
  return root;
}

PublishedSchema saved_tuning_schema() { return published(schema, "Tuned block sizes for programs", saved_tuning_members); }

}  // namespace flopcast::program
