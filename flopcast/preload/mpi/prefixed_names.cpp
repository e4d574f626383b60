#include "flopcast/preload/mpi/prefixed_names.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "flopcast/preload/common/caller_table.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Origin of a call. The values aren't 0, which stands for a caller that isn't known yet.
enum class Origin : std::uint64_t { mpi = 1, binding, program };

constinit CallerTable<8> callers{};
constinit std::atomic<bool> passed_by{false};

const link_map* own_object() noexcept { return object_of(reinterpret_cast<const void*>(&is_outside_mpi)); }

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> starts) noexcept {
  for (const std::string_view start : starts) {
    if (name.substr(0, start.size()) == start) {
      return true;
    }
  }
  return false;
}

/// Returns the origin of calls from the object that contains `caller`. Open MPI's parts are files mca_*.
Origin origin_of(const void* caller) noexcept {
  const link_map* object = object_of(caller);
  if (object == nullptr) {
    return Origin::program;
  }
  if (object == own_object()) {
    return Origin::mpi;
  }
  std::string_view name = object->l_name;
  name.remove_prefix(name.rfind('/') + 1);
  if (starts_with_any(name, {"libmpi.so", "libmpich.so", "libopen-", "liboshmem.so", "mca_"})) {
    return Origin::mpi;
  }
  return starts_with_any(name, {"libmpi_", "libmpifort", "libmpichfort", "libmpicxx", "libmpichcxx"}) ? Origin::binding : Origin::program;
}

}  // namespace

void* address_in_mpi(const char* name) noexcept { return next_symbol(name, nullptr).address; }

bool is_outside_mpi(const void* caller) noexcept {
  auto origin = static_cast<Origin>(callers.find(0, caller));
  if (origin == Origin{}) {
    origin = origin_of(caller);
    callers.remember(0, caller, static_cast<std::uint64_t>(origin));
  }
  if (origin == Origin::program) {
    passed_by.store(true, std::memory_order_relaxed);
  }
  return origin != Origin::mpi;
}

/// This library's own definition is that of the handle's first object.
void* in_place_of_mpi(const char* name, void* function) noexcept {
  const std::string_view text = name;
  if (!starts_with_any(text, {"MPI_", "PMPI_"}) || function != next_symbol(name, nullptr).address) {
    return nullptr;
  }
  static void* const self = ObjectHandle(own_object()).keep();
  void* own = self != nullptr ? dlsym(self, name) : nullptr;
  if (own == nullptr || object_of(own) != own_object()) {
    return nullptr;
  }
  passed_by.store(true, std::memory_order_relaxed);
  return own;
}

bool names_are_passed_by() noexcept { return passed_by.load(std::memory_order_relaxed); }

}  // namespace flopcast::preload::mpi
