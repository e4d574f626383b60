#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/core/sample_json.hpp"
#include "flopcast/core/statistics_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"

namespace flopcast {

template <>
struct EnumNames<CheckVerdict> {
  static constexpr std::array names{std::pair{CheckVerdict::holds, "holds"}, std::pair{CheckVerdict::narrow, "narrow"},
                                    std::pair{CheckVerdict::replaced, "replaced"}, std::pair{CheckVerdict::doubtful, "doubtful"},
                                    std::pair{CheckVerdict::too_few, "too_few"}};
};

template <>
struct FieldTable<MachineState> {
  static constexpr auto fields = std::tuple(field("session", &MachineState::session), field("reference_seconds", &MachineState::reference),
                                            field("unrest", &MachineState::unrest), field("spread", &MachineState::spread));
};

template <>
struct FieldTable<CheckedPoint> {
  using T = CheckedPoint;
  static constexpr auto fields =
      std::tuple(field("sizes", &T::sizes), field("strides", &T::strides), field("held_out", &T::held_out), field("seconds", &T::seconds),
                 field("interval", &T::interval), field("wall_times", &T::wall_times));
};

template <>
struct FieldTable<KernelCheck> {
  using T = KernelCheck;
  static constexpr auto fields = std::tuple(
      field("key", &T::key), field("samples", &T::samples), field("retimed", &T::retimed), field("points", &T::points),
      field("runs", &T::runs), field("within", &T::within), field("median_error", &T::median_error), field("high_error", &T::high_error),
      field("bias", &T::bias), field("suspects", &T::suspects), field("retested", &T::retested), field("refuted", &T::refuted),
      field("removed", &T::removed), field("added", &T::added), field("verdict", &T::verdict));
};

template <>
struct FieldTable<ModelCheck> {
  using T = ModelCheck;
  static constexpr auto fields = std::tuple(field("environment", &T::environment), field("state", &T::state),
                                            field("busy_cores", &T::busy_cores), field("restless", &T::restless),
                                            field("complete", &T::complete), field("seconds", &T::seconds), field("kernels", &T::kernels));
};

std::string to_json(const ModelCheck& check) { return to_document(check, "flopcast-model-check-1").dump(2); }

ModelCheck model_check_from_json(std::string_view text) {
  return from_document<ModelCheck>(text, "the check of models", {"flopcast-model-check-1"});
}

}  // namespace flopcast
