#include "flopcast/tasks/mpi/self_checks.hpp"

#include <nlohmann/json.hpp>

#include "flopcast/model/artifacts.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

constexpr const char* schema = "flopcast-mpi-self-check-1";

/// Returns a text that changes with the files among the command's words (a program, or a script and its interpreter) and with the libraries
/// that skip kernels.
std::string identity_of(const search::ParameterSpace& space) {
  std::string all;
  for (const std::string& word : space.command) {
    all += file_identity(word);
  }
  for (const char* const mpi : {"openmpi", "mpich"}) {
    try {
      all += file_identity(program::find_component(fmt::format("libflopcast-mpi-{}.so", mpi)));
    } catch (const Error&) {  // not built for that MPI
    }
  }
  return all;
}

}  // namespace

MpiSelfChecks::MpiSelfChecks(model::Store& store, const search::ParameterSpace& space, const std::string& options)
    : store_(store),
      name_(fmt::format("{} {} | {}", fmt::join(space.launcher, " "), fmt::join(space.command, " "), options)),
      identity_(identity_of(space)) {}

bool MpiSelfChecks::has_passed() const {
  constexpr int max_tunings = 10;  // other libraries of the program may change
  return read_artifact(store_, model::artifact::mpi_self_checks, name_,
                       [this](const json& kept) {
                         return identity_ == member_or(kept, "identity", "") && member_or(kept, "passed", false) &&
                                member_or(kept, "tunings", 0) < max_tunings;
                       })
      .value_or(false);
}

void MpiSelfChecks::count_tuning() {
  const std::optional<json> counted = read_artifact(store_, model::artifact::mpi_self_checks, name_, [](json kept) {
    kept["tunings"] = member_or(kept, "tunings", 0) + 1;
    return kept;
  });
  if (counted) {
    put_artifact(store_, model::artifact::mpi_self_checks, name_, *counted);
  }
}

void MpiSelfChecks::note(bool passed) {
  put_artifact(store_, model::artifact::mpi_self_checks, name_,
               {{"schema", schema}, {"identity", identity_}, {"passed", passed}, {"tunings", 0}});
}

}  // namespace flopcast
