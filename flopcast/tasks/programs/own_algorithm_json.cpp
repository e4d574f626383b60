#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/program_schemas.hpp"

namespace flopcast {
namespace {

constexpr const char* tuning_document = "flopcast-program-tuning-1";

}  // namespace

;
template <>
struct EnumNames<ConfigurationVerdict> {
  using V = ConfigurationVerdict;
  static constexpr std::array names{std::pair{V::slower, "slower"}, std::pair{V::chosen, "chosen"}, std::pair{V::tie, "tie"},
                                    std::pair{V::failed, "failed"}, std::pair{V::not_considered, "not considered"}};
};

std::string to_string(ConfigurationVerdict verdict) {
  return EnumNames<ConfigurationVerdict>::names.at(static_cast<std::size_t>(verdict)).second;
}

template <>
Fields FieldTable<ProgramTuneRequest>::fields() {
  return {
      optional_field<&T::command>("program and its arguments, in which {nb} stands for the value of parameter nb")
          .within(Bounds{.max_length = bounds::command.max_length, .is_command = true})
          .option(""),
      optional_field<&T::space>("file of a space (flopcast-space-1) with command, parameters and conditions; empty: none")
          .within(bounds::path_or_nothing)
          .option(""),
      optional_field<&T::parameters>(
          "parameters with their values, such as nb=16:128:16 or variant=left,right. Those that occur neither in "
          "the command nor in a template are variables of the environment")
          .option("parameter",
                  "parameter of the user's program and its values, such as nb=16:128:16 or variant=left,right. {nb} stands for the value "
                  "in the command and in templates; a parameter that occurs in neither is a variable of the environment"),
      optional_field<&T::conditions>("relations that settings must meet, such as 'ib <= nb' or 'variant != left'")
          .option("condition", "with --parameter: relation that settings must meet, such as 'ib <= nb'")
          .rare(),
      optional_field<&T::templates>("files with places such as {nb}, whose filled copies take their place in the command")
          .within(bounds::paths_if_any)
          .option("template", "with --parameter: file with places such as {nb}, whose filled copy takes its place in the command")
          .rare(),
      optional_field<&T::threads>("threads of BLAS; missing: as the program takes by itself").within(bounds::threads).option(""),
      optional_field<&T::time_budget>("time for dry runs and for measuring kernels").within(bounds::seconds).option(""),
      optional_field<&T::timeout>("time after which a program is stopped: a run of it").within(bounds::positive_seconds).rare(),
      optional_field<&T::check>("execute the best setting once, to find out whether calls depend on results")
          .rare()
          .option("no_check", "don't execute the best setting to find out whether calls depend on results"),
      optional_field<&T::race>("race the chosen setting against those that tie with it").option(""),
      optional_field<&T::anonymous>("leave private names out: the command").option("")};
}

template <>
Fields FieldTable<TunedConfiguration>::fields() {
  return {field<&T::setting>("values of the parameters").named("configuration"),
          field<&T::verdict>("chosen, tie (with the chosen one), slower, failed or not considered"),
          field<&T::predicted>("predicted time of the program from start to end").named("predicted_seconds"),
          field<&T::interval>("95 % interval of single runs").named("predicted_seconds_interval"),
          field<&T::kernel_seconds>("predicted time of BLAS and LAPACK"),
          field<&T::own_seconds>("time of everything else, as the runs took it"),
          field<&T::behind>("predicted time over that of the chosen one, minus 1").measured_in("fraction", Best::small),
          field<&T::extrapolated_share>("share of the time outside of what was sampled").measured_in("fraction", Best::small),
          field<&T::executed>("elapsed time of a run in which all calls were executed").named("executed_seconds"),
          optional_field<&T::failure>("why the program failed").unless_empty()};
}

template <>
Fields FieldTable<ProgramTuning>::fields() {
  return {optional_field<&T::command>("program and its arguments, with places such as {nb}").unless_empty(),
          optional_field<&T::variables>("parameters that are variables of the environment").unless_empty(),
          field<&T::place>("libraries, threads and kernels of the program"),
          field<&T::configurations>("by rising predicted time"),
          field<&T::regret>("upper bound (95 %) of the chosen one's time over the best one's, minus 1").measured_in("", Best::small),
          field<&T::calls_depend_on_results>("dry runs make other calls, so that every configuration was executed"),
          field<&T::dry_runs>("number of dry runs"),
          field<&T::executions>("number of runs in which all calls were executed"),
          field<&T::run_seconds>("time of all these runs"),
          field<&T::all_seconds>("time of the whole tuning but the race"),
          field<&T::race>("the chosen configuration against those that tie with it, if they were raced"),
          field<&T::remarks>("what limits the result")};
}

std::string to_json(const ProgramTuning& tuning) { return to_document(tuning, tuning_document).dump(2); }
ProgramTuning program_tuning_from_json(std::string_view text) {
  return from_document<ProgramTuning>(text, "tuning of a program", tuning_document);
}

PublishedSchema program_tuning_schema() { return published<ProgramTuning>(tuning_document, "Configurations of a program, predicted"); }

}  // namespace flopcast
