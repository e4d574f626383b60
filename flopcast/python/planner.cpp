#include "flopcast/python/planner.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/contract/network/plan.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/ask.hpp"

namespace flopcast::python {
namespace {

/// Gives the calling thread its CPUs back at the end of the scope: opening libraries may bind it to the fastest kind of cores.
class KeepAffinity {
 public:
  KeepAffinity() : known_(::sched_getaffinity(0, sizeof before_, &before_) == 0) {}
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;
  ~KeepAffinity() {
    if (known_) {
      ::sched_setaffinity(0, sizeof before_, &before_);
    }
  }

 private:
  cpu_set_t before_{};
  bool known_;
};

constexpr Seconds opening_with_known_caches = 0.3, opening_with_measurement = 15;

/// Returns the expected time of opening the libraries.
Seconds expected_opening() {
  try {
    return machine::is_measured(machine::detect_topology()) ? opening_with_known_caches : opening_with_measurement;
  } catch (const Error&) {
    return opening_with_measurement;  // opening itself will say what is wrong
  }
}

bool is_same(const machine::LibraryChoice& x, const machine::LibraryChoice& y) {
  return x.blas == y.blas && x.lapack == y.lapack && x.threads == y.threads && x.kernels == y.kernels &&
         x.kernel_settings == y.kernel_settings;
}

/// Plans a wish by the C interface.
c::OwnedPlan planned(const PlanWish& wish, std::size_t result_rank, flopcast_workbench& bench) {
  std::vector<const std::int64_t*> shapes, strides;
  std::vector<std::int32_t> ranks;
  for (std::size_t i = 0; i < wish.shapes.size(); ++i) {
    shapes.push_back(wish.shapes[i].data());
    strides.push_back(wish.strides[i].data());
    ranks.push_back(static_cast<std::int32_t>(wish.shapes[i].size()));
  }
  const auto count = static_cast<std::int32_t>(ranks.size());
  ranks.push_back(static_cast<std::int32_t>(result_rank));
  flopcast_plan_options options = c::options_of(wish.request);
  options.ranks = ranks.data();
  return c::OwnedPlan([&](flopcast_plan** plan) {
    return flopcast_plan_einsum(plan, &bench, wish.subscripts.c_str(), c::type_of(wish.request.precision), count, shapes.data(),
                                strides.data(), nullptr, wish.result_strides ? wish.result_strides->data() : nullptr, &options);
  });
}

}  // namespace

contract::SizedExpression sized_expression(const std::string& subscripts, const std::vector<std::vector<std::int64_t>>& shapes) {
  return contract::with_shapes(contract::parse_expression(subscripts), shapes);
}

Planner::Planner(RunContext context) : context_(std::move(context)) {}

void Planner::before_fork() {
  constexpr std::chrono::seconds longest(5);  // measuring caches takes longer
  if (services_->mutex.try_lock_for(longest)) {
    is_forking_ = true;
  }
}

void Planner::after_fork_in_parent() {
  if (std::exchange(is_forking_, false)) {
    services_->mutex.unlock();
  }
}

void Planner::after_fork_in_child() {
  is_forking_ = false;
  const OpenServices* const of_parent = services_.release();
  services_ = std::make_unique<OpenServices>();
  if (has_failed_) {
    services_->failure = of_parent->failure;
  }
  is_open_ = false;
}

void Planner::open() {
  const std::scoped_lock lock(services_->mutex);
  has_failed_ = false;  // what was wrong may be right now
  open_locked();
  throw_if_cancelled();
}

void Planner::open_locked() {
  if (is_open_) {
    return;
  }
  if (has_failed_) {
    throw Error(*services_->failure);
  }
  try {
    open_place();
  } catch (const Error& error) {
    if (!context_.cancelled()) {
      services_->failure.emplace(error);
      has_failed_ = true;
      context_.note(fmt::format("warning: contractions aren't planned in this process: {}", error.what()));
    }
    throw;
  }
}

void Planner::open_place() {
  const KeepAffinity affinity;
  auto bench = std::make_unique<flopcast_workbench>(machine::LibraryChoice(), context_);
  bench->services.first()->open();
  static_cast<void>(bench->services.first()->store());
  services_->bench = std::move(bench);
  is_open_ = true;
}

bool Planner::pays(Seconds spent, Seconds expected) {
  if (is_open_ || has_failed_) {
    return is_open_;
  }
  const Seconds before = spent_.load();
  spent_ = before + spent;  // an addition that another thread overwrites only delays opening
  const Seconds all = before + spent + expected;
  if (opening_seconds_ < 0 && all >= opening_with_known_caches) {
    opening_seconds_ = expected_opening();  // takes some milliseconds itself
  }
  return opening_seconds_ >= 0 && all >= opening_seconds_;
}

c::OwnedPlan Planner::plan(const PlanWish& wish, std::size_t result_rank, bool needs_libraries) {
  if (!needs_libraries) {
    return planned(wish, result_rank, services_->without_libraries);
  }
  const std::scoped_lock lock(services_->mutex);
  open_locked();
  const KeepAffinity affinity;
  return planned(wish, result_rank, *services_->bench);
}

std::vector<std::vector<int>> Planner::path(const contract::SizedExpression& expression, PlanRequest request, contract::Executor executor) {
  request.cancelled = context_.cancelled;
  const auto found_for = [&](const contract::Machine& machine) {
    contract::ContractionPath path = contract::find_path(expression, machine, executor, request);
    throw_if_cancelled();
    return path;
  };
  if (!is_open_) {
    contract::ContractionPath path = found_for(contract::usual_machine());
    if (!pays(path.seconds, 0)) {
      return std::move(path.pairs);
    }
  }
  const std::scoped_lock lock(services_->mutex);
  open_locked();
  const KeepAffinity affinity;
  return found_for(services_->bench->services.machine(request.threads)).pairs;
}

std::string Planner::answer(const std::string& request) {
  const std::scoped_lock lock(services_->mutex);
  const KeepAffinity affinity;
  machine::LibraryChoice libraries = request_libraries(request);
  std::unique_ptr<OpenWorkbench>& asked = services_->asked;
  if (asked == nullptr || !is_same(asked->libraries, libraries)) {
    asked = std::make_unique<OpenWorkbench>(OpenWorkbench{libraries, Workbench(libraries, context_)});
  }
  std::string answer = ask(asked->bench, request, context_);
  throw_if_cancelled();
  return answer;
}

namespace {

/// Returns the function that tells the number of threads of a loaded library, or null.
int (*threads_function(const char* file))() {
  constexpr std::array names = {"openblas_get_num_threads64_", "openblas_get_num_threads", "scipy_openblas_get_num_threads64_",
                                "MKL_Get_Max_Threads"};
  void* const library = ::dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return nullptr;
  }
  int (*found)() = nullptr;
  for (const char* name : names) {
    if (void* const symbol = ::dlsym(library, name); symbol != nullptr && found == nullptr) {
      found = reinterpret_cast<int (*)()>(symbol);
    }
  }
  if (found == nullptr) {
    ::dlclose(library);  // a library whose function is called stays loaded
  }
  return found;
}

}  // namespace

BlasThreads::BlasThreads() {
  std::vector<std::string> files;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        const std::string_view file = info->dlpi_name;
        for (const char* part : {"blas", "mkl_rt", "blis"}) {
          if (file.find(part) != std::string_view::npos) {
            static_cast<std::vector<std::string>*>(list)->emplace_back(file);
            break;
          }
        }
        return 0;
      },
      &files);
  for (const std::string& file : files) {
    if (ask_ == nullptr) {
      ask_ = threads_function(file.c_str());
    }
  }
}

}  // namespace flopcast::python
