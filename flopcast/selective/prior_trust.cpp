#include "flopcast/selective/prior_trust.hpp"

#include <initializer_list>

namespace flopcast::selective {

void PriorTrust::note(PriorAgreement& routine, bool agrees) noexcept {
  for (PriorAgreement* each : {&all_, &routine}) {
    ++(agrees ? each->agreed : each->differed);
  }
}

bool PriorTrust::has_drifted(const PriorAgreement& routine) const noexcept {
  return routine.differed > routine.agreed || all_.differed >= all_.agreed + several;
}

bool PriorTrust::holds_for(const PriorAgreement& routine, bool windows_check) const noexcept {
  const bool is_checked = windows_check || (all_.agreed >= several && routine.agreed > 0);
  return is_checked && !has_drifted(routine);
}

}  // namespace flopcast::selective
