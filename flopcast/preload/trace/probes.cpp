#include "flopcast/preload/trace/probes.hpp"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "flopcast/preload/trace/trace.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/fnv_hash.hpp"

namespace flopcast::preload {
namespace {

/// The signal of the timer. A process ignores SIGURG by default, so that a program may reset its handlers.
constexpr int probe_signal = SIGURG;
constexpr std::size_t max_places = 4096, max_calls = 1024;

/// A place where the thread was found.
struct PlaceSums {
  std::atomic<std::uint64_t> key;  ///< address of an instruction, or a hash of the text with the highest bit; 0: free
  std::atomic<std::uint32_t> probes;
};
using Text = char[2000];

/// Page faults and system time of a call.
struct WatchedSums {
  std::uint64_t start;  ///< ticks
  std::int64_t faults, system_nanoseconds;
};

/// Notes of one process.
struct Probes {
  pid_t process;
  pid_t thread;                        ///< the probed one
  std::int64_t begin;                  ///< its user CPU time when probes began, in nanoseconds
  std::atomic<std::uint64_t> all;      ///< probes, also those within calls
  std::atomic<std::uint32_t> waiting;  ///< probes that wait for Python's line
  std::uint64_t last;                  ///< instruction of the last of them
  /// A line was requested. `rests` follows until the next probe, which comes long after Python has released the lock of its pending calls.
  std::atomic<bool> requested, rests;
  std::atomic<std::uint32_t> call_count;
  WatchedSums calls[max_calls];
  timer_t timer;
  bool is_timed;  ///< the timer exists
  PlaceSums places[max_places];
  /// Python's lines of the places; empty for instructions. Apart from the places, so that few pages are read at the end.
  Text texts[max_places];
  char stack[std::size_t{64} << 10U];  ///< stack of the signal's handler, because the program's own may be small
};
constinit Probes* probes = nullptr;
constinit KeptPath kept_path = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local WatchedSums before{};  ///< the thread's sums at the start of a watched call

/// The public functions of Python, from version 3.9 on, by which its lines are found. They return new references but for `frame`.
struct Python {
  int (*is_initialized)();
  int (*add_pending_call)(int (*call)(void*), void* argument);
  void* (*frame)();
  void* (*back)(void* frame);
  void* (*code)(void* frame);
  int (*line)(void* frame);
  void* (*attribute)(void* object, const char* name);
  void* (*member)(void* mapping, const char* name);
  void* (*element)(void* sequence, ssize_t index);
  const char* (*text)(void* object);
  int (*is_true)(void* object);
  void (*release)(void* object);  ///< has no effect on nullptr
  void (*clear_error)();
};
constinit Python python{};
constinit bool has_python = false;

template <class Function>
bool find(Function& function, const char* name) noexcept {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_python() noexcept {
  return find(python.is_initialized, "Py_IsInitialized") && find(python.add_pending_call, "Py_AddPendingCall") &&
         find(python.frame, "PyEval_GetFrame") && find(python.back, "PyFrame_GetBack") && find(python.code, "PyFrame_GetCode") &&
         find(python.line, "PyFrame_GetLineNumber") && find(python.attribute, "PyObject_GetAttrString") &&
         find(python.member, "PyMapping_GetItemString") && find(python.element, "PySequence_GetItem") &&
         find(python.text, "PyUnicode_AsUTF8") && find(python.is_true, "PyObject_IsTrue") && find(python.release, "Py_DecRef") &&
         find(python.clear_error, "PyErr_Clear");
}

/// Copies the text of an object of Python without tabs and ends of lines, and releases the object; nothing if it is no text, or nullptr.
template <std::size_t size>
void take_text(void* object, char (&text)[size]) noexcept {
  const char* from = object != nullptr ? python.text(object) : nullptr;
  std::size_t length = 0;
  for (; from != nullptr && from[length] != '\0' && length + 1 < size; ++length) {
    text[length] = static_cast<unsigned char>(from[length]) < ' ' ? ' ' : from[length];
  }
  text[length] = '\0';
  python.release(object);
  python.clear_error();
}

/// A line of Python.
struct SourceLine {
  char file[768], function[128];
  int number;

  explicit SourceLine(void* frame) noexcept : number(python.line(frame)) {
    void* code = python.code(frame);
    take_text(python.attribute(code, "co_filename"), file);
    take_text(python.attribute(code, "co_name"), function);
    python.release(code);
  }
  /// Returns whether the line is the user's, not one of Python or of an installed package.
  [[nodiscard]] bool is_users() const noexcept {
    const auto lacks = [this](const char* part) { return std::strstr(file, part) == nullptr; };
    return lacks("-packages/") && lacks("/lib/python") && lacks("<frozen ") && lacks("<__array_function__");
  }
};

/// Returns the user's line that called this one; the line itself if there is none.
SourceLine users_line(const SourceLine& inner, void* frame) noexcept {
  SourceLine line = inner;
  void* held = nullptr;
  while (frame != nullptr && !line.is_users()) {
    frame = python.back(frame);
    python.release(held);
    held = frame;
    line = frame != nullptr ? SourceLine(frame) : inner;
  }
  python.release(held);
  return line;
}

/// Returns whether a variable of a frame is there and true.
bool is_set(void* names, const char* name) noexcept {
  void* object = python.member(names, name);
  const bool set = object != nullptr && python.is_true(object) != 0;
  python.release(object);
  python.clear_error();
  return set;
}

/// Copies the subscripts of the contraction that NumPy's einsum computes in this frame; nothing where the path of an optimized contraction is
/// searched, or BLAS computes.
template <std::size_t size>
void copy_subscripts(void* frame, char (&text)[size]) noexcept {
  void* names = python.attribute(frame, "f_locals");
  if (!is_set(names, "blas")) {
    take_text(python.member(names, "einsum_str"), text);
  }
  if (text[0] == '\0' && !is_set(names, "optimize")) {
    void* operands = python.member(names, "operands");
    take_text(python.element(operands, 0), text);
    python.release(operands);
  }
  python.release(names);
}

void count(std::uint64_t key, std::uint32_t number, const char* text = "") noexcept {
  constexpr std::size_t most_steps = 64;  // a full table counts no further places
  const std::size_t first = key * 0x9e3779b97f4a7c15U >> 40U;
  for (std::size_t step = 0; number > 0 && step < most_steps; ++step) {
    const std::size_t at = (first + step) % max_places;
    PlaceSums& place = probes->places[at];
    std::uint64_t there = 0;
    if (place.key.compare_exchange_strong(there, key, std::memory_order_relaxed) || there == key) {
      place.probes.fetch_add(number, std::memory_order_relaxed);
      if (text[0] != '\0') {
        std::strcpy(probes->texts[at], text);
      }
      return;
    }
  }
}

/// Counts the waiting probes at Python's line. Python calls this function in its main thread.
int note_line(void*) noexcept {
  const std::uint32_t number = probes->waiting.exchange(0);
  if (void* frame = number > 0 ? python.frame() : nullptr) {
    const SourceLine inner(frame), users = users_line(inner, frame);
    char subscripts[256] = "", text[sizeof(Text)], within[256] = "";
    if (std::strcmp(inner.function, "einsum") == 0 && std::strstr(inner.file, "numpy") != nullptr) {
      copy_subscripts(frame, subscripts);
    }
    if (std::strcmp(inner.function, users.function) != 0 || std::strcmp(inner.file, users.file) != 0) {
      std::snprintf(within, sizeof within, " (%s of %.100s)", inner.function, file_name(inner.file).data());
    }
    std::snprintf(text, sizeof text, "%s:%d in %s%s\t\t\t%s", kept_path(users.file).data(), users.number, users.function, within,
                  subscripts);
    count(fnv_hash_64(text) | std::uint64_t{1} << 63U, number, text);
  }
  probes->rests.store(true);
  probes->requested.store(false);
  return 0;
}

/// Notes where the thread was interrupted, unless it was in a call that wasn't left by longjmp or an exception.
void note_probe(int, siginfo_t* info, [[maybe_unused]] void* context) noexcept {
  std::uintptr_t instruction = 0, stack = 0;
#if defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
  stack = static_cast<std::uintptr_t>(registers[REG_RSP]);
#elif defined(__aarch64__)
  instruction = static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
  stack = static_cast<const ucontext_t*>(context)->uc_mcontext.sp;
#endif
  if (info->si_code != SI_TIMER) {
    return;
  }
  const auto number = 1 + static_cast<std::uint32_t>(info->si_overrun > 0 ? info->si_overrun : 0);
  probes->all.fetch_add(number, std::memory_order_relaxed);
  if (stack < reinterpret_cast<std::uintptr_t>(thread.frame) && static_cast<const void* const*>(thread.frame)[1] == thread.returns_to) {
    return;
  }
  const int error = errno;
  if (!has_python || python.is_initialized() == 0) {
    count(instruction, number);
  } else {
    probes->last = instruction;
    probes->waiting.fetch_add(number);
    if (!probes->rests.exchange(false) && !probes->requested.exchange(true) && python.add_pending_call(note_line, nullptr) != 0) {
      probes->requested.store(false);
    }
  }
  errno = error;
}

/// Returns the user CPU time of the calling thread: its part of the exact CPU time. The clock of the timer counts ticks of the kernel.
std::int64_t user_nanoseconds() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_utime.tv_sec * 1'000'000'000 + usage.ru_utime.tv_usec * 1000;
}

/// Returns the page faults and the system time of the calling thread until now.
WatchedSums thread_until_now() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {protocol::trace_ticks(settings.counter), usage.ru_minflt + usage.ru_majflt,
          usage.ru_stime.tv_sec * 1'000'000'000 + usage.ru_stime.tv_usec * 1000};
}

/// Writes the file of an instruction, its address there, and the function if the file exports it.
void write_instruction(std::FILE* out, std::uint64_t address) noexcept {
  Dl_info info{};
  const link_map* object = nullptr;
  void* const instruction = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  if (dladdr1(instruction, &info, reinterpret_cast<void**>(const_cast<link_map**>(&object)), RTLD_DL_LINKMAP) != 0) {
    char resolved[PATH_MAX];
    const char* name = object->l_name[0] != '\0' ? object->l_name : "/proc/self/exe";
    std::fprintf(out, "%s\t%llx\t%s\t\n", kept_path(realpath(name, resolved) != nullptr ? resolved : name).data(),
                 static_cast<unsigned long long>(address - object->l_addr), info.dli_sname != nullptr ? info.dli_sname : "");
  } else {
    std::fprintf(out, "code that was generated in memory\t\t\t\n");
  }
}

}  // namespace

void start_probes(KeptPath kept) noexcept {
  struct sigaction program {
  }, handler{};
  stack_t stack{};
  void* memory = mmap(nullptr, sizeof(Probes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || sigaction(probe_signal, nullptr, &program) != 0 || program.sa_handler != SIG_DFL ||
      sigaltstack(nullptr, &stack) != 0) {
    return;
  }
  auto* made = static_cast<Probes*>(memory);
  const stack_t own = {made->stack, 0, sizeof made->stack};
  kept_path = kept;
  has_python = find_python();
  handler.sa_sigaction = note_probe;
  handler.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  constexpr clockid_t own_user_time = -3;  // the kernel's MAKE_THREAD_CPUCLOCK(0, CPUCLOCK_VIRT)
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = probe_signal;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  made->thread = event._sigev_un._tid;
  made->begin = user_nanoseconds();
  const timespec interval = {0, static_cast<long>(1e9 * protocol::probe_seconds)};
  const itimerspec times = {interval, interval};
  made->process = getpid();
  probes = made;
  if (((stack.ss_flags & SS_DISABLE) == 0 || sigaltstack(&own, nullptr) == 0) && sigaction(probe_signal, &handler, nullptr) == 0 &&
      timer_create(own_user_time, &event, &made->timer) == 0) {
    made->is_timed = true;
    timer_settime(made->timer, 0, &times, nullptr);
  }
}

void watch_call() noexcept {
  if (probes != nullptr) {
    before = thread_until_now();
  }
}

void note_watched_call(std::uint64_t start) noexcept {
  constexpr std::uint64_t soon = 1'000'000;  // ticks; a call that begins later isn't the watched one
  if (before.start != 0 && start - before.start < soon) {
    const WatchedSums now = thread_until_now();
    if (const std::uint32_t number = probes->call_count.fetch_add(1); number < max_calls) {
      probes->calls[number] = {start - settings.origin, now.faults - before.faults, now.system_nanoseconds - before.system_nanoseconds};
    }
  }
  before.start = 0;
}

void write_probes(void (*write)(const char* text, std::size_t bytes)) noexcept {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* out = probes != nullptr && probes->process == getpid() ? open_memstream(&text, &bytes) : nullptr;
  if (out == nullptr) {
    return;
  }
  constexpr itimerspec never{};
  if (probes->is_timed) {
    timer_settime(probes->timer, 0, &never, nullptr);  // the time of writing isn't the program's
  }
  count(probes->last, probes->waiting.exchange(0));  // Python gave no line for them
  if (const std::uint64_t all = probes->all; all > 0 && syscall(SYS_gettid) == probes->thread) {
    std::fprintf(out, "time\t%lld\t%llu\n", static_cast<long long>(user_nanoseconds() - probes->begin),
                 static_cast<unsigned long long>(all));
  }
  for (std::size_t i = 0; i < max_calls && i < probes->call_count; ++i) {
    const WatchedSums& call = probes->calls[i];
    std::fprintf(out, "call\t%llu\t%lld\t%lld\n", static_cast<unsigned long long>(call.start), static_cast<long long>(call.faults),
                 static_cast<long long>(call.system_nanoseconds));
  }
  for (std::size_t at = 0; at < max_places; ++at) {
    const PlaceSums& place = probes->places[at];
    if (place.probes == 0) {
      continue;
    }
    std::fprintf(out, "%u\t", place.probes.load());
    if (probes->texts[at][0] != '\0') {
      std::fprintf(out, "%s\n", probes->texts[at]);
    } else {
      write_instruction(out, place.key);
    }
  }
  std::fclose(out);
  if (bytes > 0) {
    write(text, bytes);
  }
  std::free(text);
}

}  // namespace flopcast::preload
