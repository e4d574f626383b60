#include "flopcast/roofline/gemm_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/machine/caches/arena.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/socket_bytes.hpp"

namespace flopcast::roofline {
namespace {

template <class Real>
using Gemm = void (*)(const char* transa, const char* transb, const int* m, const int* n, const int* k, const Real* alpha, const Real* a,
                      const int* lda, const Real* b, const int* ldb, const Real* beta, Real* c, const int* ldc, std::size_t, std::size_t);

struct GemmRequest {
  GemmShape shape;
  std::int64_t warm_calls = 0, calls = 0;
};

bool send_text(int socket, const std::string& text) {
  const std::uint64_t bytes = text.size();
  return send_bytes(socket, &bytes, sizeof bytes) && send_bytes(socket, text.data(), text.size());
}

bool receive_text(int socket, std::string& text) {
  std::uint64_t bytes = 0;
  if (!receive_bytes(socket, &bytes, sizeof bytes)) {
    return false;
  }
  text.resize(bytes);
  return receive_bytes(socket, text.data(), bytes);
}

/// Sets the threads' CPUs and the environment variables, before the library is loaded.
void prepare(const GemmSetup& setup) {
  if (!setup.cpus.empty()) {
    machine::pin_this_thread(setup.cpus);  // threads that the library starts inherit these CPUs
  }
  for (const auto& [name, value] : setup.settings) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  ::setenv("OMP_PROC_BIND", setup.affinity == machine::Affinity::close ? "close" : "spread", 0);
  ::setenv("OMP_NUM_THREADS", fmt::format("{}", setup.threads).c_str(), 1);
}

/// The library and its operands: alpha = 1 and beta = 0, as in Tørring et al. 2021, and leading dimensions equal to the rows.
template <class Real>
class LoadedGemm {
 public:
  explicit LoadedGemm(const GemmSetup& setup)
      : library_(machine::Library::open(setup.library)), gemm_(find(library_, setup.routine)), memory_(reserve(setup.elements)) {
    library_.set_threads(setup.threads);
    auto* values = reinterpret_cast<Real*>(memory_.data());
    for (std::int64_t i = 0; i < setup.elements; ++i) {
      values[i] =
          static_cast<Real>(0.5 + 1e-3 * static_cast<double>(i % 997));  // normal numbers with many digits; sums stay far from overflow
    }
  }

  [[nodiscard]] const LibraryIdentity& identity() const { return library_.identity(); }

  Seconds time(const GemmRequest& request) const {
    for (std::int64_t i = 0; i < request.warm_calls; ++i) {
      run(request.shape);
    }
    const std::int64_t start = clock_.ticks();
    for (std::int64_t i = 0; i < request.calls; ++i) {
      run(request.shape);
    }
    return clock_.seconds(clock_.ticks() - start) / static_cast<double>(request.calls);
  }

 private:
  static Gemm<Real> find(const machine::Library& library, const std::string& routine) {
    const machine::Function function = library.function(routine);
    if (function == nullptr) {
      throw environment_error("{} has no {}", library.identity().path, routine);
    }
    return reinterpret_cast<Gemm<Real>>(function);
  }
  static std::int64_t reserve(std::int64_t elements) {
    const std::int64_t bytes = static_cast<std::int64_t>(sizeof(Real)) * elements, available = measure::available_memory_bytes();
    if (bytes > available) {
      throw bad_input("the largest matrices of the space need {}, but only {} of memory are available",
                      format_bytes(static_cast<double>(bytes)), format_bytes(static_cast<double>(available)));
    }
    return bytes;
  }
  void run(const GemmShape& shape) const {
    static constexpr Real one = 1, zero = 0;
    const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n), k = static_cast<int>(shape.k);
    auto* c = reinterpret_cast<Real*>(memory_.data());
    const Real *a = c + shape.m * shape.n, *b = a + shape.m * shape.k;
    gemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m, 1, 1);
  }

  machine::Library library_;
  Gemm<Real> gemm_;
  machine::Arena memory_;
  machine::WallClock clock_;
};

/// Answers requests until the parent process ends.
template <class Real>
void answer(int socket, const LoadedGemm<Real>& gemm) {
  if (!send_text(socket, nlohmann::json{{"library", gemm.identity()}}.dump())) {
    return;
  }
  for (GemmRequest request; receive_bytes(socket, &request, sizeof request);) {
    const Seconds seconds = gemm.time(request);
    if (!send_bytes(socket, &seconds, sizeof seconds)) {
      return;
    }
  }
}

void serve(int socket, const GemmSetup& setup) {
  try {
    prepare(setup);
    if (setup.routine == "sgemm") {
      answer(socket, LoadedGemm<float>(setup));
    } else {
      answer(socket, LoadedGemm<double>(setup));
    }
  } catch (const Error& error) {
    send_text(socket, nlohmann::json{{"error", error.what()}, {"code", static_cast<int>(error.code())}}.dump());
  } catch (const std::exception& error) {
    send_text(socket, nlohmann::json{{"error", error.what()}, {"code", static_cast<int>(ExitCode::environment)}}.dump());
  }
}

ChildProcess start_child(SocketPair& sockets, const GemmSetup& setup) {
  ChildSetup child;
  child.silent = true;              // the library's prints are no output of flopcast
  child.ignores_interrupts = true;  // Ctrl-C, or the end of a batch job, reaches the whole process group
  child.on_parent_end = SIGKILL;
  return ChildProcess::fork(
      [&] {
        sockets.ours.close();
        serve(sockets.theirs.get(), setup);
        return 0;
      },
      child);
}

}  // namespace

GemmProcess::GemmProcess(const GemmSetup& setup) : GemmProcess(setup, make_socket_pair()) {}

GemmProcess::GemmProcess(const GemmSetup& setup, SocketPair sockets)
    : routine_(setup.routine), child_(start_child(sockets, setup)), socket_(std::move(sockets.ours)) {
  sockets.theirs.close();
  std::string text;
  const nlohmann::json greeting = receive_text(socket_.get(), text) ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
  if (!greeting.is_object()) {
    throw environment_error("{} crashed when it was loaded", setup.library);
  }
  if (greeting.contains("error")) {
    throw Error(static_cast<ExitCode>(greeting.at("code").get<int>()), greeting.at("error").get<std::string>());
  }
  greeting.at("library").get_to(library_);
}

Seconds GemmProcess::time(const GemmShape& shape, std::int64_t warm_calls, std::int64_t calls) {
  const GemmRequest request{shape, warm_calls, calls};
  Seconds seconds = 0;
  if (!send_bytes(socket_.get(), &request, sizeof request) || !receive_bytes(socket_.get(), &seconds, sizeof seconds)) {
    throw environment_error("{} of {} crashed at {}", routine_, library_.path, to_string(shape));
  }
  return seconds;
}

Seconds time_once(GemmProcess& process, const GemmShape& shape, int threads, const GemmTiming& timing) {
  const Seconds guess = shape.flops() / (timing.expected_flops * threads);
  const auto most =
      static_cast<std::int64_t>(timing.batch / guess);  // at the expected rate, which tiny shapes and slow libraries don't reach
  const Seconds first = process.time(shape, guess < timing.warm_up_below ? 1 : 0, 1);
  const auto calls = std::min(most, static_cast<std::int64_t>(timing.batch / first));
  return calls > 1 ? process.time(shape, 0, calls) : first;
}

}  // namespace flopcast::roofline
