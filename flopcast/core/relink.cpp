#include "flopcast/core/relink.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "flopcast/core/error.hpp"

namespace flopcast {
namespace {

/// Relocations whose target is the plain address of a symbol.
#if defined(__x86_64__)
constexpr std::array<ElfW(Xword), 3> address_relocations = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__aarch64__)
constexpr std::array<ElfW(Xword), 3> address_relocations = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#elif defined(__riscv)
constexpr std::array<ElfW(Xword), 2> address_relocations = {R_RISCV_JUMP_SLOT, R_RISCV_64};
#elif defined(__powerpc64__)
constexpr std::array<ElfW(Xword), 3> address_relocations = {R_PPC64_JMP_SLOT, R_PPC64_GLOB_DAT, R_PPC64_ADDR64};
#else
#error "this machine's relocations are not in the list above"
#endif

/// The parts of a library's dynamic section that name what it calls.
struct Dynamic {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  std::span<const ElfW(Rela)> data, calls;
};

Dynamic dynamic(const link_map& map) {
  Dynamic result;
  std::size_t data_bytes = 0, call_bytes = 0;
  const ElfW(Rela)* data = nullptr;
  const ElfW(Rela)* calls = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // glibc has made these addresses absolute on most machines, but not on those whose dynamic section is read-only.
    const std::uintptr_t address = entry->d_un.d_ptr + (entry->d_un.d_ptr < map.l_addr ? map.l_addr : 0);
    switch (entry->d_tag) {
      case DT_STRTAB: result.strings = reinterpret_cast<const char*>(address); break;
      case DT_SYMTAB: result.symbols = reinterpret_cast<const ElfW(Sym)*>(address); break;
      case DT_RELA: data = reinterpret_cast<const ElfW(Rela)*>(address); break;
      case DT_RELASZ: data_bytes = entry->d_un.d_val; break;
      case DT_JMPREL: calls = reinterpret_cast<const ElfW(Rela)*>(address); break;
      case DT_PLTRELSZ: call_bytes = entry->d_un.d_val; break;
      default: break;
    }
  }
  result.data = {data, data_bytes / sizeof(ElfW(Rela))};
  result.calls = {calls, call_bytes / sizeof(ElfW(Rela))};
  return result;
}

}  // namespace

void for_each_binding(const link_map& map, const std::function<void(const Binding&)>& visit) {
  const Dynamic library = dynamic(map);
  for (const auto& relocations : {library.data, library.calls}) {
    for (const ElfW(Rela) & relocation : relocations) {
      const bool is_address =
          std::find(address_relocations.begin(), address_relocations.end(), ELF64_R_TYPE(relocation.r_info)) != address_relocations.end();
      if (!is_address || ELF64_R_SYM(relocation.r_info) == 0 || relocation.r_addend != 0) {
        continue;
      }
      const ElfW(Sym)& symbol = library.symbols[ELF64_R_SYM(relocation.r_info)];
      visit({library.strings + symbol.st_name, symbol.st_shndx != SHN_UNDEF, reinterpret_cast<void**>(map.l_addr + relocation.r_offset)});
    }
  }
}

void rebind(const Binding& binding, void* address) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto slot = reinterpret_cast<std::uintptr_t>(binding.slot);
  // The linker makes these pages read-only after loading (RELRO).
  if (mprotect(reinterpret_cast<void*>(slot / page_bytes * page_bytes), page_bytes, PROT_READ | PROT_WRITE) != 0) {
    throw environment_error("can't redirect {}: {}", binding.name, std::strerror(errno));
  }
  *binding.slot = address;
}

}  // namespace flopcast
