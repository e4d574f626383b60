#include "flopcast/tasks/programs/programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/programs/request_names.hpp"
#include "flopcast/tasks/programs/run_tuning.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

using program::IlaenvSource;
using program::SourceLanguage;

template <>
Fields FieldTable<IlaenvSource>::fields() {
  return {field<&T::text>("text of the source").named("source"), field<&T::routines>("routines with tuned values"),
          field<&T::left_out>("routines that ilaenv can't distinguish from another one, because they pass its name")};
}

template <>
Fields FieldTable<IlaenvExport>::fields() {
  return {field<&T::language>("language of the source"), field<&T::cpu>("CPU that the block sizes hold for"),
          field<&T::place>("libraries and threads that the block sizes hold for"), inlined_field<&T::source>()};
}

namespace {

constexpr const char* ilaenv_document = "flopcast-ilaenv-1";

std::string description(const program::SavedTuning& place) {
  return fmt::format("{} with {}", place.environment.blas.path, counted(place.environment.threads, "thread"));
}

/// Returns the entry of the tuning file for the request's BLAS and threads.
program::SavedTuning requested_place(const IlaenvRequest& request, const std::string& file) {
  const std::vector<program::SavedTuning> places = program::places(program::read_tuning(file));
  const std::filesystem::path blas = request.blas.empty() ? std::filesystem::path() : machine::locate(request.blas, machine::Role::blas);
  const auto fits = [&](const program::SavedTuning& place) {
    return (blas.empty() || in_same_folder(blas, place.environment.blas.path)) &&
           (!request.threads || place.environment.threads == *request.threads);
  };
  const auto found = std::find_if(places.begin(), places.end(), fits);
  if (found == places.end()) {
    std::vector<std::string> known;
    std::transform(places.begin(), places.end(), std::back_inserter(known), description);
    throw bad_input("{} has no block sizes for {}{}; it has them for {}", file, request.blas.empty() ? "any BLAS" : blas.string(),
                    request.threads ? " with " + counted(*request.threads, "thread") : "", fmt::join(known, ", "));
  }
  return *found;
}

}  // namespace

IlaenvExport export_ilaenv(const IlaenvRequest& request, const RunContext& context) {
  const std::string file = request.tuning.empty() ? program::default_tuning_file() : request.tuning;
  if (!std::filesystem::exists(file)) {
    throw bad_input("{}", missing_tuning(file, request.tuning));
  }
  const program::SavedTuning place = requested_place(request, file);
  IlaenvExport exported{program::ilaenv_source(place, request.language), request.language, place.environment.cpu,
                        place_text(place.environment)};
  if (!exported.source.left_out.empty()) {
    context.note(fmt::format("skipped: {}, which pass another routine's name to ilaenv; they take that routine's block size",
                             fmt::join(exported.source.left_out, ", ")));
  }
  return exported;
}

std::string to_json(const IlaenvExport& exported) { return to_document(exported, ilaenv_document).dump(2); }
IlaenvExport ilaenv_export_from_json(std::string_view text) {
  return from_document<IlaenvExport>(text, "exported ilaenv", ilaenv_document);
}

PublishedSchema ilaenv_schema() { return published<IlaenvExport>(ilaenv_document, "Source of LAPACK's ilaenv with tuned block sizes"); }

}  // namespace flopcast
