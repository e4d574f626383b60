#include "flopcast/preload/tuned/thread_choice.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/support/bindings.hpp"

namespace flopcast::preload {
namespace {

/// Functions of a library that set and return its number of threads. 32-bit numbers are passed and returned in the lower halves.
struct LibraryThreads {
  void (*set)(std::int64_t threads);
  std::int64_t (*get)();
};

/// Names of such functions, in the order in which they are looked for.
struct ControlNames {
  const char* set;
  const char* get;
};
constexpr ControlNames control_names[] = {{"openblas_set_num_threads", "openblas_get_num_threads"},
                                          {"bli_thread_set_num_threads", "bli_thread_get_num_threads"},
                                          {"MKL_Set_Num_Threads", "MKL_Get_Max_Threads"}};

/// The outermost call of this thread that entered a stub. A call that was left by a jump, as error handlers do, leaves its place behind.
/// A later call, which lies higher on the stack, recognises that.
struct OutermostCall {
  const ThreadChoice* place;
  const LibraryThreads* control;  ///< library whose threads were changed
  std::int32_t before;            ///< number of threads to restore; 0: it wasn't changed
};

/// A choice of this thread, which programs often repeat.
struct LastChoice {
  const protocol::RoutineThreads* entry;
  std::int32_t sizes[protocol::max_thread_sizes];
  std::int32_t max_threads;
  protocol::CallChoice choice;
};

/// The table's relation to a library, as a value of Redirected::library.
enum LibraryKind : std::uint8_t {
  unknown,
  other,     ///< the table isn't for this library
  measured,  ///< the table is for this library, whose threads can't be set
  controlled
};

/// A library that computes calls in place of the program's own.
struct OtherLibrary {
  bool is_tried = false;
  void* handle = nullptr;  ///< nullptr: not opened yet, or not usable
  RoutineSymbol dgemm{};   ///< dgemm's name in the library
  int integer_bytes = 0;
  LibraryThreads control{};
  void* functions[2][protocol::max_threaded_routines]{};  ///< Fortran's and CBLAS's; nullptr: not looked for yet; &lacking: none
};

// Global, because a preloaded library has no caller that could pass these. They are written before other code runs, or are atomic.
constinit protocol::ThreadTable table{};
constinit const protocol::RoutineThreads* first_entries[protocol::max_threaded_routines]{};
constinit protocol::ThreadReport* report{};
constinit LibraryThreads control{};  ///< found by the first thread with a call, and used by no other, as all about other libraries
constinit OtherLibrary others[protocol::max_other_libraries]{};
constinit bool has_opened = false;    ///< another library was opened
constinit bool is_inherited = false;  ///< a child of fork(), which inherits other libraries, but not their threads
constinit char lacking{};
constinit std::atomic<const void*> first_thread{};
constinit std::atomic<bool> has_several_threads{};
[[gnu::tls_model("initial-exec")]] constinit thread_local OutermostCall outermost{};
[[gnu::tls_model("initial-exec")]] constinit thread_local LastChoice last{};

/// Returns whether all calls of the process came from this thread so far.
bool is_only_thread() noexcept {
  const void* known = first_thread.load(std::memory_order_relaxed);
  const bool is_first = known == &outermost || (known == nullptr && first_thread.compare_exchange_strong(known, &outermost));
  if (!is_first) {
    has_several_threads.store(true, std::memory_order_relaxed);
  }
  return is_first && !has_several_threads.load(std::memory_order_relaxed);
}

/// Returns whether the function lies in a folder of the table's libraries.
bool is_in_tables_folders(const void* function) noexcept {
  Dl_info info;
  char* path = dladdr(function, &info) != 0 ? realpath(info.dli_fname, nullptr) : nullptr;
  const char* slash = path != nullptr ? std::strrchr(path, '/') : nullptr;
  const std::int32_t folder = slash != nullptr ? protocol::folder_number({path, static_cast<std::size_t>(slash - path)}) : 0;
  std::free(path);
  return slash != nullptr && (folder == table.folders[0] || folder == table.folders[1]);
}

/// Returns the suffix of C functions in a library whose Fortran routines have this one.
std::string_view c_suffix(std::string_view suffix) noexcept { return suffix.substr(suffix.starts_with('_') ? 1 : 0); }

/// Finds the functions that control the threads of a library. `find` returns the address of a symbol, or nullptr.
template <class Find>
LibraryThreads control_of(std::string_view prefix, std::string_view suffix, Find find) noexcept {
  for (const ControlNames& names : control_names) {
    void* set = find(SymbolName(prefix, names.set, c_suffix(suffix)).c_str());
    void* get = find(SymbolName(prefix, names.get, c_suffix(suffix)).c_str());
    if (set != nullptr && get != nullptr) {
      return {reinterpret_cast<void (*)(std::int64_t)>(set), reinterpret_cast<std::int64_t (*)()>(get)};
    }
  }
  return {};
}

/// Finds the functions that control the threads of the library behind a trampoline, or of the BLAS that it needs.
LibraryThreads control_behind(const Redirected& through) noexcept {
  const ObjectHandle library(object_of(through.definition));
  return control_of(through.prefix, through.suffix, [&library](const char* symbol) {
    void* found = library.get() != nullptr ? dlsym(library.get(), symbol) : nullptr;
    return found != nullptr ? found : any_definition(symbol);
  });
}

/// Returns kind_of() a library that wasn't seen before. After another library was opened, its functions would be found for a library that
/// has none.
LibraryKind new_kind(Redirected& through) noexcept {
  if (!is_in_tables_folders(through.definition)) {
    return other;
  }
  if (table.library_count > 0) {
    integer_bytes_of(through);  // which needs this stack, and is remembered
  }
  const LibraryThreads found = has_opened && control.set == nullptr ? LibraryThreads{} : control_behind(through);
  control = control.set == nullptr ? found : control;
  return found.set == nullptr ? measured : found.set == control.set ? controlled : other;
}

/// Returns what the table says about the library behind a trampoline. The first library of the table's folders is the one whose threads are
/// set.
LibraryKind kind_of(Redirected& through) noexcept {
  auto kind = static_cast<LibraryKind>(through.library.load(std::memory_order_relaxed));
  if (kind == unknown) [[unlikely]] {
    kind = on_own_stack([&through] { return new_kind(through); });
    through.library.store(kind, std::memory_order_relaxed);
  }
  return kind;
}

/// Makes a library report wrong arguments to the program's xerbla, as the program's own library does.
void share_error_handlers(const link_map& object) noexcept {
  for_each_binding(object, [](const Binding& binding) {
    if (binding.name == "xerbla_" || binding.name == "cblas_xerbla") {
      if (void* programs = dlsym(RTLD_DEFAULT, binding.name.data())) {
        set_binding(binding, programs);
      }
    }
  });
}

/// Returns the name of dgemm in an opened library; an empty routine if the library has none.
RoutineSymbol dgemm_behind(void* handle) noexcept {
  for (const std::string_view prefix : symbol_prefixes) {
    for (const std::string_view suffix : fortran_suffixes) {
      if (!suffix.empty() && dlsym(handle, SymbolName(prefix, "dgemm", suffix).c_str()) != nullptr) {
        return {prefix, "dgemm", suffix};
      }
    }
  }
  return {};
}

/// Opens another library so that its calls of itself stay there. A library that the program has loaded itself isn't used, since other
/// threads may be inside. Sanitizers end programs that open a library in this way.
void open(OtherLibrary& library, std::string_view file) noexcept {
  char path[PATH_MAX]{};
  file.copy(path, sizeof path - 1);
  library.is_tried = true;
  const bool is_refused = dlsym(RTLD_DEFAULT, "__sanitizer_set_report_path") != nullptr;
  if (is_refused || dlopen(path, RTLD_LAZY | RTLD_NOLOAD) != nullptr) {
    return;
  }
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  const RoutineSymbol name = handle != nullptr ? dgemm_behind(handle) : RoutineSymbol{};
  if (name.routine.empty()) {
    return;
  }
  has_opened = true;
  const void* definition = dlsym(handle, SymbolName(name.prefix, name.routine, name.suffix).c_str());
  share_error_handlers(*object_of(definition));
  library.dgemm = name;
  library.integer_bytes = integer_bytes_at(definition, name);
  library.control = control_of(name.prefix, name.suffix, [handle](const char* symbol) { return dlsym(handle, symbol); });
  library.handle = handle;
}

/// Returns the function of a library for a routine; &lacking if it has none.
void* found_function(OtherLibrary& library, std::string_view file, const Redirected& through, std::string_view routine) noexcept {
  if (!library.is_tried) {
    open(library, file);
  }
  const SymbolName c_routine(through.c ? "cblas_" : "", routine, "");
  const std::string_view suffix = through.c ? c_suffix(library.dgemm.suffix) : library.dgemm.suffix;
  const SymbolName symbol(library.dgemm.prefix, c_routine.c_str(), suffix);
  void* found = library.handle != nullptr ? dlsym(library.handle, symbol.c_str()) : nullptr;
  return found != nullptr ? found : &lacking;
}

/// Returns the function of another library that computes a call of `through` with the chosen threads; nullptr if the library can't compute
/// it.
void* function_of(const protocol::OtherChoice& choice, Redirected& through, std::uint32_t routine, std::string_view name) noexcept {
  OtherLibrary& library = others[choice.library];
  void*& function = library.functions[through.c ? 1 : 0][routine];
  if (function == nullptr && !is_inherited) [[unlikely]] {
    function = on_own_stack([&] { return found_function(library, table.libraries[choice.library], through, name); });
  }
  const bool is_usable = function != &lacking && (library.control.set != nullptr || choice.threads == 1);
  return is_usable && !is_inherited && integer_bytes_of(through) == library.integer_bytes ? function : nullptr;
}

/// Returns whether the entry's other choice holds for the call. The program's own library reports wrong flags and sizes.
bool is_usual(const protocol::RoutineThreads& entry, const ThreadCall& call) noexcept {
  bool is_positive = true;
  for (const std::int32_t size : call.sizes) {
    is_positive = is_positive && size >= 0;
  }
  return is_positive && entry.flags == call.flags;
}

/// Returns the entry for the flags, or any entry of the routine; nullptr if the table lacks the routine.
const protocol::RoutineThreads* entry_of(std::uint32_t routine, std::uint32_t flags) noexcept {
  const protocol::RoutineThreads* const first = first_entries[routine];
  const protocol::RoutineThreads* entry = first;
  while (entry != nullptr && entry->flags != flags) {
    entry = entry->next;
  }
  return entry != nullptr ? entry : first;
}

/// Returns best_choice(), without a look into the table where the thread's last call was the same.
protocol::CallChoice chosen(const protocol::RoutineThreads* entry, const std::int32_t* sizes, std::int32_t max_threads) noexcept {
  if (last.entry != entry || last.max_threads != max_threads || std::memcmp(last.sizes, sizes, sizeof last.sizes) != 0) {
    last = {entry, {sizes[0], sizes[1], sizes[2]}, max_threads, protocol::best_choice(table, *entry, sizes, max_threads)};
  }
  return last.choice;
}

void restore() noexcept {
  if (outermost.before != 0) {
    outermost.control->set(outermost.before);
  }
  outermost = {};
}

/// Sets the threads of a library, which has `before`, for the duration of the outermost call.
void set_threads(const LibraryThreads& library, std::int32_t threads, std::int32_t before) noexcept {
  if (threads != before) {
    library.set(threads);
    outermost.control = &library;
    outermost.before = before;
  }
}

/// Counts a call with this number of threads; 0 stands for the number that the program has set.
void count(std::uint32_t routine, std::int32_t threads) noexcept {
  std::size_t place = 0;
  while (place < table.counts && table.threads[place] != threads) {
    ++place;
  }
  report->calls[routine][place == table.counts ? protocol::max_thread_counts : place].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

bool read_thread_table(protocol::ThreadReport* counts) noexcept {
  const char* text = std::getenv(protocol::threads_variable);
  if (text == nullptr || *text == '\0') {
    return true;
  }
  const std::size_t bytes = std::strlen(text) + 1;
  void* copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  report = counts;
  if (copy == MAP_FAILED || !protocol::parse(static_cast<char*>(std::memcpy(copy, text, bytes)), table)) {
    return false;
  }
  if (table.library_count > 0) {
    pthread_atfork(nullptr, nullptr, [] { is_inherited = has_opened; });
  }
  for (std::size_t i = 0; i < thread_stub_count; ++i) {
    const ThreadStub& stub = thread_stubs[i];
    for (std::size_t e = table.count; e-- > 0 && i == stub.routine;) {  // backwards, so that an entry's order is that of the text
      if (table.routines[e].name == stub.function) {
        table.routines[e].next = first_entries[stub.routine];
        first_entries[stub.routine] = &table.routines[e];
      }
    }
  }
  return true;
}

const char* thread_stub(std::string_view function) noexcept {
  for (std::size_t i = 0; i < thread_stub_count && table.count > 0; ++i) {
    if (function == thread_stubs[i].function) {
      return first_entries[thread_stubs[i].routine] != nullptr ? thread_stubs[i].symbol : nullptr;
    }
  }
  return nullptr;
}

/// Returns the threads of a library's calls without a choice, or 0 where nothing can be chosen.
static std::int32_t threads_of(LibraryKind kind) noexcept {
  return kind == controlled ? static_cast<std::int32_t>(control.get()) : kind == measured ? table.threads[table.counts - 1] : 0;
}

ThreadChoice::ThreadChoice(Redirected* through, std::uint32_t routine, const ThreadCall& call) noexcept
    : function_(through != nullptr ? through->definition : nullptr) {
  const protocol::RoutineThreads* entry = through != nullptr ? entry_of(routine, call.flags) : nullptr;
  if (entry == nullptr || (outermost.place != nullptr && this < outermost.place)) {
    return;
  }
  restore();
  outermost.place = this;
  const LibraryKind kind = is_only_thread() ? kind_of(*through) : other;
  const std::int32_t before = threads_of(kind);
  if (before < 1) {
    count(routine, 0);
    return;
  }
  const protocol::CallChoice choice = chosen(entry, call.sizes, before);
  void* function = choice.other != nullptr && is_usual(*entry, call) ? function_of(*choice.other, *through, routine, entry->name) : nullptr;
  if (function != nullptr) {
    const LibraryThreads& library = others[choice.other->library].control;
    if (library.set != nullptr) {
      set_threads(library, choice.other->threads, static_cast<std::int32_t>(library.get()));
    }
    function_ = function;
    report->others[routine][choice.other - table.others].fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const bool sets_threads = kind == controlled && table.counts > 1;  // a single number is the program's, whatever it is by now
  count(routine, sets_threads ? choice.threads : 0);
  if (sets_threads) {
    set_threads(control, choice.threads, before);
  }
}

ThreadChoice::~ThreadChoice() {
  if (outermost.place == this) {
    restore();
  }
}

}  // namespace flopcast::preload
