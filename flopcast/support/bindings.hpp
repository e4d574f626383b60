#pragma once

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Calls of a loaded object through the dynamic linker. The functions throw nothing and use no heap, because preloaded libraries use them,
/// too.
namespace flopcast {

/// One address that a loaded object takes from the dynamic linker: of a function that it calls, or of data.
struct Binding {
  std::string_view name;           ///< the symbol, e.g. "dgemm_"; ends with a zero
  bool own = false;                ///< the object defines it itself as well
  void* own_definition = nullptr;  ///< that definition, unless it is chosen when the object is loaded (an indirect function)
  void** slot = nullptr;           ///< holds the address that is called
};

namespace elf {

/// Relocations whose target is the plain address of a symbol.
#if defined(__x86_64__)
inline constexpr std::array<ElfW(Xword), 3> address_relocations = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__aarch64__)
inline constexpr std::array<ElfW(Xword), 3> address_relocations = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#elif defined(__riscv)
inline constexpr std::array<ElfW(Xword), 2> address_relocations = {R_RISCV_JUMP_SLOT, R_RISCV_64};
#elif defined(__powerpc64__)
inline constexpr std::array<ElfW(Xword), 3> address_relocations = {R_PPC64_JMP_SLOT, R_PPC64_GLOB_DAT, R_PPC64_ADDR64};
#else
#error "this machine's relocations are not in the list above"
#endif

/// The parts of an object's dynamic section that name what it calls.
struct Dynamic {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  std::size_t symbol_count = 0;  ///< 0 if the object has no hash table of System V's form, which alone tells
  std::span<const ElfW(Rela)> data, calls;
};

inline Dynamic dynamic(const link_map& map) noexcept {
  Dynamic result;
  std::size_t data_bytes = 0, call_bytes = 0;
  const ElfW(Rela)* data = nullptr;
  const ElfW(Rela)* calls = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // glibc has made these addresses absolute on most machines, but not on those whose dynamic section is read-only.
    const std::uintptr_t address = entry->d_un.d_ptr + (entry->d_un.d_ptr < map.l_addr ? map.l_addr : 0);
    switch (entry->d_tag) {
      case DT_STRTAB: result.strings = reinterpret_cast<const char*>(address); break;
      case DT_SYMTAB: result.symbols = reinterpret_cast<const ElfW(Sym)*>(address); break;
      case DT_HASH: result.symbol_count = reinterpret_cast<const ElfW(Word)*>(address)[1]; break;
      case DT_RELA: data = reinterpret_cast<const ElfW(Rela)*>(address); break;
      case DT_RELASZ: data_bytes = entry->d_un.d_val; break;
      case DT_JMPREL: calls = reinterpret_cast<const ElfW(Rela)*>(address); break;
      case DT_PLTRELSZ: call_bytes = entry->d_un.d_val; break;
      case DT_TEXTREL: return {};  // its addresses lie among its code, which can't be written to
      default: break;
    }
  }
  result.data = {data, data != nullptr ? data_bytes / sizeof(ElfW(Rela)) : 0};
  result.calls = {calls, calls != nullptr ? call_bytes / sizeof(ElfW(Rela)) : 0};
  return result;
}

}  // namespace elf

/// Visits every function and data address that the loaded object `map` takes from the dynamic linker.
template <class Visit>
void for_each_binding(const link_map& map, const Visit& visit) {
  const elf::Dynamic object = elf::dynamic(map);
  if (object.symbols == nullptr) {
    return;
  }
  for (const auto& relocations : {object.data, object.calls}) {
    for (const ElfW(Rela) & relocation : relocations) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      const bool is_address =
          std::find(elf::address_relocations.begin(), elf::address_relocations.end(), type) != elf::address_relocations.end();
      if (!is_address || ELF64_R_SYM(relocation.r_info) == 0 || relocation.r_addend != 0) {
        continue;
      }
      const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(relocation.r_info)];
      const bool own = symbol.st_shndx != SHN_UNDEF;
      const bool is_plain = own && ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC;
      visit(Binding{object.strings + symbol.st_name, own, is_plain ? reinterpret_cast<void*>(map.l_addr + symbol.st_value) : nullptr,
                    reinterpret_cast<void**>(map.l_addr + relocation.r_offset)});
    }
  }
}

/// Makes the calls behind `binding` reach `address`; false, with errno set, if the system doesn't let us.
inline bool set_binding(const Binding& binding, void* address) noexcept {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto slot = reinterpret_cast<std::uintptr_t>(binding.slot);
  // The linker makes these pages read-only after loading (RELRO).
  if (mprotect(reinterpret_cast<void*>(slot / page_bytes * page_bytes), page_bytes, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  __atomic_store_n(binding.slot, address, __ATOMIC_RELEASE);
  return true;
}

}  // namespace flopcast
