#include "flopcast/tasks/mpi/kept_advice.hpp"

#include <fmt/format.h>

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/model/artifacts.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/mpi/machine.hpp"

namespace flopcast {

void keep_advice(AdviceServices& services, model::Store& store, const MpiAdviseRequest& request) {
  const std::string name = fmt::format("{}: {} n={} ranks={} {} '{}' '{}'", this_machine(), request.routine, request.n, request.ranks,
                                       to_string(request.mpi), request.launcher, request.library);
  const auto read = [](const nlohmann::json& kept) {
    const auto tuning = [&](const char* part) { return mpi_tuning_from_json(member<nlohmann::json>(kept, part).dump()); };
    return KeptAdvice{tuning("predicted"), tuning("executed")};
  };
  services.known = model::read_artifact(store, model::artifact::mpi_advice, name, read).value_or(KeptAdvice());
  services.keep = [&store, name](const KeptAdvice* found) {
    if (found != nullptr) {
      const auto document = [](const MpiTuning& tuning) { return nlohmann::json::parse(to_json(tuning)); };
      model::put_artifact(store, model::artifact::mpi_advice, name,
                          {{"predicted", document(found->predicted)}, {"executed", document(found->executed)}});
    } else {
      model::delete_artifact(store, model::artifact::mpi_advice, name);
    }
  };
}

}  // namespace flopcast
