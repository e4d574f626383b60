#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/core/documents.hpp"
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
Fields FieldTable<MachineState>::fields() {
  return {field<&T::session>("moment at which the measuring session began, in hours since 1970; 0: not known"),
          field<&T::reference>("time of the reference kernel at a drift of 1, which is its median in that session; 0: not known")
              .named("reference_seconds"),
          field<&T::noise>("relative standard deviation that other programs' load added to a time; 0: the machine was quiet"),
          field<&T::spread>("relative standard deviation of runs at different moments of the session")};
}

template <>
Fields FieldTable<CheckedPoint>::fields() {
  return {field<&T::sizes>("in the order of the interface"),
          field<&T::strides>("leading dimensions and increments, in the order of the interface"),
          field<&T::held_out>("the prediction didn't use the samples of this place, so that it interpolates"),
          field<&T::seconds>("predicted wall time"),
          field<&T::interval>("95 % of single runs").measured_in("s", Best::small),
          field<&T::wall_times>("every run, disturbed ones included").measured_in("s", Best::small)};
}

template <>
Fields FieldTable<KernelCheck>::fields() {
  return {field<&T::key>("calls that the kernel's models are of"),
          field<&T::samples>("samples of the kernel in the store"),
          field<&T::retimed>("number of sampled points that were timed first, to learn the session's state"),
          field<&T::points>("points that were predicted from the samples and the retimed points, and then measured")
              .measured_in("", Best::large),
          field<&T::runs>("number of runs of all points, disturbed ones included").measured_in("", Best::large),
          field<&T::within>("number of runs within the intervals"),
          field<&T::median_error>("absolute value of predicted over measured, minus 1: median over the points")
              .measured_in("fraction", Best::small),
          field<&T::high_error>("95th percentile of the same error").measured_in("fraction", Best::small),
          field<&T::bias>("predicted over measured, minus 1, median; positive: predicted too slow").measured_in("fraction", Best::neither),
          field<&T::suspects>("number of sampled points that seemed to hold no longer in their first runs"),
          field<&T::retested>("number of suspects that were measured once more"),
          field<&T::refuted>("number of these for which both series of runs say that the samples no longer hold"),
          field<&T::removed>("samples that no longer held and were removed").measured_in("", Best::small),
          field<&T::added>("number of samples that were stored in their place"),
          field<&T::verdict>("holds, narrow, replaced, doubtful or too few")};
}

template <>
Fields FieldTable<ModelCheck>::fields() {
  return {field<&T::environment>("machine and libraries"),
          field<&T::state>("state of the machine during the check"),
          field<&T::busy_cores>("average number of cores that other programs kept busy"),
          field<&T::noisy>("the machine was noisy: nothing was replaced"),
          field<&T::complete>("false: the check was cancelled, and nothing was replaced"),
          field<&T::seconds>("time of the check"),
          field<&T::kernels>("in the order of their keys; those that there was no time for have no points")};
}

std::string to_json(const ModelCheck& check) { return to_document(check, "flopcast-model-check-2").dump(2); }

ModelCheck model_check_from_json(std::string_view text) {
  return from_document<ModelCheck>(text, "the check of models", "flopcast-model-check-2");
}

PublishedSchema model_check_schema() { return published<ModelCheck>("flopcast-model-check-2", "Check of models against new measurements"); }

}  // namespace flopcast
