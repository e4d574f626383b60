#include "flopcast/preload/mpi/call_sites.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace flopcast::preload::mpi {
namespace {

bool lies_in_flopcast(const Dl_info& object) noexcept {
  Dl_info own{};
  return dladdr(reinterpret_cast<const void*>(&call_site), &own) != 0 && own.dli_fbase == object.dli_fbase;
}

}  // namespace

std::string call_site(const void* return_address) {
  if (return_address == nullptr) {
    return "";
  }
  const auto call = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info info{};
  void* object = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(call), &info, &object, RTLD_DL_LINKMAP) == 0 || object == nullptr || lies_in_flopcast(info)) {
    return "";
  }
  const std::string_view path = info.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with("libmpi")) {
    return "";
  }
  const std::string place = fmt::format("{}+{:#x}", file, call - static_cast<const link_map*>(object)->l_addr);
  return info.dli_sname != nullptr ? fmt::format("{} ({})", info.dli_sname, place) : place;
}

}  // namespace flopcast::preload::mpi
