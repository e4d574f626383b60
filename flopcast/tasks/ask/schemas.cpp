#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include "flopcast/machine/machine_file_json.hpp"
#include "flopcast/roofline/roofline_schemas.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/schema.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/ask/request.hpp"
#include "flopcast/tasks/comparison/comparison_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"

namespace flopcast {
namespace {

constexpr const char* error_schema = "flopcast-error-1";

/// The answer to a request that failed.
struct ErrorAnswer {
  int exit_code = 0;
  std::string message;
};

}  // namespace

template <>
Fields FieldTable<ErrorAnswer>::fields() {
  return {field<&T::exit_code>("exit code of the command line for the same error"), field<&T::message>("problem, reason and remedy")};
}

namespace {

std::vector<PublishedSchema> all_schemas() {
  std::vector<PublishedSchema> all = {{"flopcast-request-1", "A command and its request", request_schema},
                                      published<ErrorAnswer>(error_schema, "A request's error in place of its answer"),
                                      roofline_plan_schema(),
                                      program_environment_schema(),
                                      ilaenv_schema(),
                                      race_schema(),
                                      layouts_schema(),
                                      program_tuning_schema(),
                                      extract_schema(),
                                      timeline_schema(),
                                      scale_schema(),
                                      verification_schema(),
                                      published("flopcast-measured-machine-1", "Measured caches and memory",
                                                [](SchemaMaker& maker) { return maker.of<machine::MachineMeasurement>(); })};
  for (const auto family :
       {tuning_schemas, contraction_schemas, algorithms_schemas, modelling_schemas, machine_report_schemas, recording_schemas,
        prediction_schemas, wisdom_schemas, roofline::roofline_schemas, mpi_schemas, comparison_schemas}) {
    std::vector<PublishedSchema> more = family();
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

/// Returns "tune" of "flopcast-tune-3" and of "tune".
std::string short_name(std::string_view name) {
  constexpr std::string_view own = "flopcast-";
  name.remove_prefix(name.starts_with(own) ? own.size() : 0);
  const std::size_t dash = name.rfind('-');
  const bool numbered = dash != std::string_view::npos && dash + 1 < name.size() &&
                        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
                                    [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return std::string(numbered ? name.substr(0, dash) : name);
}

bool is_numbered(std::string_view name) {
  return short_name(name).size() < name.size() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
}

}  // namespace

std::string error_document(int exit_code, const std::string& message) {
  return to_document(ErrorAnswer{exit_code, message}, error_schema).dump(2);
}

std::vector<SchemaTitle> schemas() {
  std::vector<SchemaTitle> titles;
  for (const PublishedSchema& one : all_schemas()) {
    titles.push_back({one.name, one.title});
  }
  return titles;
}

std::string schema(std::string_view name) {
  const std::vector<PublishedSchema> all = all_schemas();
  std::vector<std::string> names;
  for (const PublishedSchema& one : all) {
    names.push_back(short_name(one.name));
    const bool has_number = one.name == name || one.name == fmt::format("flopcast-{}", name);
    if (has_number || (!is_numbered(name) && names.back() == short_name(name))) {
      return one.make().dump(2);
    }
    if (names.back() == short_name(name)) {
      throw bad_input("there is no schema '{}'; flopcast writes and reads {}", name, one.name);
    }
  }
  const std::vector<std::string> nearest = nearest_names(short_name(name), names);
  throw bad_input("there is no schema '{}'{}; 'flopcast schema --list' lists all", name,
                  nearest.empty() ? "" : fmt::format("; near it are {}", fmt::join(nearest, ", ")));
}

}  // namespace flopcast
