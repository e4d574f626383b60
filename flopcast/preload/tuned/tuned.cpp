#include "flopcast/preload/tuned/tuned.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "flopcast/core/routine.hpp"
#include "flopcast/preload/common/buffer_lock.hpp"
#include "flopcast/preload/common/caller_table.hpp"
#include "flopcast/preload/common/fortran_text.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/common/other_namespaces.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/preload/common/redirect.hpp"
#include "flopcast/preload/common/workspace.hpp"
#include "flopcast/preload/tuned/thread_choice.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/protocol/borrowed_name.hpp"
#include "flopcast/protocol/run_report.hpp"

namespace flopcast::preload {

constinit thread_local StubCall workspace{};

const char* workspace_stub(std::string_view routine) noexcept {
  static constexpr std::string_view before = "flopcast_workspace_";
  for (std::size_t i = 0; i < workspace_stub_count; ++i) {
    if (routine == workspace_stubs[i] + before.size()) {
      return workspace_stubs[i];
    }
  }
  return nullptr;
}

namespace {

// LAPACK's integers may have 32 or 64 bits. Only the lower halves are read, and the answers fit both widths.
using Ilaenv = FortranInteger (*)(const std::int32_t* ispec, const char* name, const char* opts, const std::int32_t* n1,
                                  const std::int32_t* n2, const std::int32_t* n3, const std::int32_t* n4, std::size_t name_length,
                                  std::size_t opts_length);

/// Values of ilaenv's ISPEC.
enum : std::int32_t { ispec_nb = 1, ispec_nbmin = 2, ispec_nx = 3 };

/// Block parameters that the process itself has set.
struct Override {
  protocol::RoutineName name;
  std::atomic<bool> set;
  std::atomic<std::int32_t> nb, nbmin, nx;
  std::atomic<std::uint64_t> queries;
};

// Global, because a preloaded library has no caller that could pass these to ilaenv_. They are written by start(), before other code of the
// process runs, or are atomic.
constinit protocol::BlockTable table{};
constinit protocol::RunReport own_report{};
constinit protocol::RunReport* report = &own_report;
constinit Override overrides[protocol::max_tuned_routines]{};
constinit std::atomic<std::size_t> override_count{};
constinit std::atomic<Ilaenv> real_ilaenv{};    ///< the library's function for all callers
constinit CallerTable<8> ilaenv_for_callers{};  ///< functions of libraries that only their own callers see
constinit std::atomic<bool> complained{};

void complain_once(const char* what) noexcept {
  if (!complained.exchange(true)) {
    on_own_stack([what] { std::fprintf(stderr, "flopcast: %s\n", what); });
  }
}

/// Returns the symbol that intercepts `routine`. Calls of tuned routines are intercepted because of their workspaces, those of other
/// routines because of their threads.
const char* own_symbol(const RoutineSymbol& routine) noexcept {
  if (routine.routine == "ilaenv") {
    return "ilaenv_";
  }
  if (const char* stub = thread_stub(routine.routine)) {
    return stub;
  }
  const protocol::RoutineName name = protocol::routine_name(routine.routine.data(), routine.routine.size());
  return protocol::find_with_other_options(table, name) != nullptr ? workspace_stub(routine.routine) : nullptr;
}

/// Maps the file that `flopcast run` reads. Without the file the counts stay in this process.
void open_report(const char* path) noexcept {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return;  // the program outlives `flopcast run`, which has removed the file
  }
  struct stat status {};
  const bool whole = fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= sizeof(protocol::RunReport);
  void* mapped = whole ? mmap(nullptr, sizeof(protocol::RunReport), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (mapped != MAP_FAILED) {
    report = static_cast<protocol::RunReport*>(mapped);
  }
}

[[gnu::constructor]] void start() noexcept {
  if (const char* path = std::getenv(protocol::report_variable)) {
    open_report(path);
  }
  report->processes.fetch_add(1, std::memory_order_relaxed);
  if (const char* blocks = std::getenv(protocol::blocks_variable); blocks != nullptr && !protocol::parse(blocks, table)) {
    complain_once("FLOPCAST_BLOCKS is damaged; LAPACK uses its own block sizes");
  }
  if (!read_thread_table(&report->threads)) {
    complain_once("FLOPCAST_THREAD_TABLE is damaged; BLAS uses as many threads as the program sets");
  }
  if (std::getenv(protocol::blocks_variable) != nullptr) {  // only if preloaded into a program, which keeps the library to its end
    redirect_calls(own_symbol, {locked_deep, locked_apart});
  }
}

void set_once(protocol::SharedPath& path, const char* text) noexcept {
  if (text != nullptr && path.taken.load(std::memory_order_relaxed) == 0 && path.taken.exchange(1) == 0) {
    std::strncpy(path.text, text, protocol::SharedPath::length - 1);
  }
}

const char* file_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : nullptr;
}

/// Returns the file of the loaded object that defines `routine`, under any known name; nullptr if none does.
const char* definer_of(const char* routine) noexcept {
  const void* address = any_routine(routine);
  return address != nullptr ? file_of(address) : nullptr;
}

/// Converts a padded LAPACK name to the routine's: "DGEQRF          " to "dgeqrf".
void routine_of(const protocol::RoutineName& name, char (&routine)[protocol::RoutineName::length + 1]) noexcept {
  std::size_t length = 0;
  for (; length < protocol::RoutineName::length && name.letters[length] != ' '; ++length) {
    const char c = name.letters[length];
    routine[length] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  routine[length] = '\0';
}

/// Completes the report of this process.
void conclude() noexcept {
  report->concluded.fetch_add(1, std::memory_order_relaxed);
  set_once(report->blas, definer_of("dgemm"));
  if (const link_map* definer = blas_in_other_namespace()) {
    set_once(report->blas, definer->l_name);
  }
  for (std::size_t i = 0; i < table.count; ++i) {
    char routine[protocol::RoutineName::length + 1];
    routine_of(table.routines[i].name, routine);
    set_once(report->routines[i].definer, definer_of(routine));
    if (std::getenv(protocol::verbose_variable) != nullptr) {
      std::fprintf(stderr, "flopcast: process %d: the block size of %s was queried %llu times\n", getpid(), routine,
                   static_cast<unsigned long long>(report->routines[i].queries.load()));
    }
  }
}

[[gnu::destructor]] void finish() noexcept { on_own_stack(conclude); }

Override* find_override(const protocol::RoutineName& name) noexcept {
  const std::size_t count = override_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (overrides[i].name == name) {
      return &overrides[i];
    }
  }
  return nullptr;
}

void raise_to(std::atomic<std::uint32_t>& largest, std::uint32_t value) noexcept {
  std::uint32_t known = largest.load(std::memory_order_relaxed);
  while (value > known && !largest.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

void widen(protocol::RoutineReport& routine, std::int64_t m, std::int64_t n) noexcept {
  const auto order = static_cast<std::uint32_t>(n < 0 || m < n ? m : n);
  std::uint32_t smallest = routine.smallest.load(std::memory_order_relaxed);
  while ((smallest == 0 || order < smallest) && !routine.smallest.compare_exchange_weak(smallest, order, std::memory_order_relaxed)) {
  }
  raise_to(routine.largest, order);
}

/// Keeps the options of a query that no entry answers.
void set_once(protocol::SharedOptions& options, std::string_view text) noexcept {
  if (options.taken.load(std::memory_order_relaxed) == 0 && options.taken.exchange(1) == 0) {
    text.copy(options.text, protocol::SharedOptions::length - 1);
  }
}

/// Counts a query for the block size of a routine that the table knows with other options only.
void count_other_query(const protocol::RoutineName& name, std::string_view options) noexcept {
  if (const protocol::RoutineBlocks* routine = protocol::find_with_other_options(table, name)) {
    protocol::RoutineReport& counts = report->routines[routine - table.routines];
    counts.other_queries.fetch_add(1, std::memory_order_relaxed);
    set_once(counts.other_options, options);
  }
}

void count_query(const protocol::RoutineBlocks& routine, std::int64_t m, std::int64_t n, const void* caller) noexcept {
  protocol::RoutineReport& counts = report->routines[&routine - table.routines];
  counts.queries.fetch_add(1, std::memory_order_relaxed);
  widen(counts, m, n);
  if (counts.queried_by.taken.load(std::memory_order_relaxed) == 0) {
    on_own_stack([&counts, caller] { set_once(counts.queried_by, file_of(caller)); });
  }
}

/// Returns the index in borrowed_names of the routine that contains `caller`; their number if none does. Takes microseconds.
std::size_t borrower_at(const void* caller) noexcept {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_sname == nullptr) {
    return std::size(protocol::borrowed_names);
  }
  const std::string_view routine = routine_symbol(info.dli_sname).routine;
  std::size_t i = 0;
  while (i < std::size(protocol::borrowed_names) && (routine.empty() || routine.substr(1) != protocol::borrowed_names[i].routine)) {
    ++i;
  }
  return i;
}

/// Caches borrower_at() by address, because LAPACK's queries come from a few dozen places.
std::size_t borrower(const void* caller) noexcept {
  static constexpr std::size_t slots = 256;
  static constexpr std::uint64_t spread = 0x9E3779B97F4A7C15U;  // Fibonacci hashing: neighbouring addresses into distant slots
  static constexpr int hash_bits = 8, kept_bits = 8;
  static_assert(slots == 1U << hash_bits && std::size(protocol::borrowed_names) < (1U << kept_bits) - 1);
  static constinit std::atomic<std::uint64_t> kept[slots]{};  // address, then 1 + the answer; addresses of programs have 47 bits
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(caller));
  std::atomic<std::uint64_t>& slot = kept[(address * spread) >> (64 - hash_bits)];
  std::uint64_t word = slot.load(std::memory_order_relaxed);
  if (word >> kept_bits != address || word == 0) {
    word = address << kept_bits | (1 + on_own_stack([caller] { return borrower_at(caller); }));
    slot.store(word, std::memory_order_relaxed);
  }
  return static_cast<std::size_t>(word & ((1U << kept_bits) - 1)) - 1;
}

/// Returns the routine that makes the query: `name`, unless `caller` lies in a routine that borrows this name (DGEQP3 queries as DGEQRF).
protocol::RoutineName querying_routine(const protocol::RoutineName& name, const void* caller) noexcept {
  const auto is_lent = [&](const protocol::BorrowedName& borrowed) {
    const protocol::RoutineName lent = protocol::routine_name(borrowed.name.data(), borrowed.name.size());
    return std::memcmp(lent.letters, name.letters + 1, protocol::RoutineName::length - 1) == 0;
  };
  for (std::size_t i = 0; i < std::size(protocol::borrowed_names); ++i) {
    if (is_lent(protocol::borrowed_names[i]) && borrower(caller) == i) {
      char own[protocol::RoutineName::length] = {name.letters[0]};
      const std::string_view routine = protocol::borrowed_names[i].routine;
      routine.copy(own + 1, routine.size());
      return protocol::routine_name(own, routine.size() + 1);
    }
  }
  return name;
}

/// Returns the one of three parameters that query `ispec` asks for.
template <class Value>
const Value& asked(std::int32_t ispec, const Value& nb, const Value& nbmin, const Value& nx) noexcept {
  return ispec == ispec_nb ? nb : ispec == ispec_nbmin ? nbmin : nx;
}

/// A query for a block parameter.
struct Query {
  std::int32_t ispec;
  protocol::RoutineName name;
  std::string_view options;
  std::int32_t m, n;
};

/// An answer, and the reason why it is given. A negative one means that the library is to answer.
struct BlockAnswer {
  std::int32_t value;
  protocol::AnswerReason reason;
};

/// Returns the row of the report for the size of a query; nullptr if there is no room. Takes nanoseconds.
protocol::SizeReport* row_of(const Query& query) noexcept {
  static constexpr std::size_t max_probes = 16;
  static constexpr std::uint64_t spread = 0x9E3779B97F4A7C15U;  // Fibonacci hashing
  struct Key {
    protocol::RoutineName name;
    char options[protocol::SharedOptions::length];
    std::int32_t m, n;
  } key{query.name, {}, query.m, query.n};
  query.options.copy(key.options, sizeof key.options - 1);
  std::uint64_t words[sizeof key / sizeof(std::uint64_t)];
  static_assert(sizeof words == sizeof key);
  std::memcpy(words, &key, sizeof key);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * spread;
    hash ^= hash >> 32U;
  }
  for (std::size_t probe = 0; probe < max_probes; ++probe) {
    protocol::SizeReport& row = report->sizes[(hash + probe) % protocol::max_reported_sizes];
    std::uint32_t state = row.state.load(std::memory_order_acquire);
    if (state == protocol::SizeReport::free_row && row.state.compare_exchange_strong(state, protocol::SizeReport::being_written)) {
      row.name = key.name;
      std::memcpy(row.options, key.options, sizeof key.options);
      row.m = key.m;
      row.n = key.n;
      row.state.store(protocol::SizeReport::complete, std::memory_order_release);
      return &row;
    }
    if (state == protocol::SizeReport::complete && row.m == key.m && row.n == key.n && row.name == key.name &&
        std::memcmp(row.options, key.options, sizeof key.options) == 0) {
      return &row;
    }
  }
  return nullptr;
}

/// Counts an answer for `flopcast run`. LAPACK queries NBMIN only after it has found the workspace too short.
void count_answer(const Query& query, std::int32_t value, protocol::AnswerReason reason) noexcept {
  if (report == &own_report || query.ispec == ispec_nx) {
    return;
  }
  protocol::SizeReport* row = row_of(query);
  if (row == nullptr) {
    report->unlisted.fetch_add(query.ispec == ispec_nb ? 1 : 0, std::memory_order_relaxed);
  } else if (query.ispec == ispec_nbmin) {
    row->short_workspaces.fetch_add(1, std::memory_order_relaxed);
  } else {
    row->queries.fetch_add(1, std::memory_order_relaxed);
    row->answer.store(value, std::memory_order_relaxed);
    row->reason.store(reason, std::memory_order_relaxed);
  }
}

/// Returns the tuning file's answer to a query.
BlockAnswer tuned_answer(const Query& query, const void* caller) noexcept {
  const auto& [ispec, name, options, m, n] = query;
  if (Override* own = find_override(name); own != nullptr) {
    own->queries.fetch_add(ispec == ispec_nb ? 1 : 0, std::memory_order_relaxed);
    if (own->set.load(std::memory_order_acquire)) {
      return {asked(ispec, own->nb, own->nbmin, own->nx).load(std::memory_order_relaxed), protocol::AnswerReason::tuned};
    }
  }
  const protocol::RoutineBlocks* routine = protocol::find(table, name, options.data(), options.size());
  if (routine == nullptr) {
    if (ispec == ispec_nb) {
      count_other_query(name, options);
    }
    const bool has_others = protocol::find_with_other_options(table, name) != nullptr;
    return {-1, has_others ? protocol::AnswerReason::other_options : protocol::AnswerReason::lacking};
  }
  const protocol::BlockPoint* point = protocol::nearest(*routine, m, n);
  protocol::RoutineReport& counts = report->routines[routine - table.routines];
  if (ispec == ispec_nb) {
    count_query(*routine, m, n, caller);
    raise_to(counts.returned, point == nullptr ? 0 : static_cast<std::uint32_t>(point->nb));
  } else if (ispec == ispec_nbmin) {  // LAPACK queries this only after it has found the workspace too short
    counts.short_workspaces.fetch_add(1, std::memory_order_relaxed);
    if (workspace.routine != nullptr && protocol::routine_name(workspace.routine, std::strlen(workspace.routine)) == name) {
      workspace.short_for = &counts;
      workspace.returned = point == nullptr ? 0 : point->nb;
    }
  }
  return point == nullptr ? BlockAnswer{-1, protocol::AnswerReason::too_small}
                          : BlockAnswer{asked(ispec, point->nb, point->nbmin, point->nx), protocol::AnswerReason::tuned};
}

Ilaenv find_real(const void* caller) noexcept {
  if (Ilaenv real = real_ilaenv.load(std::memory_order_relaxed)) {
    return real;
  }
  if (const std::uint64_t known = ilaenv_for_callers.find(0, caller)) {
    return reinterpret_cast<Ilaenv>(static_cast<std::uintptr_t>(known));
  }
  const NextSymbol next = next_symbol("ilaenv_", caller);
  if (next.for_all) {
    real_ilaenv.store(reinterpret_cast<Ilaenv>(next.address), std::memory_order_relaxed);
  } else if (next.address != nullptr) {
    ilaenv_for_callers.remember(0, caller, reinterpret_cast<std::uintptr_t>(next.address));
  }
  return reinterpret_cast<Ilaenv>(next.address);
}

}  // namespace
}  // namespace flopcast::preload

extern "C" {

/// LAPACK's query for parameters of `name`. NB, NBMIN and NX (ispec 1, 2, 3) of tuned routines are answered here, all others by the library
/// itself.
[[gnu::visibility("default")]] flopcast::FortranInteger ilaenv_(const std::int32_t* ispec, const char* name, const char* opts,
                                                                const std::int32_t* n1, const std::int32_t* n2, const std::int32_t* n3,
                                                                const std::int32_t* n4, std::size_t name_length, std::size_t opts_length) {
  using namespace flopcast::preload;
  const Redirected* trampoline = entered();
  const void* caller = __builtin_return_address(0);
  if (*ispec == ispec_nb && workspace.probe > 0) [[unlikely]] {
    return workspace.probe;
  }
  const bool is_tunable = *ispec >= ispec_nb && *ispec <= ispec_nx;
  Query query{};
  BlockAnswer answer{};
  if (is_tunable) {
    const std::string_view letters = fortran_text(name, name_length, flopcast::protocol::RoutineName::length);
    const std::string_view options = fortran_text(opts, opts_length, flopcast::protocol::SharedOptions::length);
    const flopcast::protocol::RoutineName queried = flopcast::protocol::routine_name(letters.data(), letters.size());
    query = {*ispec, querying_routine(queried, caller), options, *n1, *n2};
    answer = tuned_answer(query, caller);
    if (answer.value >= 0) {
      count_answer(query, answer.value, answer.reason);
      return answer.value;
    }
  }
  const Ilaenv real = trampoline != nullptr ? reinterpret_cast<Ilaenv>(trampoline->definition) : find_real(caller);
  if (real == nullptr) {
    complain_once("no library behind the preloaded one defines ilaenv_; unblocked code is used");
    return 1;
  }
  const flopcast::FortranInteger returned = real(ispec, name, opts, n1, n2, n3, n4, name_length, opts_length);
  if (is_tunable) {
    count_answer(query, static_cast<std::int32_t>(returned), answer.reason);
  }
  return returned;
}

[[gnu::visibility("default")]] int flopcast_set_block(const char* routine, int nb, int nbmin, int nx) {
  using namespace flopcast::preload;
  const flopcast::protocol::RoutineName name = flopcast::protocol::routine_name(routine, std::strlen(routine));
  Override* own = find_override(name);
  if (own == nullptr) {
    const std::size_t count = override_count.load(std::memory_order_relaxed);
    if (count == flopcast::protocol::max_tuned_routines) {
      return -1;
    }
    own = &overrides[count];
    own->name = name;
    override_count.store(count + 1, std::memory_order_release);
  }
  own->nb = nb;
  own->nbmin = nbmin;
  own->nx = nx;
  own->set.store(true, std::memory_order_release);
  return 0;
}

[[gnu::visibility("default")]] void flopcast_clear_blocks() {
  using namespace flopcast::preload;
  for (std::size_t i = 0; i < override_count.load(); ++i) {
    overrides[i].set = false;
  }
}

[[gnu::visibility("default")]] unsigned long flopcast_queries(const char* routine) {
  using namespace flopcast::preload;
  const flopcast::protocol::RoutineName name = flopcast::protocol::routine_name(routine, std::strlen(routine));
  unsigned long sum = 0;
  if (const Override* own = find_override(name)) {
    sum += own->queries.load();
  }
  for (std::size_t i = 0; i < table.count; ++i) {
    sum += table.routines[i].name == name ? report->routines[i].queries.load() : 0;
  }
  return sum;
}
}
