#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/sample_json.hpp"
#include "flopcast/core/statistics_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"

namespace flopcast {

template <>
struct EnumNames<CheckVerdict> {
  static constexpr std::array names{std::pair{CheckVerdict::holds, "holds"}, std::pair{CheckVerdict::narrow, "narrow"},
                                    std::pair{CheckVerdict::replaced, "replaced"}, std::pair{CheckVerdict::doubtful, "doubtful"},
                                    std::pair{CheckVerdict::too_few, "too_few"}};
};

template <>
struct FieldTable<MachineState> {
  static constexpr auto fields =
      std::tuple(field("session", &MachineState::session, "moment at which the measuring session began, in hours since 1970; 0: not known"),
                 field("reference_seconds", &MachineState::reference,
                       "time of the reference kernel at a drift of 1, which is its median in that session; 0: not known"),
                 field("unrest", &MachineState::unrest,
                       "relative standard deviation that other programs' load added to a time; 0: the machine was calm"),
                 field("spread", &MachineState::spread));
};

template <>
struct FieldTable<CheckedPoint> {
  using T = CheckedPoint;
  static constexpr auto fields =
      std::tuple(field("sizes", &T::sizes, "in the order of the interface"),
                 field("strides", &T::strides, "leading dimensions and increments, in the order of the interface"),
                 field("held_out", &T::held_out, "the prediction didn't use the samples of this place, so that it interpolates"),
                 field("seconds", &T::seconds, "predicted wall time"), field("interval", &T::interval, "95 % of single runs"),
                 field("wall_times", &T::wall_times, "every run, disturbed ones included"));
};

template <>
struct FieldTable<KernelCheck> {
  using T = KernelCheck;
  static constexpr auto fields = std::tuple(
      field("key", &T::key), field("samples", &T::samples, "number in the store before the check"),
      field("retimed", &T::retimed, "number of sampled points that were timed first, to learn the session's state"),
      field("points", &T::points, "points that were predicted from the samples and the retimed points"),
      field("runs", &T::runs, "number of runs of all points"), field("within", &T::within, "number of runs within the intervals"),
      field("median_error", &T::median_error, "median over the points of |predicted / measured - 1|, where measured is the median run"),
      field("high_error", &T::high_error, "95th percentile of these errors"),
      field("bias", &T::bias, "median over the points of predicted / measured - 1; positive: predicted too slow"),
      field("suspects", &T::suspects, "number of sampled points that seemed to hold no longer in their first runs"),
      field("retested", &T::retested, "number of suspects that were measured once more"),
      field("refuted", &T::refuted, "number of these for which both series of runs say that the samples no longer hold"),
      field("removed", &T::removed, "number of samples that were removed from the store"),
      field("added", &T::added, "number of samples that were stored in their place"), field("verdict", &T::verdict));
};

template <>
struct FieldTable<ModelCheck> {
  using T = ModelCheck;
  static constexpr auto fields =
      std::tuple(field("environment", &T::environment), field("state", &T::state, "state of the machine during the check"),
                 field("busy_cores", &T::busy_cores, "average number of cores that other programs kept busy"),
                 field("restless", &T::restless, "the machine was restless: nothing was replaced"),
                 field("complete", &T::complete, "false: the check was cancelled, and nothing was replaced"),
                 field("seconds", &T::seconds, "time of the check"),
                 field("kernels", &T::kernels, "in the order of their keys; those that there was no time for have no points"));
};

std::string to_json(const ModelCheck& check) { return to_document(check, "flopcast-model-check-1").dump(2); }

ModelCheck model_check_from_json(std::string_view text) {
  return from_document<ModelCheck>(text, "the check of models", {"flopcast-model-check-1"});
}

PublishedSchema model_check_schema() { return published<ModelCheck>("flopcast-model-check-1", "Check of models against new measurements"); }

}  // namespace flopcast
