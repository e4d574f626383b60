#include "flopcast/tasks/mpi/tuning.hpp"
#include "flopcast/tasks/mpi/mpi_schemas.hpp"

#include <algorithm>

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

constexpr const char* tuning_schema = "flopcast-mpi-tuning-1";

}  // namespace

template <>
struct EnumNames<MpiVerdict> {
  static constexpr std::array names{std::pair{MpiVerdict::slower, ""},
                                    std::pair{MpiVerdict::chosen, "chosen"},
                                    std::pair{MpiVerdict::tie, "tie"},
                                    std::pair{MpiVerdict::finalist, "finalist"},
                                    std::pair{MpiVerdict::undecided, "undecided"},
                                    std::pair{MpiVerdict::little_seen, "too little seen"},
                                    std::pair{MpiVerdict::failed, "failed"}};
};

template <>
Fields FieldTable<MpiConfiguration>::fields() {
  return {
      field<&T::setting>("values of the parameters").named("configuration"),
      field<&T::verdict>("the decision: chosen, tie, finalist, undecided, too little seen or failed; empty: certainly slower"),
      optional_field<&T::failure>("reason for which the configuration failed: an exit code, or no profile; empty if it didn't fail"),
      field<&T::predicted>("predicted time of the configuration").named("predicted_seconds"),
      field<&T::half_width>("half of the predicted time's 95 % interval").named("half_width_seconds"),
      optional_field<&T::coverage>("share of the path that lies in kernels and MPI").measured_in("fraction", Best::large),
      optional_field<&T::executed_share>("share of the kernels that was executed").measured_in("fraction", Best::small),
      optional_field<&T::elapsed>("time of the executions that the prediction is based on, as the program measures itself")
          .named("elapsed_seconds"),
      optional_field<&T::blocked>("wall time outside of MPI in which a process neither computed nor was ready to run, of the process with "
                                  "most of it; 0 if small")
          .named("blocked_seconds"),
      optional_field<&T::self_check>("time of executions that only served the self-check").named("self_check_seconds"),
      optional_field<&T::selective>("kernels were skipped"),
      optional_field<&T::finalist>("executed in full at the end, among those with the least predictions"),
      field<&T::spent>("purposes of the elapsed time, means of the processes"),
      field<&T::full_path>("critical path of an execution in full (--validate, --confirm)").named("full_path_seconds"),
      field<&T::full_elapsed>("elapsed time of an execution in full (--validate, --confirm)").named("full_elapsed_seconds")};
}

template <>
Fields FieldTable<MpiTuning>::fields() {
  return {field<&T::name>("name of the space"),
          field<&T::configurations>("in the space's order"),
          field<&T::launches>("number of times that the program was started"),
          field<&T::launch_seconds>("time of all launches"),
          optional_field<&T::self_check_remembered>("the program passed the self-check in an earlier tuning"),
          field<&T::clock>("clock of the paths; missing if there is no profile"),
          optional_field<&T::cores_of_others>("cores that other programs kept busy, in the launch with most of that"),
          optional_field<&T::drifted_kernels>("kernels whose stored times no longer held"),
          field<&T::full_seconds>("time of the same executions in full, if they were made"),
          field<&T::selective_seconds>("time of the selective executions, if both were made")};
}

const MpiConfiguration& MpiTuning::best() const {
  const auto found = std::find_if(configurations.begin(), configurations.end(),
                                  [](const MpiConfiguration& each) { return each.verdict == MpiVerdict::chosen; });
  if (found == configurations.end()) {
    throw unusable_measurement("no configuration of space '{}' is chosen. The machine was noisy while the best one was measured", name);
  }
  return *found;
}

std::string to_string(MpiVerdict verdict) { return nlohmann::json(verdict).get<std::string>(); }

std::string to_json(const MpiTuning& tuning) {
  nlohmann::ordered_json document = to_document(tuning, tuning_schema);
  for (nlohmann::ordered_json& each : document["configurations"]) {
    if (each["verdict"] == to_string(MpiVerdict::failed)) {
      each = {{"configuration", each["configuration"]}, {"verdict", each["verdict"]}, {"failure", each["failure"]}};
    }
  }
  return document.dump(2);
}

MpiTuning mpi_tuning_from_json(std::string_view text) {
  return from_document<MpiTuning>(text, "a tuning of an MPI program", tuning_schema);
}

PublishedSchema mpi_tuning_schema() { return published<MpiTuning>(tuning_schema, "Predicted configurations of an MPI program"); }

}  // namespace flopcast
