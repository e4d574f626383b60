#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/routine.hpp"
#include "flopcast/core/work_size.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/kernel/work_size_overflow.hpp"
#include "flopcast/preload/record/record.hpp"
#include "flopcast/protocol/recorder_protocol.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/socket_bytes.hpp"

/// The recording process. The recording library is loaded before the BLAS and LAPACK that LD_LIBRARY_PATH names. The process serves
/// requests until the socket closes.
namespace flopcast::preload {
namespace {

/// The libraries as a program linked with -llapack -lblas sees them.
class RecorderLibraries {
 public:
  RecorderLibraries() : lapack_(open("liblapack.so.3")), blas_(open("libblas.so.3")) {}

  /// Returns LAPACK's symbol, else BLAS's; nullptr if neither has it.
  [[nodiscard]] void* find(const char* symbol) const {
    void* found = dlsym(lapack_, symbol);
    return found != nullptr ? found : dlsym(blas_, symbol);
  }

  /// Returns the bytes of the libraries' integers, 4 or 8.
  [[nodiscard]] int integer_bytes() const noexcept { return integer_bytes_; }

  /// Returns the file that defines `symbol`.
  [[nodiscard]] std::string file_of(const char* symbol) const {
    void* address = find(symbol);
    Dl_info info;
    if (address == nullptr || dladdr(address, &info) == 0) {
      throw bad_input("neither of the libraries in {} defines {}", std::getenv("LD_LIBRARY_PATH"), symbol);
    }
    std::error_code none;
    const std::filesystem::path resolved = std::filesystem::canonical(info.dli_fname, none);
    return none ? info.dli_fname : resolved.string();
  }

 private:
  static void* open(const char* name) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
      throw environment_error("can't load {}: {}", name, dlerror());
    }
    return handle;
  }

  void* lapack_;
  void* blas_;
  int integer_bytes_ = flopcast::integer_bytes([this](const char* symbol) { return find(symbol); }, "", "_") == 8 ? 8 : 4;
};

/// Address space for one operand. It takes no memory until it is touched, and the page behind it is inaccessible.
class OperandMemory {
 public:
  explicit OperandMemory(std::int64_t bytes) : bytes_((static_cast<std::size_t>(bytes) / page + 1) * page) {
    address_ = mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address_ == MAP_FAILED) {
      throw environment_error("can't reserve {} bytes of address space: {}", bytes, std::strerror(errno));
    }
    mprotect(static_cast<std::byte*>(address_) + bytes_, page, PROT_NONE);
  }
  OperandMemory(OperandMemory&& other) noexcept : bytes_(other.bytes_), address_(std::exchange(other.address_, nullptr)) {}
  OperandMemory& operator=(OperandMemory&&) = delete;
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;
  ~OperandMemory() {
    if (address_ != nullptr) {
      munmap(address_, bytes_ + page);
    }
  }

  [[nodiscard]] std::int64_t address() const noexcept { return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address_)); }

 private:
  static constexpr std::size_t page = 4096;
  std::size_t bytes_;
  void* address_ = nullptr;
};

std::vector<OperandMemory> place_operands(Call& call) {
  std::vector<OperandMemory> memory;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      memory.emplace_back(span_elements(call, i) * argument_element_bytes(call, i));
      call.arguments[i] = memory.back().address();
    }
  }
  return memory;
}

/// Sets the diagonals of triangles that are factored, inverted or solved with to 1.
void set_diagonals(const Call& call) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind != Kind::data || argument.form != Form::triangle || argument.stride < 0) {
      continue;
    }
    const std::int64_t step = (call.arguments[static_cast<std::size_t>(argument.stride)] + 1) * argument_element_bytes(call, i);
    for (std::int64_t k = 0; k < argument.rows.integer(call.values()); ++k) {
      void* element = reinterpret_cast<void*>(call.address(i) + static_cast<std::uintptr_t>(k * step));
      real_bytes(call.routine->precision) == 4 ? void(*static_cast<float*>(element) = 1) : void(*static_cast<double*>(element) = 1);
    }
  }
}

/// Replaces work sizes of 0 by the sizes that the routine returns for -1. Returns the info of a query that was refused; else 0.
std::int32_t size_workspaces(kernel::Function function, Call& call) {
  std::int32_t refused = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind != Kind::work_size || call.arguments[i] > 0) {
      continue;
    }
    Call query = call;
    query.arguments[i] = -1;
    std::array<std::array<double, 2>, Call::max_arguments> answers{};  // one each: real, complex and integer sizes are queried together
    for (std::size_t a = 0; a < query.routine->arguments.size(); ++a) {
      if (is_operand(query.routine->arguments[a])) {
        query.arguments[a] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(answers.at(a).data()));
      }
    }
    kernel::Invocation invocation(function, query);
    invocation.run();
    refused = std::min(refused, static_cast<std::int32_t>(invocation.outcome().info));
    const void* const answer = answers.at(i - 1).data();
    const bool integer = call.routine->arguments[i - 1].integer;
    const std::int64_t elements = integer                                    ? *static_cast<const std::int32_t*>(answer)
                                  : real_bytes(call.routine->precision) == 4 ? answered_elements(*static_cast<const float*>(answer))
                                                                             : answered_elements(*static_cast<const double*>(answer));
    if (kernel::has_wrapped_around(call, i, elements)) {
      throw kernel::work_size_overflow(call);
    }
    const std::int64_t most = call.integer_bytes == 8 ? elements : std::numeric_limits<std::int32_t>::max();
    call.arguments[i] = std::max<std::int64_t>(1, std::min(elements, most));
  }
  return refused;
}

Call call_of(const protocol::Request& request, int integer_bytes) {
  Call call;
  call.integer_bytes = integer_bytes;
  call.routine = &kernel::catalogue().at(request.routine);
  call.arguments = request.arguments;
  call.scalars = request.scalars;
  return call;
}

/// Executes a call and leaves its recording active.
void observe(kernel::Invocation& invocation, const Call& call, const RecordOptions& options) {
  constexpr std::uint64_t seed = 1;
  kernel::fill(call, seed);
  invocation.run();  // lets the library start its threads and buffers
  kernel::fill(call, seed);
  start_recording(options);
  invocation.run();
}

/// Makes given reflectors different from the identity, because LAPACK tests their tau.
void set_factors(const Call& call) {
  Call vectors = call;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (is_operand(argument) && (argument.fill != Fill::factors || argument.form != Form::vector)) {
      vectors.arguments[i] = 0;
    }
  }
  kernel::fill(vectors, 1);
}

/// Makes a call with skipped kernels and leaves its recording active. Where LAPACK stops at a zero on a diagonal, the call is repeated with
/// ones there, which costs a page of memory per column.
void skip(kernel::Invocation& invocation, const Call& call, const RecordOptions& options) {
  set_factors(call);
  start_recording(options);
  invocation.run();
  if (invocation.outcome().info > 0) {
    set_diagonals(call);
    start_recording(options);
    invocation.run();
  }
}

/// Records one call. The recorded kernels go to `calls`.
protocol::Reply serve(const RecorderLibraries& libraries, const protocol::Request& request, protocol::Bytes& calls) {
  Call call = call_of(request, libraries.integer_bytes());
  const auto function = reinterpret_cast<kernel::Function>(libraries.find((call.routine->name + "_").c_str()));
  if (function == nullptr) {
    throw environment_error("{} has no {}", libraries.file_of("dgemm_"), call.routine->name);
  }
  const RecordOptions options = {.mode = request.mode,
                                 .routine = call.routine->name,
                                 .blocks = request.has_blocks ? std::optional(request.blocks) : std::nullopt,
                                 .integer_bytes = call.integer_bytes};
  start_recording(options);
  const std::int32_t refused = size_workspaces(function, call);
  stop_recording();
  if (request.mode == protocol::Mode::only_sizes) {
    return {.info = refused, .integer_bytes = call.integer_bytes, .arguments = call.arguments};
  }
  const std::vector<OperandMemory> memory = place_operands(call);
  kernel::Invocation invocation(function, call);
  if (request.mode == protocol::Mode::observe) {
    observe(invocation, call, options);
  } else {
    skip(invocation, call, options);
  }
  KernelRecording recording = stop_recording();
  calls = std::move(recording.calls);
  return {.info = invocation.outcome().info,
          .integer_bytes = call.integer_bytes,
          .dropped = recording.dropped,
          .queries = recording.queries,
          .answers = recording.answers,
          .options = recording.options,
          .query_m = recording.query_m,
          .query_n = recording.query_n,
          .arguments = call.arguments};
}

bool reply_error(const Error& error) {
  const std::string_view text = error.what();
  return protocol::send_reply(protocol::recorder_socket, {.error = static_cast<std::int32_t>(error.code())},
                              std::as_bytes(std::span(text)));
}

bool answer(const RecorderLibraries& libraries, const protocol::Request& request) {
  try {
    protocol::Bytes calls;
    const protocol::Reply reply = serve(libraries, request, calls);
    return protocol::send_reply(protocol::recorder_socket, reply, calls);
  } catch (const Error& error) {
    return reply_error(error);
  } catch (const std::exception& error) {
    return reply_error(internal_error("the recording process failed: {}", error.what()));
  }
}

void run() try {
  const std::uint64_t digest = protocol::protocol_digest();
  if (!send_bytes(protocol::recorder_socket, &digest, sizeof digest)) {
    return;
  }
  const RecorderLibraries libraries;
  set_next([&libraries](const char* symbol) { return libraries.find(symbol); });
  const std::string files = libraries.file_of("dgemm_") + "\n" + libraries.file_of("dgeqrf_");
  if (!protocol::send_reply(protocol::recorder_socket, {}, std::as_bytes(std::span(files)))) {
    return;
  }
  protocol::Request request;
  while (receive_bytes(protocol::recorder_socket, &request, sizeof request) && answer(libraries, request)) {
  }
} catch (const Error& error) {
  reply_error(error);
}

}  // namespace
}  // namespace flopcast::preload

int main() {
  signal(SIGINT, SIG_IGN);  // Ctrl-C is handled by the parent, which closes the socket
  flopcast::preload::run();
  return 0;
}
