#include "flopcast/measure/prepared.hpp"

#include <algorithm>

#include "flopcast/kernel/fill.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::measure {
namespace {

using What = Action::What;

std::int64_t copies(const Experiment& experiment) { return experiment.separate ? experiment.batch : 1; }

/// Returns whether an action doesn't concern the operands of a single copy.
bool is_global(What what) { return what == What::flush_all || what == What::evict || what == What::prepare; }

/// Returns `what`, or flush_all instead of flush if the CPU can't flush single lines.
What possible(What what) { return what == What::flush && !can_flush_lines() ? What::flush_all : what; }

}  // namespace

std::int64_t memory_bytes(const Experiment& experiment) {
  if (experiment.timed.empty()) {
    throw bad_input("experiment has no timed call");
  }
  const bool performs =
      std::any_of(experiment.setup.begin(), experiment.setup.end(), [](const Action& a) { return a.what == What::perform; });
  if (performs && !experiment.perform) {
    throw bad_input("experiment has a perform step, but no perform function");
  }
  if (experiment.batch < 1 || (experiment.batch > 1 && experiment.timed.size() > 1)) {
    throw bad_input("experiment has a batch of {} for {} timed calls; a batch is at least 1, and only one call can be timed in batches",
                    experiment.batch, experiment.timed.size());
  }
  return lay_out(experiment.memory, copies(experiment), 0).size_bytes;
}

Prepared::Prepared(const Experiment& experiment, std::uintptr_t base, const SessionServices& services, std::uint64_t seed)
    : seed_(seed), batch_(experiment.batch), repeats_(experiment.separate ? 1 : experiment.batch), perform_(experiment.perform) {
  const Layout layout = lay_out(experiment.memory, copies(experiment), base);
  for (const Action& action : experiment.setup) {
    const auto once = static_cast<std::ptrdiff_t>(is_global(possible(action.what)) ? 1 : layout.copies.size());
    std::for_each_n(layout.copies.begin(), once, [&](const AddressMap& map) { add(action, map, services); });
  }
  for (const Call& call : experiment.timed) {
    for (const AddressMap& map : layout.copies) {
      if (perform_) {
        performed_.push_back(map.real(call));
      } else {
        timed_.push_back(invocation(map.real(call), services));
      }
    }
    timed_calls_.push_back(layout.copies.front().real(call));
  }
  infos_.resize(performed_.size());
}

void Prepared::add(const Action& action, const AddressMap& map, const SessionServices& services) {
  SetupStep step{possible(action.what), action.level, {}, 0};
  switch (step.what) {
    case What::fill:
      step.index = fills_.size();
      fills_.push_back(map.real(action.call));
      break;
    case What::execute:
      step.index = executions_.size();
      executions_.push_back(invocation(map.real(action.call), services));
      break;
    case What::perform:
      step.index = performances_.size();
      performances_.push_back(map.real(action.call));
      break;
    case What::change:
    case What::prepare:
      step.index = hooks_.size();
      hooks_.push_back(step.what == What::prepare ? action.hook : [change = action.change, call = map.real(action.call)] { change(call); });
      break;
    case What::flush:
    case What::read:
    case What::write: step.region = map.real(action.region); break;
    case What::flush_all:
    case What::evict: break;
  }
  steps_.push_back(step);
}

kernel::Invocation Prepared::invocation(const Call& call, const SessionServices& services) {
  const kernel::Function function = services.find(call.routine->name);
  if (function == nullptr) {
    throw environment_error("routine {} is in none of the libraries {}", call.routine->name, services.libraries);
  }
  for (const Argument& argument : call.routine->arguments) {
    if (has_integers(argument) && call.integer_bytes != services.integer_bytes) {
      throw internal_error("a call of {} has integers of {} bytes, its library's have {}", call.routine->name, call.integer_bytes,
                           services.integer_bytes);
    }
  }
  if (std::find(functions_.begin(), functions_.end(), function) == functions_.end()) {
    functions_.push_back(function);
  }
  return {function, call};
}

std::uint64_t Prepared::next_seed() noexcept {
  static constexpr std::uint64_t golden_section = 0x9e3779b97f4a7c15;  // of 2^64: successive multiples are spread evenly
  return seed_ += golden_section;
}

void Prepared::set_up(Sweeper& sweeper) {
  for (const SetupStep& step : steps_) {
    switch (step.what) {
      case What::fill: kernel::fill(fills_[step.index], next_seed()); break;
      case What::flush: flush_lines(step.region); break;
      case What::flush_all: sweeper.flush_all(); break;
      case What::read: read_lines(step.region); break;
      case What::write: rewrite_lines(step.region); break;
      case What::evict: sweeper.evict(step.level); break;
      case What::execute: executions_[step.index].run(); break;
      case What::perform: perform_(performances_[step.index]); break;
      case What::change:
      case What::prepare: hooks_[step.index](); break;
    }
  }
}

template <class After>
void Prepared::run_once(After after) {
  for (std::size_t i = 0; i < performed_.size(); ++i) {
    infos_[i] = perform_(performed_[i]);
    after();
  }
  for (kernel::Invocation& call : timed_) {
    call.run();
    after();
  }
}

void Prepared::run(const Timer& timer, std::int64_t* ticks) {
  *ticks = timer.ticks();
  if (batch_ > 1) {
    for (std::int64_t i = 0; i < repeats_; ++i) {
      run_once([] {});
    }
    *++ticks = timer.ticks();
    return;
  }
  run_once([&] { *++ticks = timer.ticks(); });
}

}  // namespace flopcast::measure
