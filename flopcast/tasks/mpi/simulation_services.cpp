#include "flopcast/tasks/mpi/simulation_services.hpp"

#include <algorithm>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/measure/reference_kernels.hpp"
#include "flopcast/measure/system_services.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

class ThisPlace : public KernelPlace {
 public:
  ThisPlace(const machine::LibraryChoice& libraries, model::Store& store, const RunContext& context)
      : bench_(libraries, context), store_(store), context_(context), models_(bench_.models(store)), source_(models_) {}

  [[nodiscard]] const Environment& environment() const override { return bench_.environment(); }
  [[nodiscard]] ModelKey key(const Call& call) const override { return models_.key(call); }
  const prediction::KernelModels& models(std::vector<tuning::Subject>& subjects, Seconds budget) override {
    sample_missing(subjects, bench_, store_, models_, budget, "sampling kernels", context_);
    return source_;
  }
  double drift() override {
    constexpr std::size_t runs = 61;
    const Seconds reference = models_.wanted_state().reference;
    if (reference <= 0) {
      return 1;
    }
    const measure::SessionServices services = measure::system_services(bench_.libraries());
    services.set_threads(1);
    measure::ReferenceKernels kernels(services, 1);
    std::vector<Seconds> times(runs);
    std::generate(times.begin(), times.end(), [&] { return kernels.time(services.wall).product; });
    return median(times) / reference;
  }

 private:
  Workbench bench_;
  model::Store& store_;
  const RunContext& context_;
  model::OnDemandModels models_;
  prediction::PlacedModels source_;
};

}  // namespace

SimulationServices this_simulation_world(model::Store& store, const RunContext& context) {
  SimulationServices services;
  services.simulate = run_simulation;
  services.open = [&store, &context](const machine::LibraryChoice& libraries) {
    return std::make_unique<ThisPlace>(libraries, store, context);
  };
  const std::vector<machine::ReportedCache> caches = machine::detect_topology().caches;
  services.cores_of_last_cache = caches.empty() ? 1 : caches.back().cores;
  return services;
}

}  // namespace flopcast
