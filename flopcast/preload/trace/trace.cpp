#include "flopcast/preload/trace/trace.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "flopcast/preload/common/buffer_lock.hpp"
#include "flopcast/preload/common/caller_table.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/preload/common/unnoticed.hpp"
#include "flopcast/preload/record/dry_run.hpp"
#include "flopcast/preload/trace/probes.hpp"
#include "flopcast/support/anonymous.hpp"
#include "flopcast/support/fnv_hash.hpp"

namespace flopcast::preload {

// Global, because a preloaded library has no caller that could pass these to the stubs.
constinit thread_local TracedThread thread{};
constinit Settings settings{};
namespace {
constinit Presence absent{};
}
constinit Presence* presence = &absent;

namespace {

enum : std::uint32_t { joining = 2, joined = 1 };  // Presence::here

/// A live chunk, and a flag whether a thread of this process has it.
struct Seat {
  std::atomic<std::uint32_t> taken;
  protocol::ChunkHeader* live;
};

constexpr std::size_t max_seats = 1024;
constexpr std::size_t max_libraries = 64;
constexpr std::size_t live_room = protocol::live_bytes - sizeof(protocol::ChunkHeader);

constinit char path[PATH_MAX]{};
constinit protocol::FileHeader* header = nullptr;  ///< nullptr: no recording
constinit std::atomic<bool> full{};                ///< the disk is full, and calls are only counted
constinit std::uint32_t generation = 0;
constinit Seat seats[max_seats]{};
constinit CallerTable<13> found_for_callers{};
constinit std::atomic<const link_map*> libraries[max_libraries]{};  ///< already noted
constinit pthread_key_t thread_end{};
constinit DryRun dry_run{};
constinit const link_map* own_object = nullptr;  ///< this library

/// Makes calls of routines count as nested calls, so that they aren't recorded. `frame` is that of the function that makes the calls.
class Unrecorded {
 public:
  explicit Unrecorded(const void* frame) noexcept : frame_(thread.frame), returns_to_(thread.returns_to) {
    thread.frame = frame;
    thread.returns_to = static_cast<const void* const*>(frame)[1];
  }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;
  ~Unrecorded() {
    thread.frame = frame_;
    thread.returns_to = returns_to_;
  }

 private:
  const void* frame_;
  const void* returns_to_;
};

/// Reports a failure, once in the whole recording.
void complain(const char* what, const char* why) noexcept {
  if (header == nullptr || header->reported_failures.fetch_add(1, std::memory_order_relaxed) == 0) {
    std::fprintf(stderr, "flopcast: %s%s%s; the program goes on without being recorded\n", what, why != nullptr ? ": " : "",
                 why != nullptr ? why : "");
  }
}

/// Sets `offset` to the file position of `bytes` more. Returns false beyond the limit of file sizes, too, where a write would kill the
/// process.
bool claim(std::size_t bytes, std::uint64_t& offset) noexcept {
  rlimit limit{};
  offset = header->end.fetch_add(bytes, std::memory_order_relaxed);
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && offset + bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  return true;
}

std::uint32_t thread_id() noexcept { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

bool write_all(int file, iovec (&parts)[2], std::uint64_t offset) noexcept {
  const std::size_t bytes = parts[0].iov_len + parts[1].iov_len;
  ssize_t written = 0;
  do {
    written = pwritev(file, parts, 2, static_cast<off_t>(offset));
  } while (written < 0 && errno == EINTR);
  if (written >= 0 && static_cast<std::size_t>(written) != bytes) {
    errno = ENOSPC;
    return false;
  }
  return written >= 0;
}

/// Adds a complete chunk to the file. The file is opened each time, because programs close and reuse descriptors that they didn't open.
bool append(protocol::ChunkHeader& chunk, const void* contents, std::size_t bytes) noexcept {
  chunk.magic = protocol::chunk_magic;
  chunk.bytes.store(bytes, std::memory_order_relaxed);
  chunk.checksum = protocol::chunk_checksum(static_cast<const std::byte*>(contents), bytes);
  std::uint64_t offset = 0;
  const int file = claim(protocol::round_to_page(sizeof chunk + bytes), offset) ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  if (file < 0) {
    return false;
  }
  iovec parts[2] = {{&chunk, sizeof chunk}, {const_cast<void*>(contents), bytes}};
  const bool written = write_all(file, parts, offset);
  const int error = errno;
  close(file);
  errno = error;
  return written;
}

bool append_text(protocol::ChunkKind kind, const char* text, std::size_t bytes, std::uint32_t library = 0) noexcept {
  protocol::ChunkHeader chunk{};
  chunk.kind = kind;
  chunk.library = library;
  chunk.pid = static_cast<std::uint32_t>(getpid());
  chunk.tid = thread_id();
  return append(chunk, text, bytes);
}

/// Copies a live chunk to the end of the file and empties it. If the process is killed in between, the reader recognises the two copies by
/// the sequence.
bool seal(protocol::ChunkHeader& live, std::uint64_t offset) noexcept {
  const std::uint64_t bytes = live.bytes.load(std::memory_order_relaxed);
  protocol::ChunkHeader chunk{};
  chunk.kind = protocol::ChunkKind::sealed;
  chunk.thread = live.thread;
  chunk.pid = live.pid;
  chunk.tid = live.tid;
  chunk.live = offset;
  chunk.sequence = live.sequence;
  if (bytes > 0 && !append(chunk, &live + 1, bytes)) {
    return false;
  }
  live.checked = 0;  // the recording may have finished while this process goes on
  live.bytes.store(0, std::memory_order_release);
  live.sequence += 1;
  return true;
}

/// Makes and maps a chunk for a thread; nullptr if the disk has no room for it.
protocol::ChunkHeader* make_live() noexcept {
  std::uint64_t offset = 0;
  const int file = claim(protocol::live_bytes, offset) ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) {
    return nullptr;
  }
  // Memory is reserved first, because writing to a mapped hole of a full disk would kill the process.
  const int error = posix_fallocate(file, static_cast<off_t>(offset), protocol::live_bytes);
  void* mapped =
      error == 0 ? mmap(nullptr, protocol::live_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, static_cast<off_t>(offset))
                 : MAP_FAILED;
  const int reason = error != 0 ? error : errno;
  close(file);
  if (mapped == MAP_FAILED) {
    errno = reason;
    return nullptr;
  }
  madvise(mapped, protocol::live_bytes, MADV_DONTFORK);
  auto* live = static_cast<protocol::ChunkHeader*>(mapped);
  live->kind = protocol::ChunkKind::live;
  live->live = offset;
  return live;
}

/// Gives the thread the chunk `live`, which another thread may have used.
bool take(protocol::ChunkHeader& live) noexcept {
  if (live.magic == protocol::chunk_magic && !seal(live, live.live)) {
    return false;
  }
  live.thread = header->threads.fetch_add(1, std::memory_order_relaxed);
  live.pid = static_cast<std::uint32_t>(getpid());
  live.tid = thread_id();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  live.magic = protocol::chunk_magic;
  thread.live = &live;
  thread.generation = generation;
  thread.at = reinterpret_cast<std::byte*>(&live + 1);
  thread.end = thread.at + live_room;
  return true;
}

/// Gives a thread a free live chunk, or a new one, at its first call.
bool sit_down() noexcept {
  for (Seat& seat : seats) {
    std::uint32_t nobody = 0;
    if (seat.taken.load(std::memory_order_relaxed) != 0 || !seat.taken.compare_exchange_strong(nobody, 1, std::memory_order_acquire)) {
      continue;
    }
    if (seat.live == nullptr) {
      seat.live = make_live();
    }
    if (seat.live == nullptr || !take(*seat.live)) {
      seat.taken.store(0, std::memory_order_release);
      return false;
    }
    pthread_setspecific(thread_end, &seat);
    watch_call();
    return true;
  }
  errno = EAGAIN;
  return false;
}

/// Adds to the recording how long a thread was ready to run and waited for a core. `file` is its schedstat.
void add_waiting(const char* file) noexcept {
  if (std::FILE* times = std::fopen(file, "re")) {
    unsigned long long waited = 0;
    if (std::fscanf(times, "%*u %llu", &waited) == 1) {
      header->waited_nanoseconds.fetch_add(waited, std::memory_order_relaxed);
    }
    std::fclose(times);
  }
}

/// Notes on how many CPUs a process that made calls could run.
void note_cpus(std::uint32_t cpus) noexcept {
  std::uint32_t most = header->cpus.load(std::memory_order_relaxed);
  while (presence->here.load() != 0 && most < cpus && !header->cpus.compare_exchange_weak(most, cpus, std::memory_order_relaxed)) {
  }
}

/// Adds the waiting of all threads that this process has, and notes their CPUs. Threads of OpenMP may have one each.
void add_waiting_of_threads() noexcept {
  DIR* threads = opendir("/proc/self/task");
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const dirent* one = nullptr; threads != nullptr && (one = readdir(threads)) != nullptr;) {
    char file[sizeof "/proc/self/task//schedstat" + sizeof one->d_name];
    std::snprintf(file, sizeof file, "/proc/self/task/%s/schedstat", one->d_name);
    if (one->d_name[0] != '.') {  // the folder above is the process
      add_waiting(file);
      cpu_set_t own;
      if (sched_getaffinity(static_cast<pid_t>(std::strtol(one->d_name, nullptr, 10)), sizeof own, &own) == 0) {
        CPU_OR(&all, &all, &own);
      }
    }
  }
  if (threads != nullptr) {
    closedir(threads);
  }
  note_cpus(static_cast<std::uint32_t>(CPU_COUNT(&all)));
}

/// Frees a thread's live chunk when the thread ends. Its records stay until another thread needs the chunk.
void stand_up(void* seat) noexcept {
  if (thread.generation == generation) {
    add_waiting("/proc/thread-self/schedstat");
    thread = TracedThread{};
    static_cast<Seat*>(seat)->taken.store(0, std::memory_order_release);
  }
}

bool write_dictionary() noexcept {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < intercepted_count; ++i) {
    bytes += std::strlen(intercepted[i].symbol) + std::strlen(intercepted[i].layout) + 2;
  }
  char* text = static_cast<char*>(std::malloc(bytes + 1));
  if (text == nullptr) {
    return false;
  }
  char* at = text;
  for (std::uint32_t i = 0; i < intercepted_count; ++i) {
    const Intercepted& routine = intercepted[i];
    const std::size_t length = std::strlen(routine.symbol);
    const std::size_t name = routine.symbol[length - 1] == '_' ? length - 1 : length;
    at += std::sprintf(at, "%.*s%s%s\n", static_cast<int>(name), routine.symbol, routine.layout[0] != '\0' ? " " : "", routine.layout);
  }
  const bool written = append_text(protocol::ChunkKind::dictionary, text, static_cast<std::size_t>(at - text));
  std::free(text);
  return written;
}

/// Returns the part of a library's path that the recording keeps. The part ends with a zero, as the path does.
std::string_view kept_path(const char* file) noexcept { return header->anonymous != 0 ? anonymous_library(file) : file; }

void append_path(protocol::ChunkKind kind, const char* file, std::uint32_t library = 0) noexcept {
  const std::string_view kept = kept_path(file);
  append_text(kind, kept.data(), kept.size(), library);
}

/// Writes the words of the process's command line, as many as fit. In anonymous recordings these are the program's file name.
bool write_command_line() noexcept {
  char text[protocol::trace_page - sizeof(protocol::ChunkHeader)];
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file >= 0 ? read(file, text, sizeof text) : 0;
  if (file >= 0) {
    close(file);
  }
  std::string_view words(text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  if (header->anonymous != 0) {
    words = file_name(words.substr(0, words.find('\0')));  // substr takes all where there is no zero
  }
  return append_text(protocol::ChunkKind::process, words.data(), words.size());
}

void write_library(std::size_t place, bool with_state) noexcept;

/// Prepares a process before its first record. After a fork the parent's chunks don't belong to this process.
bool introduce_process() noexcept {
  ++generation;
  for (Seat& seat : seats) {
    seat.live = nullptr;
    seat.taken.store(0, std::memory_order_relaxed);
  }
  if (header->dictionary.load(std::memory_order_acquire) == 0) {
    if (!write_dictionary()) {
      return false;
    }
    header->dictionary.store(1, std::memory_order_release);
  }
  for (std::size_t i = 0; generation > 1 && i < max_libraries && libraries[i].load(std::memory_order_relaxed) != nullptr; ++i) {
    write_library(i, false);  // those of the process that has forked this one
  }
  return write_command_line();
}

void stop(const char* doing) noexcept {
  if (!full.exchange(true)) {
    complain(doing, std::strerror(errno));
  }
}

/// Returns whether this process can record. One thread prepares the process; the others wait.
bool join() noexcept {
  std::uint32_t nobody = 0;
  if (presence->here.compare_exchange_strong(nobody, joining)) {
    if (!introduce_process()) {
      stop("can't write the trace");
    }
    presence->here.store(joined, std::memory_order_release);
  }
  while (presence->here.load(std::memory_order_acquire) != joined) {
    sched_yield();
  }
  return !full.load(std::memory_order_relaxed);
}

/// Returns the function called `symbol` in the library behind `handle`, or in its dependencies.
template <class Function>
Function function_in(void* handle, const char* symbol) noexcept {
  return reinterpret_cast<Function>(dlsym(handle, symbol));
}

/// Returns the library's number of threads, as it reports it; 0 if it doesn't. BLIS reports -1 for one thread unless more were requested.
long threads_of(void* handle) noexcept {
  for (const char* symbol : {"openblas_get_num_threads", "openblas_get_num_threads64_", "MKL_Get_Max_Threads"}) {
    if (const auto get = function_in<int (*)()>(handle, symbol)) {
      return get();
    }
  }
  if (const auto get = function_in<long (*)()>(handle, "bli_thread_get_num_threads")) {
    return get() < 1 ? 1 : get();
  }
  return 0;
}

/// Returns the kernels that a library has chosen for this CPU; nullptr if it doesn't report them.
const char* kernels_of(void* handle) noexcept {
  for (const char* symbol : {"openblas_get_corename", "openblas_get_corename64_"}) {
    if (const auto get = function_in<char* (*)()>(handle, symbol)) {
      return get();
    }
  }
  const auto query = function_in<int (*)()>(handle, "bli_arch_query_id");
  const auto name = function_in<const char* (*)(int)>(handle, "bli_arch_string");
  return query != nullptr && name != nullptr ? name(query()) : nullptr;
}

/// Writes the settings of the library in `file` before its first call.
void write_state(const link_map& object, const char* file) noexcept {
  const ObjectHandle handle(&object);
  if (handle.get() == nullptr) {
    return;
  }
  char text[protocol::trace_page - sizeof(protocol::ChunkHeader)];
  const long threads = threads_of(handle.get());
  const char* kernels = kernels_of(handle.get());
  int bytes = std::snprintf(text, sizeof text, "%s\n", kept_path(file).data());
  if (threads > 0 && bytes > 0 && static_cast<std::size_t>(bytes) < sizeof text) {
    bytes += std::snprintf(text + bytes, sizeof text - static_cast<std::size_t>(bytes), "threads %ld\n", threads);
  }
  if (kernels != nullptr && bytes > 0 && static_cast<std::size_t>(bytes) < sizeof text) {
    bytes += std::snprintf(text + bytes, sizeof text - static_cast<std::size_t>(bytes), "kernels %s\n", kernels);
  }
  if (bytes > 0 && static_cast<std::size_t>(bytes) < sizeof text) {
    append_text(protocol::ChunkKind::state, text, static_cast<std::size_t>(bytes));
  }
}

/// Returns the object's place in `libraries`, and whether it wasn't there before; max_libraries if there is no room for it.
std::size_t library_place_of(const link_map* object, bool& is_new) noexcept {
  is_new = false;
  for (std::size_t i = 0; i < max_libraries; ++i) {
    const link_map* there = nullptr;
    is_new = libraries[i].compare_exchange_strong(there, object);
    if (is_new || there == object) {
      return i;
    }
  }
  return max_libraries;
}

/// Returns the number of the library at this place of `libraries`; 0 if its records have no room for it.
std::uint8_t library_number(std::size_t place) noexcept {
  return place < protocol::max_numbered_libraries ? static_cast<std::uint8_t>(place + 1) : 0;
}

/// Writes the library at this place of `libraries`.
void write_library(std::size_t place, bool with_state) noexcept {
  const link_map* object = libraries[place].load(std::memory_order_relaxed);
  char resolved[PATH_MAX];
  const char* name = object->l_name[0] != '\0' ? object->l_name : "/proc/self/exe";
  const char* file = realpath(name, resolved) != nullptr ? resolved : name;
  append_path(protocol::ChunkKind::library, file, library_number(place));
  if (with_state) {
    write_state(*object, file);
  }
}

/// Writes the library that contains the routine at `definition`, and the BLAS behind a LAPACK, which is never called where a dry run skips
/// all calls of LAPACK. Returns the library's number.
std::uint8_t note_library(const void* definition) noexcept {
  const link_map* object = header != nullptr ? object_of(definition) : nullptr;
  bool is_new = false;
  const std::size_t place = object != nullptr ? library_place_of(object, is_new) : max_libraries;
  if (is_new) {
    write_library(place, true);
    const ObjectHandle handle(object);
    const void* blas = handle.get() != nullptr ? routine_behind(handle.get()) : nullptr;
    if (blas != nullptr && object_of(blas) != own_object) {
      note_library(blas);
    }
  }
  return library_number(place);
}

/// Watches the call that is about to begin, unless it is within another one.
void watch_outermost_call() noexcept {
  if (thread.frame == nullptr) {
    watch_call();
  }
}

/// Maps the file's header. Without it nothing is recorded.
void open_trace(const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  const int file = length < sizeof path ? open(name, O_RDWR | O_CLOEXEC) : -1;
  struct stat status {};
  const bool whole = file >= 0 && fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= protocol::trace_page;
  void* mapped = whole ? mmap(nullptr, protocol::trace_page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0) {
    close(file);
  }
  void* page = mmap(nullptr, protocol::trace_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || page == MAP_FAILED || madvise(page, protocol::trace_page, MADV_WIPEONFORK) != 0 ||
      pthread_key_create(&thread_end, stand_up) != 0) {
    complain(name, std::strerror(errno));
    return;
  }
  auto* opened = static_cast<protocol::FileHeader*>(mapped);
  if (std::memcmp(opened->magic, protocol::trace_magic, sizeof protocol::trace_magic) != 0 || opened->version != protocol::trace_version) {
    complain(name, "isn't a recording of this version of flopcast");
    return;
  }
  std::memcpy(path, name, length + 1);
  settings.counter = opened->counter != 0;
  settings.origin = opened->origin;
  presence = static_cast<Presence*>(page);
  header = opened;
  header->processes.fetch_add(1, std::memory_order_relaxed);
}

void open_dry_run(const char* library) noexcept {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const auto open = handle != nullptr ? reinterpret_cast<OpenDryRun>(dlsym(handle, open_dry_run_symbol)) : nullptr;
  if (open == nullptr || !open(&dry_run)) {
    std::fprintf(stderr, "flopcast: the dry run can't skip calls: %s\n", open == nullptr ? dlerror() : "the catalogue can't be read");
    return;
  }
  settings.dry_run = true;
}

/// Numbers of the routines plus 1, in a hash table by name; 0: free.
constinit std::uint16_t numbers[8192]{};

/// Returns "dgemm" for "dgemm_", and "cblas_dgemm" unchanged.
std::string_view routine_name(const char* symbol) noexcept { return routine_symbol(symbol).routine; }

/// Returns the slot of a routine in `numbers`, or the free one for it.
std::size_t number_place(std::string_view routine) noexcept {
  std::size_t place = fnv_hash_32(routine) % std::size(numbers);
  while (numbers[place] != 0 && routine_name(intercepted[numbers[place] - 1].symbol) != routine) {
    place = (place + 1) % std::size(numbers);
  }
  return place;
}

const char* own_symbol(const RoutineSymbol& routine) noexcept {
  const std::uint16_t number = numbers[number_place(routine.routine)];
  return number != 0 ? intercepted[number - 1].symbol : nullptr;
}

void number_routines() noexcept {
  for (std::uint32_t i = 0; i < intercepted_count; ++i) {
    std::uint16_t& number = numbers[number_place(routine_name(intercepted[i].symbol))];
    number = number != 0 ? number : static_cast<std::uint16_t>(i + 1);
  }
}

[[gnu::constructor]] void start() noexcept {
  if (const char* name = std::getenv(protocol::trace_variable)) {
    const Unnoticed unnoticed;
    open_trace(name);
  }
  if (header != nullptr) {
    const Unnoticed unnoticed;
    number_routines();
    own_object = object_of(reinterpret_cast<const void*>(&note_library));
    redirect_calls(own_symbol, {locked_deep, locked_apart});
    if (header->probed != 0) {
      start_probes(kept_path);
    }
  }
  if (const char* library = std::getenv(protocol::dry_run_variable); library != nullptr && header != nullptr) {
    open_dry_run(library);
  }
}

void note_unseen(const link_map& definer) noexcept {
  char resolved[PATH_MAX];
  if (realpath(definer.l_name, resolved) != nullptr) {
    append_path(protocol::ChunkKind::unseen, resolved);
  }
}

/// Writes the libraries with routines, in a process in which no call was seen.
void note_unseen_libraries() noexcept {
  void* program = dlopen(nullptr, RTLD_LAZY);
  const link_map* object = nullptr;
  if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) {
    return;
  }
  for (; object != nullptr; object = object->l_next) {
    void* handle = object != own_object && object->l_name[0] != '\0' ? dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    const void* routine = handle != nullptr ? routine_behind(handle) : nullptr;
    if (routine != nullptr && object_of(routine) == object) {
      note_unseen(*object);
    }
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
  if (const link_map* definer = blas_in_other_namespace()) {
    note_unseen(*definer);
  }
}

[[gnu::destructor]] void finish() noexcept {
  if (header != nullptr) {
    on_own_stack([] {
      const Unnoticed unnoticed;
      write_probes([](const char* text, std::size_t bytes) { append_text(protocol::ChunkKind::probes, text, bytes); });
      if (presence->here.load() == 0) {
        note_unseen_libraries();
      }
      add_waiting_of_threads();
    });
  }
}

}  // namespace

std::uint8_t examine(std::uint32_t routine, const std::byte* arguments, std::uint64_t start, std::uint64_t duration) noexcept {
  note_watched_call(start);
  const Intercepted& one = intercepted[routine];
  const bool has_nan = one.result_count > 0 &&
                       has_nan_on_border(one.results, one.result_count, arguments, std::strchr(one.layout, 'l') != nullptr, duration);
  return has_nan ? protocol::nan_result : 0;
}

bool make_room(std::size_t bytes) noexcept {
  if (header == nullptr) {
    return false;
  }
  const bool written = on_own_stack([bytes] {
    const Unnoticed unnoticed;
    const bool done = join() && (thread.live == nullptr || thread.generation != generation
                                     ? sit_down()
                                     : static_cast<std::size_t>(thread.end - thread.at) >= bytes || seal(*thread.live, thread.live->live));
    if (!done) {
      stop("can't write the trace");
    }
    return done;
  });
  if (!written) {
    header->dropped.fetch_add(1, std::memory_order_relaxed);
    thread.at = thread.end = nullptr;
    thread.live = nullptr;
    return false;
  }
  if (static_cast<std::size_t>(thread.end - thread.at) < bytes) {
    thread.at = reinterpret_cast<std::byte*>(thread.live + 1);
  }
  return true;
}

Definition find_definition(std::uint32_t routine, const void* caller) noexcept {
  if (const std::uint64_t known = found_for_callers.find(routine, caller)) {
    return unpacked(known);
  }
  const Definition found = on_own_stack([routine, caller] {
    const Unnoticed unnoticed;
    const char* symbol = intercepted[routine].symbol;
    const NextSymbol next = required_symbol(symbol, caller);
    const Unrecorded unrecorded(__builtin_frame_address(0));
    const int integer_bytes = integer_bytes_at(next.address, routine_symbol(symbol));
    const Definition definition = {next.address, integer_bytes == 8, note_library(next.address)};
    if (next.for_all) {
      definitions[routine].store(packed(definition), std::memory_order_relaxed);
    } else {
      found_for_callers.remember(routine, caller, packed(definition));
    }
    return definition;
  });
  watch_outermost_call();
  return found;
}

Definition definition_behind(Redirected& trampoline) noexcept {
  if (trampoline.width.load(std::memory_order_relaxed) == 0) {
    on_own_stack([&trampoline] {
      const Unnoticed unnoticed;
      const Unrecorded unrecorded(__builtin_frame_address(0));
      trampoline.library.store(note_library(trampoline.definition), std::memory_order_relaxed);
      integer_bytes_of(trampoline);
    });
    watch_outermost_call();
  }
  return {trampoline.definition, integer_bytes_of(trampoline) == 8, trampoline.library.load(std::memory_order_relaxed)};
}

protocol::Treatment decide(std::uint32_t routine, const std::byte* arguments, double (&value)[2]) noexcept {
  const int integer_bytes = std::strchr(intercepted[routine].layout, 'l') != nullptr ? 8 : 4;
  return on_own_stack([&] { return dry_run.decide(intercepted[routine].symbol, integer_bytes, arguments, value); });
}

protocol::Treatment decide_unnamed(const UnnamedWords& words, const UnnamedCall& call) noexcept {
  constexpr std::size_t in_registers = sizeof words.first / sizeof(void*);
  void* all[in_registers + UnnamedCall::stack_words];
  std::memcpy(all, words.first, sizeof words.first);
  std::memcpy(all + in_registers, call.stack, sizeof call.stack);
  return on_own_stack([&all] { return dry_run.decide_unnamed(all, std::size(all)); });
}

namespace {

/// Returns whether the word at `address` can be read. The system reads it before it refuses the request for another reason.
[[maybe_unused]] bool is_readable(const void* address) noexcept {
  constexpr long no_such_change = -1, set_bytes = 8;
  const int error = errno;
  const bool readable = syscall(SYS_rt_sigprocmask, no_such_change, address, nullptr, set_bytes) == 0 || errno != EFAULT;
  errno = error;
  return readable;
}

/// Copies the words above a frame. A program may call a routine with few arguments at the very end of its stack.
void copy_stack([[maybe_unused]] const void* frame, void* (&words)[UnnamedCall::stack_words]) noexcept {
#if defined(__x86_64__)  // on other machines the words come as arguments
  constexpr std::uintptr_t page = 4096;
  auto* const first = static_cast<void* const*>(frame) + 2;
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t next_page = (begin + page - 1) / page * page;
  std::size_t bytes = sizeof words;
  if (begin + sizeof words > next_page && !is_readable(reinterpret_cast<const void*>(next_page))) {
    bytes = next_page - begin;
    std::memset(words, 0, sizeof words);
  }
  std::memcpy(words, first, bytes);
#else
  std::memset(words, 0, sizeof words);
#endif
}

}  // namespace

void* begin(UnnamedCall& call, std::uint32_t routine, const UnnamedWords& words, const void* caller) noexcept {
  const Definition next = definition(routine, caller);
  copy_stack(words.frame, call.stack);
  auto* recording = new (call.recording) RecordedCall(routine, next.library, sizeof(protocol::RecordHeader), words.frame, caller);
  if (*recording) {
    recording->start_unnamed(words, call);
  }
  return next.address;
}

void finish(UnnamedCall& call) noexcept { reinterpret_cast<RecordedCall*>(call.recording)->finish(); }

}  // namespace flopcast::preload
