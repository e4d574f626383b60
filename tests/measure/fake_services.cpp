#include "tests/measure/fake_services.hpp"

#include <algorithm>

namespace flopcast::measure {
namespace {

FakeServices world;

void take_time(const std::string& routine) {
  world.log.push_back(routine);
  std::vector<std::int64_t>& queue = world.durations[routine];
  if (queue.empty()) {
    world.now += world.duration[routine];
    return;
  }
  world.now += queue.front();
  queue.erase(queue.begin());
}

void disturb_if_told(std::vector<bool>& told) {
  if (!told.empty()) {
    world.disturbances += told.front() ? 1 : 0;
    told.erase(told.begin());
  }
}

void dgemm(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*) {
  disturb_if_told(world.disturb_reference);
  take_time("dgemm");
}

void dtrsm(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*) { take_time("dtrsm"); }

/// y := alpha x + y for one element.
void daxpy(void*, void* alpha, void* x, void*, void* y, void*) {
  world.first_values.push_back(*static_cast<double*>(x));
  *static_cast<double*>(y) += *static_cast<double*>(alpha) * *static_cast<double*>(x);
  disturb_if_told(world.disturb);
  take_time("daxpy");
}

/// x := alpha x for one element.
void dscal(void*, void* alpha, void* x, void*) {
  world.first_values.push_back(*static_cast<double*>(x));
  *static_cast<double*>(x) *= *static_cast<double*>(alpha);
  take_time("dscal");
}

double ddot(void*, void*, void*, void*, void*) {
  take_time("ddot");
  return 0;
}

kernel::Function find(std::string_view routine) {
  if (routine == "dgemm") {
    return reinterpret_cast<kernel::Function>(dgemm);
  }
  if (routine == "dtrsm" && world.duration.count("dtrsm") > 0) {
    return reinterpret_cast<kernel::Function>(dtrsm);
  }
  if (routine == "daxpy") {
    return reinterpret_cast<kernel::Function>(daxpy);
  }
  if (routine == "dscal") {
    return reinterpret_cast<kernel::Function>(dscal);
  }
  return routine == "ddot" ? reinterpret_cast<kernel::Function>(ddot) : nullptr;
}

}  // namespace

std::vector<std::string> FakeServices::calls_without(const std::string& routine) const {
  std::vector<std::string> calls;
  std::copy_if(log.begin(), log.end(), std::back_inserter(calls), [&](const std::string& entry) { return entry != routine; });
  return calls;
}

FakeServices& fake_services() { return world; }

void reset_fake_world() {
  world = {};
  world.duration = {{"dgemm", 1000}, {"daxpy", 100}, {"dscal", 100}, {"ddot", 100}};
}

SessionServices fake_backend() {
  SessionServices services;
  services.find = find;
  services.set_threads = [](int threads) { world.log.push_back("threads " + std::to_string(threads)); };
  services.wall = {[] { return ++world.now; }, 1e-9, 1e-9};
  services.cpu = {[] { return (world.now += 7) / 7 * 7; }, 1e-9, 7e-9};
  services.disturbances = [] { return world.disturbances; };
  services.libraries = "the fake ones";
  return services;
}

}  // namespace flopcast::measure
