#include "flopcast/preload/tuned/thread_choice.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"

namespace flopcast::preload {
namespace {

/// Functions of a library that set and return its number of threads. 32-bit numbers are passed and returned in the lower halves.
struct ThreadControl {
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
  std::int32_t before;  ///< number of threads to restore; 0: it wasn't changed
};

/// A choice of this thread, which programs often repeat.
struct LastChoice {
  const protocol::RoutineThreads* entry;
  std::int32_t sizes[protocol::max_thread_sizes];
  std::int32_t max_threads, threads;
};

// Global, because a preloaded library has no caller that could pass these. They are written before other code runs, or are atomic.
constinit protocol::ThreadTable table{};
constinit const protocol::RoutineThreads* first_entries[protocol::max_threaded_routines]{};
constinit protocol::ThreadReport* report{};
constinit ThreadControl control{};  ///< found by the first thread with a call, and used by no other
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

/// Finds the functions that control the threads of the library behind a trampoline, or of the BLAS that it needs.
ThreadControl control_behind(const Redirected& through) noexcept {
  const std::string_view suffix = through.suffix.substr(through.suffix.starts_with('_') ? 1 : 0);
  const ObjectHandle library(object_of(through.definition));
  for (const ControlNames& names : control_names) {
    const auto find = [&](const char* name) {
      const SymbolName symbol(through.prefix, name, suffix);
      void* found = library.get() != nullptr ? dlsym(library.get(), symbol.c_str()) : nullptr;
      return found != nullptr ? found : any_definition(symbol.c_str());
    };
    void* set = find(names.set);
    void* get = find(names.get);
    if (set != nullptr && get != nullptr) {
      return {reinterpret_cast<void (*)(std::int64_t)>(set), reinterpret_cast<std::int64_t (*)()>(get)};
    }
  }
  return {};
}

/// Returns whether the library behind a trampoline is the one whose threads are set. The first library of the table's folders is.
bool is_controlled(Redirected& through) noexcept {
  enum : std::uint8_t { unknown, controlled, other };  // values of Redirected::library
  std::uint8_t kind = through.library.load(std::memory_order_relaxed);
  if (kind == unknown) [[unlikely]] {
    kind = on_own_stack([&through] {
      const ThreadControl found = is_in_tables_folders(through.definition) ? control_behind(through) : ThreadControl{};
      control = control.set == nullptr ? found : control;
      return found.set != nullptr && found.set == control.set ? controlled : other;
    });
    through.library.store(kind, std::memory_order_relaxed);
  }
  return kind == controlled;
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

/// Returns best_threads(), without a look into the table where the thread's last call was the same.
std::int32_t chosen(const protocol::RoutineThreads* entry, const std::int32_t* sizes, std::int32_t max_threads) noexcept {
  if (last.entry != entry || last.max_threads != max_threads || std::memcmp(last.sizes, sizes, sizeof last.sizes) != 0) {
    last = {entry, {sizes[0], sizes[1], sizes[2]}, max_threads, protocol::best_threads(table, *entry, sizes, max_threads)};
  }
  return last.threads;
}

void restore() noexcept {
  if (outermost.before != 0) {
    control.set(outermost.before);
  }
  outermost = {};
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

ThreadChoice::ThreadChoice(Redirected* through, std::uint32_t routine, const ThreadCall& call) noexcept {
  const protocol::RoutineThreads* entry = through != nullptr ? entry_of(routine, call.flags) : nullptr;
  if (entry == nullptr || (outermost.place != nullptr && this < outermost.place)) {
    return;
  }
  restore();
  outermost.place = this;
  const std::int32_t before = is_only_thread() && is_controlled(*through) ? static_cast<std::int32_t>(control.get()) : 0;
  if (before < 1) {
    count(routine, 0);
    return;
  }
  const std::int32_t threads = chosen(entry, call.sizes, before);
  count(routine, threads);
  if (threads != before) {
    control.set(threads);
    outermost.before = before;
  }
}

ThreadChoice::~ThreadChoice() {
  if (outermost.place == this) {
    restore();
  }
}

}  // namespace flopcast::preload
