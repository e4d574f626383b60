#include "flopcast/preload/common/redirect.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>

#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/support/bindings.hpp"

#if defined(__x86_64__)

namespace {
constexpr std::size_t max_trampolines = 4096;
}

extern "C" {
constinit thread_local flopcast::preload::Redirected* flopcast_entered{};
[[gnu::visibility("hidden")]] extern const char flopcast_trampolines[];
[[gnu::visibility("hidden")]] constinit flopcast::preload::Redirected flopcast_redirected[max_trampolines]{};
void* flopcast_dlopen(const char* name, int mode);
void* flopcast_dlsym(void* handle, const char* name);
/// Called by the two functions above with their arguments. They return the function to continue with.
[[gnu::visibility("hidden"), gnu::used]] void* flopcast_choose_dlopen(const char* name, int mode) noexcept;
[[gnu::visibility("hidden"), gnu::used]] void* flopcast_choose_dlsym(void* handle, const char* name) noexcept;
}

// A trampoline changes only registers that the procedure call standard leaves to the linker's own stubs. dlopen and dlsym identify their
// caller by the return address, which must therefore be preserved.
asm(R"(
  .text
  .p2align 4
  .globl flopcast_trampolines
  .hidden flopcast_trampolines
flopcast_trampolines:
  .set trampoline, 0
  .rept 4096
  endbr64
  leaq flopcast_redirected + trampoline * 64(%rip), %r11
  jmp .Lenter
  .p2align 4
  .set trampoline, trampoline + 1
  .endr
.Lenter:
  movq flopcast_entered@gottpoff(%rip), %r10
  movq %r11, %fs:(%r10)
  jmp *(%r11)

  .macro pass_on name, choose
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call \choose
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .endm
  pass_on flopcast_dlopen, flopcast_choose_dlopen
  pass_on flopcast_dlsym, flopcast_choose_dlsym
)");

namespace flopcast::preload {
namespace {

constexpr std::size_t trampoline_bytes = 16;
constexpr std::size_t max_objects = 2048;
static_assert(sizeof(Redirected) == 64 && offsetof(Redirected, stub) == 0);

/// A loaded object that was already searched.
struct Seen {
  std::uintptr_t address;
  const void* dynamic;
};

constinit OwnSymbol own_symbol{};
constinit Replacements replacements{};
constinit std::atomic<bool> busy{};  ///< a thread is searching objects, or making a trampoline
constinit std::size_t trampolines = 0;
constinit Seen seen[max_objects]{};
constinit std::size_t seen_count = 0;
constinit unsigned long long loaded_before = 0, unloaded_before = 0;  ///< the linker's counts
constinit bool next_are_deep = false;                                 ///< objects that are loaded next look into their own libraries first

/// Held by one thread at a time. Others don't wait, because the holder may be waiting for the linker's lock, which they may hold.
class RedirectTurn {
 public:
  RedirectTurn() noexcept : mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  RedirectTurn(const RedirectTurn&) = delete;
  RedirectTurn& operator=(const RedirectTurn&) = delete;
  ~RedirectTurn() {
    if (mine_) {
      busy.store(false, std::memory_order_release);
    }
  }
  explicit operator bool() const noexcept { return mine_; }

 private:
  bool mine_;
};

const link_map* own_object() noexcept { return object_of(reinterpret_cast<const void*>(&redirect_calls)); }

bool is_trampoline(const void* address) noexcept {
  const auto* at = static_cast<const char*>(address);
  return at >= flopcast_trampolines && at < flopcast_trampolines + max_trampolines * trampoline_bytes;
}

void* own_function(const char* symbol) noexcept {
  static constinit std::atomic<void*> handle{};
  if (handle.load() == nullptr) {
    handle.store(dlopen(own_object()->l_name, RTLD_LAZY | RTLD_NOLOAD));
  }
  return dlsym(handle.load(), symbol);
}

/// The name's parts with the routine in lower case, even for names in capitals.
class LowerCase {
 public:
  explicit LowerCase(const RoutineSymbol& parts) noexcept : parts_(parts) {
    const bool fits = parts.routine.size() < sizeof text_;
    bool capitals = fits && !parts.routine.empty();
    for (const char c : parts.routine) {
      capitals = capitals && ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
    }
    if (capitals) {
      for (std::size_t i = 0; i < parts.routine.size(); ++i) {
        const char c = parts.routine[i];
        text_[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
      parts_.routine = {text_, parts.routine.size()};
    }
  }
  LowerCase(const LowerCase&) = delete;
  LowerCase& operator=(const LowerCase&) = delete;
  ~LowerCase() = default;
  [[nodiscard]] const RoutineSymbol& parts() const noexcept { return parts_; }

 private:
  RoutineSymbol parts_;
  char text_[24]{};
};

/// Returns whether a function with this name is BLAS's. A function called dgemm or DGEMM may be the program's own, unless the same library
/// also has dgemm_.
bool is_convincing(const RoutineSymbol& name, const void* definition) noexcept {
  if (!name.suffix.empty() || is_c_routine(name.routine)) {
    return true;
  }
  const link_map* object = object_of(definition);
  const ObjectHandle library(object != nullptr && object->l_name[0] != '\0' ? object : nullptr);
  if (library.get() == nullptr) {
    return false;
  }
  const void* usual = dlsym(library.get(), SymbolName(name.prefix, name.routine, "_").c_str());
  return usual != nullptr && object_of(usual) == object;
}

/// Returns the trampoline to `definition`; nullptr if there is no room for one.
void* trampoline_to(void* definition, const RoutineSymbol& name, const char* symbol) noexcept {
  void* stub = own_function(symbol);
  std::size_t i = 0;
  while (i < trampolines && (flopcast_redirected[i].definition != definition || flopcast_redirected[i].stub != stub)) {
    ++i;
  }
  if (i == max_trampolines || stub == nullptr) {
    return nullptr;
  }
  if (i == trampolines) {
    Redirected& trampoline = flopcast_redirected[trampolines++];
    trampoline.stub = stub;
    trampoline.definition = definition;
    trampoline.prefix = name.prefix;
    trampoline.suffix = name.suffix;
    trampoline.c = is_c_routine(name.routine);
  }
  return const_cast<char*>(flopcast_trampolines + i * trampoline_bytes);
}

/// Returns the replacement of `definition`, which has this name; nullptr if it is to stay.
void* substitute(void* definition, std::string_view symbol) noexcept {
  const LowerCase name(routine_symbol(symbol));
  const char* own = name.parts().routine.empty() ? nullptr : own_symbol(name.parts());
  const bool other = own != nullptr && definition != nullptr && !is_trampoline(definition) && object_of(definition) != own_object();
  return other && is_convincing(name.parts(), definition) ? trampoline_to(definition, name.parts(), own) : nullptr;
}

/// A loaded object that is searched.
struct Object {
  const link_map* map;
  void* handle;
  bool deep;   ///< the object looks into its own libraries first
  bool apart;  ///< the object lies in another namespace of the linker
};

/// Returns whether the name is that of a routine that some library offers to the whole program.
bool is_visible_routine(const char* symbol) noexcept {
  const LowerCase name(routine_symbol(symbol));
  return own_symbol(name.parts()) != nullptr && dlsym(RTLD_DEFAULT, symbol) != nullptr;
}

/// Returns the destination of calls through `binding`, also before the linker has resolved it.
void* destination(const Object& object, const Binding& binding) noexcept {
  void* value = *binding.slot;
  const bool unresolved = value == nullptr || (object_of(value) == object.map && value != binding.own_definition);
  if (!unresolved) {
    return value;
  }
  if (!object.deep) {
    if (void* global = dlsym(RTLD_DEFAULT, binding.name.data())) {
      return global;
    }
  }
  return dlsym(object.handle, binding.name.data());
}

/// Returns the definition that only this object sees, in itself or its dependencies. Calls of the preloaded library's function then lead
/// there: two plug-ins may have libraries of their own with the same names. Returns nullptr if the definition is the same for all callers.
void* private_definition(const Object& object, const char* name) noexcept {
  return dlsym(RTLD_NEXT, name) != nullptr ? nullptr : dlsym(object.handle, name);
}

/// Returns the replacement of the linker's own function `name`; nullptr for other names.
void* hook_of(std::string_view name) noexcept {
  return name == "dlopen"  ? reinterpret_cast<void*>(&flopcast_dlopen)
         : name == "dlsym" ? reinterpret_cast<void*>(&flopcast_dlsym)
                           : nullptr;
}

/// Returns the function that replaces the binding's in an object that looks into its own libraries first; nullptr if none does.
void* replacement_of(const Object& object, const Binding& binding) noexcept {
  void* deep = object.deep && replacements.deep != nullptr ? replacements.deep(binding.name) : nullptr;
  if (deep == nullptr || !object.apart) {
    return deep;
  }
  void* function = destination(object, binding);
  return function != nullptr && object_of(function) != own_object() ? replacements.apart(binding.name, function) : nullptr;
}

void look_through(const Object& object) noexcept {
  for_each_binding(*object.map, [&object](const Binding& binding) {
    if (void* always = replacements.always != nullptr && !object.apart ? replacements.always(*object.map, binding) : nullptr) {
      set_binding(binding, always);
      return;
    }
    if (void* hook = hook_of(binding.name); hook != nullptr && !binding.own) {
      if (!object.apart) {  // another namespace has a linker's interface of its own
        set_binding(binding, hook);
      }
      return;
    }
    if (void* replacement = replacement_of(object, binding)) {
      set_binding(binding, replacement);
      return;
    }
    const LowerCase name(routine_symbol(binding.name));
    if (object.apart || name.parts().routine.size() < 3 || own_symbol(name.parts()) == nullptr) {
      return;
    }
    void* definition = destination(object, binding);
    if (definition != nullptr && object_of(definition) == own_object()) {
      definition = private_definition(object, binding.name.data());
    }
    if (void* trampoline = substitute(definition, binding.name)) {
      set_binding(binding, trampoline);
    }
  });
}

/// Objects that were loaded since the last search.
struct NewObjects {
  const char* names[64];
  std::size_t count = 0;
  unsigned long long loaded = 0;  ///< the linker's counts
};

bool was_seen(std::uintptr_t address, const void* dynamic) noexcept {
  for (std::size_t i = 0; i < seen_count; ++i) {
    if (seen[i].address == address && seen[i].dynamic == dynamic) {
      return true;
    }
  }
  return false;
}

const void* dynamic_section(const dl_phdr_info& info) noexcept {
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      return reinterpret_cast<const void*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
  }
  return nullptr;
}

int note_object(dl_phdr_info* info, std::size_t /*bytes*/, void* to) noexcept {
  auto& found = *static_cast<NewObjects*>(to);
  if (found.count == 0 && info->dlpi_subs != unloaded_before) {
    seen_count = 0;
    unloaded_before = info->dlpi_subs;
    loaded_before = 0;
  }
  if (found.count == 0 && info->dlpi_adds == loaded_before) {
    return 1;
  }
  found.loaded = info->dlpi_adds;
  const void* dynamic = dynamic_section(*info);
  if (dynamic == nullptr || was_seen(info->dlpi_addr, dynamic)) {
    return 0;
  }
  if (found.count == std::size(found.names) || seen_count == max_objects) {
    return 2;
  }
  seen[seen_count++] = {info->dlpi_addr, dynamic};
  found.names[found.count++] = info->dlpi_name;
  return 0;
}

/// Searches objects in other namespaces, which dl_iterate_phdr leaves out.
void look_through_other_namespaces() noexcept {
  for_each_object_elsewhere([](link_map& object, link_map& first) {
    const auto address = static_cast<std::uintptr_t>(object.l_addr);
    if (seen_count < max_objects && !was_seen(address, object.l_ld)) {
      seen[seen_count++] = {address, object.l_ld};
      look_through({&object, &first, true, true});
    }
  });
}

/// Searches the objects that were loaded since the last search.
void search_new_objects(bool deep) noexcept {
  const RedirectTurn turn;
  if (!turn) {
    return;
  }
  deep = deep || next_are_deep;
  next_are_deep = false;
  int more = 0;
  do {
    NewObjects found;
    more = dl_iterate_phdr(note_object, &found);
    loaded_before = more == 0 ? found.loaded : loaded_before;
    for (std::size_t i = 0; i < found.count; ++i) {
      const char* name = found.names[i];
      Object object{nullptr, dlopen(name[0] != '\0' ? name : nullptr, RTLD_LAZY | RTLD_NOLOAD), deep, false};
      if (object.handle != nullptr && dlinfo(object.handle, RTLD_DI_LINKMAP, &object.map) == 0 && object.map != own_object()) {
        look_through(object);
      }
      if (object.handle != nullptr) {
        dlclose(object.handle);
      }
    }
  } while (more == 2 && seen_count < max_objects);
  look_through_other_namespaces();
}

/// Does so on a stack of this library, because programs open libraries on small stacks, too.
void look_through_new_objects(bool deep) noexcept {
  on_own_stack([deep] { search_new_objects(deep); });
}

void* intercepted_dlopen(const char* name, int mode) {
  void* handle = dlopen(name, mode);
  if (handle != nullptr) {
    on_own_stack([mode] {
      search_new_objects((mode & RTLD_DEEPBIND) != 0);
      dlerror();  // drop errors of flopcast's own calls
    });
  }
  return handle;
}

void* intercepted_dlsym(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  if (found == nullptr) {
    return found;
  }
  return on_own_stack([found, name] {
    void* instead = replacements.asked_for != nullptr ? replacements.asked_for(name, found) : nullptr;
    if (instead == nullptr) {
      const RedirectTurn turn;
      instead = turn ? substitute(found, name) : nullptr;
    }
    dlerror();
    return instead != nullptr ? instead : found;
  });
}

}  // namespace

void redirect_calls(OwnSymbol symbol, const Replacements& functions) noexcept {
  own_symbol = symbol;
  replacements = functions;
  look_through_new_objects(false);
}

void redirect_new_objects() noexcept { look_through_new_objects(false); }

void redirect_calls_of(const link_map& object, OwnSymbol symbol) noexcept {
  own_symbol = symbol;
  const RedirectTurn turn;
  void* handle = turn ? dlopen(object.l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle != nullptr) {
    look_through({&object, handle, true, false});
    dlclose(handle);
  }
}

}  // namespace flopcast::preload

/// A name with a folder is found for any caller; other names depend on the caller's search path.
void* flopcast_choose_dlopen(const char* name, int mode) noexcept {
  using namespace flopcast::preload;
  look_through_new_objects(false);
  const bool is_path = name != nullptr && std::strchr(name, '/') != nullptr && std::strchr(name, '$') == nullptr;
  if (!is_path) {
    next_are_deep = (mode & RTLD_DEEPBIND) != 0;
  }
  return is_path ? reinterpret_cast<void*>(&intercepted_dlopen) : reinterpret_cast<void*>(&dlopen);
}

void* flopcast_choose_dlsym(void* handle, const char* name) noexcept {
  using namespace flopcast::preload;
  // Names visible to the whole program are the same for all callers. RTLD_NEXT depends on the caller.
  const bool for_all = on_own_stack([handle, name] {
    search_new_objects(false);
    return name != nullptr && handle != RTLD_NEXT && (handle != RTLD_DEFAULT || is_visible_routine(name));
  });
  return for_all ? reinterpret_cast<void*>(&intercepted_dlsym) : reinterpret_cast<void*>(&dlsym);
}

#else

extern "C" {
constinit thread_local flopcast::preload::Redirected* flopcast_entered{};
}

namespace flopcast::preload {

void redirect_calls(OwnSymbol /*own_symbol*/, const Replacements& /*replacements*/) noexcept {}
void redirect_calls_of(const link_map& /*object*/, OwnSymbol /*own_symbol*/) noexcept {}

}  // namespace flopcast::preload

#endif

namespace flopcast::preload {

int integer_bytes_of(Redirected& trampoline) noexcept {
  int width = trampoline.width.load(std::memory_order_relaxed);
  if (width == 0) {
    width = integer_bytes_at(trampoline.definition, {trampoline.prefix, trampoline.c ? "cblas_" : "", trampoline.suffix});
    trampoline.width.store(static_cast<std::uint8_t>(width), std::memory_order_relaxed);
  }
  return width;
}

}  // namespace flopcast::preload
