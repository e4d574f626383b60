
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/elf_file.hpp"
#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {
namespace {

/// Returns the threads that OpenBLAS starts: as the variables say that it reads, else one per core.
int threads_of_openblas() {
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* value = std::getenv(name);
    if (const int threads = value != nullptr ? std::atoi(value) : 0; threads > 0) {
      return threads;
    }
  }
  return detect_topology().usable_cores;
}

/// Returns why the system refuses so many further threads at the same time; empty if it grants them.
std::string why_no_threads(int count) {
  std::mutex all_started;
  std::unique_lock waiting(all_started);
  std::vector<std::thread> threads;
  std::string reason;
  try {
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&all_started] { const std::lock_guard wait(all_started); });
    }
  } catch (const std::system_error& error) {
    reason = error.code().message();
  }
  waiting.unlock();
  for (std::thread& thread : threads) {
    thread.join();
  }
  return reason;
}

bool is_openblas(const std::filesystem::path& path) {
  const ElfFile file(path);
  return file.defines("openblas_get_config") || file.defines("openblas_get_config64_");
}

/// Throws environment_error unless there is address space for the library's file and buffers of so many bytes.
void require_address_space(const std::filesystem::path& path, std::size_t buffers) {
  std::error_code none;
  const std::size_t bytes = buffers + std::filesystem::file_size(path, none);
  void* const mapped = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw environment_error(
        "{} needs {} of address space for its buffers, and would wait for them for ever; there isn't so much (ulimit -v)", path.string(),
        format_bytes(static_cast<double>(buffers)));
  }
  munmap(mapped, bytes);
}

/// Loads the library in a child process, which the system ends where loading takes much longer than usual. The child has less address space
/// than this process, so that the load succeeds here, too.
void try_to_load(const std::filesystem::path& path, const std::function<void()>& load) {
  constexpr rlim_t cpu_seconds = 1;  // loading takes some hundredths
  constexpr Seconds limit = 20;
  constexpr std::size_t spare_bytes = std::size_t{16} << 20U;
  const auto loaded = [&load] {
    const rlimit end = {cpu_seconds, cpu_seconds + 1};
    setrlimit(RLIMIT_CPU, &end);
    mmap(nullptr, spare_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    load();
    return nlohmann::json();
  };
  try {
    in_child(loaded, limit);
  } catch (const Error& error) {
    const std::string reason = error.what();
    const bool waits = reason.find(strsignal(SIGXCPU)) != std::string::npos;
    throw environment_error("{} can't be loaded in the address space that is left (ulimit -v): {}", path.string(),
                            waits ? "it would wait for its buffers for ever" : "in a trial it " + reason);
  }
}

}  // namespace

void require_room_for(const std::filesystem::path& path, const std::function<void()>& load) {
  if (!is_openblas(path)) {
    return;
  }
  const int threads = has_one_thread(path.string()) ? 1 : threads_of_openblas();
  if (const std::string reason = why_no_threads(threads - 1); !reason.empty()) {
    throw environment_error("{} starts {}, which the system refuses: {} (ulimit -u or -v). OPENBLAS_NUM_THREADS=1 does without",
                            path.string(), counted(threads - 1, "further thread"), reason);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    constexpr std::size_t buffer_bytes = std::size_t{160} << 20U;
    require_address_space(path, buffer_bytes * static_cast<std::size_t>(threads));
    try_to_load(path, load);
  }
}

}  // namespace flopcast::machine
