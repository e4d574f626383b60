#include "flopcast/measure/prepared.hpp"

#include <algorithm>

#include "flopcast/core/error.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/measure/address_map.hpp"

namespace flopcast::measure {
namespace {

using What = Action::What;

std::int64_t copies(const Experiment& experiment) { return experiment.separate ? experiment.batch : 1; }

/// Actions that don't concern one copy's operands.
bool is_global(What what) { return what == What::flush_all || what == What::evict || what == What::prepare; }

/// Where lines can't be flushed one by one, everything is.
What possible(What what) { return what == What::flush && !can_flush_lines() ? What::flush_all : what; }

kernel::Function require(const Backend& backend, const Call& call) {
  const kernel::Function function = backend.find(call.routine->name);
  if (function == nullptr) {
    throw environment_error("routine {} is in none of the libraries {}", call.routine->name, backend.libraries);
  }
  return function;
}

}  // namespace

std::int64_t memory_bytes(const Experiment& experiment) {
  if (experiment.timed.empty()) {
    throw bad_input("experiment times no call");
  }
  if (experiment.batch < 1 || (experiment.batch > 1 && experiment.timed.size() > 1)) {
    throw bad_input("experiment has a batch of {} for {} timed calls; a batch is at least 1, and only one call can be timed in batches",
                    experiment.batch, experiment.timed.size());
  }
  return lay_out(experiment.memory, copies(experiment), 0).size_bytes;
}

Prepared::Prepared(const Experiment& experiment, std::uintptr_t base, const Backend& backend, std::uint64_t seed)
    : seed_(seed), batch_(experiment.batch), repeats_(experiment.separate ? 1 : experiment.batch) {
  const Layout layout = lay_out(experiment.memory, copies(experiment), base);
  const auto use = [&](const Call& call) {
    const kernel::Function function = require(backend, call);
    if (std::find(functions_.begin(), functions_.end(), function) == functions_.end()) {
      functions_.push_back(function);
    }
    return function;
  };
  for (const Action& action : experiment.setup) {
    const What what = possible(action.what);
    for (const AddressMap& map : layout.copies) {
      Step step{what, action.level, {}, 0};
      if (what == What::fill) {
        step.call = fills_.size();
        fills_.push_back(map.real(action.call));
      } else if (what == What::execute) {
        step.call = executions_.size();
        executions_.emplace_back(use(action.call), map.real(action.call));
      } else if (what == What::prepare) {
        step.call = hooks_.size();
        hooks_.push_back(action.hook);
      } else if (!is_global(what)) {
        step.region = map.real(action.region);
      }
      steps_.push_back(step);
      if (is_global(what)) {
        break;
      }
    }
  }
  for (const Call& call : experiment.timed) {
    const kernel::Function function = use(call);
    for (const AddressMap& map : layout.copies) {
      timed_.emplace_back(function, map.real(call));
    }
    timed_calls_.push_back(layout.copies.front().real(call));
  }
}

void Prepared::set_up(Sweeper& sweeper) {
  for (const Step& step : steps_) {
    switch (step.what) {
      case What::fill: kernel::fill(fills_[step.call], seed_); break;
      case What::flush: flush_lines(step.region); break;
      case What::flush_all: sweeper.flush_all(); break;
      case What::read: read_lines(step.region); break;
      case What::write: rewrite_lines(step.region); break;
      case What::evict: sweeper.evict(step.level); break;
      case What::execute: executions_[step.call].run(); break;
      case What::prepare: hooks_[step.call](); break;
    }
  }
}

void Prepared::run(const Timer& timer, std::int64_t* ticks) {
  *ticks = timer.ticks();
  if (batch_ > 1) {
    for (std::int64_t i = 0; i < repeats_; ++i) {
      for (kernel::Invocation& call : timed_) {
        call.run();
      }
    }
    *++ticks = timer.ticks();
    return;
  }
  for (kernel::Invocation& call : timed_) {
    call.run();
    *++ticks = timer.ticks();
  }
}

}  // namespace flopcast::measure
