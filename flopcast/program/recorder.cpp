#include "flopcast/program/recorder.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/work_size_overflow.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/library_links.hpp"
#include "flopcast/protocol/recorder_protocol.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/socket_bytes.hpp"

namespace flopcast::program {
namespace {

std::string_view text_of(const protocol::Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Starts the recording process with one end of `sockets`, which is closed here.
ChildProcess start_child(SocketPair& sockets, const LibraryLinks& links) {
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, "LD_LIBRARY_PATH", links.search_path(process::variable(environment, "LD_LIBRARY_PATH")));
  const std::filesystem::path program = find_component("flopcast-recorder");
  ChildSetup setup;
  setup.files = {{protocol::recorder_socket, sockets.theirs.get()}};
  ChildProcess child = ChildProcess::start(program, {program.string()}, std::move(environment), setup);
  sockets.theirs.close();
  return child;
}

/// The child process and the parent's end of the socket to it.
class Child {
 public:
  explicit Child(const LibraryFiles& files) : Child(LibraryLinks(files), make_socket_pair()) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  /// Sends a request and returns the reply; nothing if the child died.
  std::optional<protocol::Reply> exchange(const protocol::Request& request, protocol::Bytes& payload) {
    return send_bytes(socket_.get(), &request, sizeof request) ? protocol::receive_reply(socket_.get(), payload) : std::nullopt;
  }

  /// Lets the child end, which it does when the socket closes, and returns the words for how it ended.
  std::string end() noexcept {
    socket_.close();
    return process_.is_running() ? to_string(process_.wait()) : "ended";
  }

  [[nodiscard]] bool alive() const noexcept { return process_.is_running(); }
  [[nodiscard]] const LibraryFiles& loaded() const noexcept { return loaded_; }

 private:
  /// The links have to exist until the child has loaded the libraries.
  Child(const LibraryLinks& links, SocketPair sockets) : process_(start_child(sockets, links)), socket_(std::move(sockets.ours)) {
    greet();
  }

  /// Receives the first messages: the protocol's digest, then the files loaded or the reason why loading failed.
  void greet() {
    std::uint64_t digest = 0;
    if (receive_bytes(socket_.get(), &digest, sizeof digest) && digest != protocol::protocol_digest()) {
      throw environment_error("{} belongs to another version of flopcast", find_component("flopcast-recorder").string());
    }
    protocol::Bytes payload;
    const std::optional<protocol::Reply> reply = protocol::receive_reply(socket_.get(), payload);
    if (!reply) {
      throw environment_error("the recording process {} before it was ready", end());
    }
    if (reply->error != 0) {
      throw Error(static_cast<ExitCode>(reply->error), std::string(text_of(payload)));
    }
    const std::string_view files = text_of(payload);
    const std::size_t newline = files.find('\n');
    loaded_ = {files.substr(0, newline), files.substr(newline + 1)};
  }

  ChildProcess process_;
  Descriptor socket_;
  LibraryFiles loaded_;
};

protocol::Request request_for(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, protocol::Mode mode) {
  protocol::Request request;
  request.routine = static_cast<std::uint32_t>(call.routine - kernel::catalogue().data());
  request.mode = mode;
  request.has_blocks = blocks.has_value();
  request.blocks = blocks.value_or(algorithm::BlockParameters{});
  request.arguments = call.arguments;
  request.scalars = call.scalars;
  return request;
}

/// Throws the error that the child or the routine reports.
void require_accepted(const Call& call, const protocol::Reply& reply, const protocol::Bytes& payload) {
  if (reply.error != 0) {
    throw Error(static_cast<ExitCode>(reply.error), std::string(text_of(payload)));
  }
  if (reply.info < 0) {
    const auto argument = static_cast<std::size_t>(-reply.info - 1);
    Call made = call;
    made.integer_bytes = reply.integer_bytes;
    if (argument < call.routine->arguments.size() && call.routine->arguments[argument].kind == Kind::work_size &&
        kernel::overflowing_work_size(made)) {
      throw kernel::work_size_overflow(made);
    }
    const std::string name = argument < call.routine->arguments.size() ? call.routine->arguments[argument].name : "?";
    throw bad_input("{} refuses argument {} ({}) of {}", call.routine->name, argument + 1, name, to_string(call));
  }
}

/// Returns the call without the arguments that differ from one execution to the next.
Call without_places(Call call, bool keeps_work_sizes) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots || kind == Kind::info ||
        (kind == Kind::work_size && !keeps_work_sizes)) {
      call.arguments[i] = 0;
    }
  }
  return call;
}

/// Returns whether the call gives the size of its workspace.
bool has_work_size(const Call& call) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::work_size && call.arguments[i] > 0) {
      return true;
    }
  }
  return false;
}

void require_complete(const Call& call, const protocol::Reply& reply) {
  if (reply.info > 0) {
    throw unusable_measurement("{} stopped early with info = {}, so that its trace is incomplete", to_string(call), reply.info);
  }
  if (reply.dropped > 0) {
    throw unusable_measurement("the trace of {} is too long: {} calls found no room", to_string(call), reply.dropped);
  }
}

}  // namespace

struct Recorder::State {
  explicit State(LibraryFiles chosen) : files(std::move(chosen)), child(std::make_unique<Child>(files)) {}

  /// Sends one request and returns its reply. A child that died in an earlier request is replaced.
  protocol::Reply exchange(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, protocol::Mode mode,
                           protocol::Bytes& payload) {
    if (!child->alive()) {
      child = std::make_unique<Child>(files);
    }
    const std::optional<protocol::Reply> answer = child->exchange(request_for(call, blocks, mode), payload);
    if (!answer) {  // sizes that wrap around make LAPACK leave its workspace
      throw environment_error(
          "the recording process {} while recording {}{}", child->end(), to_string(call),
          kernel::overflowing_work_size(call) ? ". Its workspace may need more elements than 32-bit integers count" : "");
    }
    const protocol::Reply& reply = *answer;
    require_accepted(call, reply, payload);
    return reply;
  }

  LibraryFiles files;
  std::unique_ptr<Child> child;
};

Recorder::Recorder(const LibraryFiles& libraries) : state_(std::make_unique<State>(libraries)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

Trace Recorder::record(const Call& call, const std::optional<algorithm::BlockParameters>& blocks, protocol::Mode mode) {
  protocol::Bytes payload;
  const protocol::Reply reply = state_->exchange(call, blocks, mode, payload);
  require_complete(call, reply);
  Call made = call;
  made.arguments = reply.arguments;
  made.integer_bytes = reply.integer_bytes;
  Trace trace;
  trace.configuration = algorithm::configuration(made, reply.answers);
  if (reply.queries == 0) {  // the library chose block sizes itself: block parameters had no effect
    for (const char* unused : {"nb", "nbmin", "nx"}) {
      trace.configuration.parameters.erase(unused);
    }
  }
  Call placed = made;
  trace.allocations = algorithm::place_operands(placed);
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      trace.allocations[next++].address = made.address(i);
    }
  }
  protocol::DecodedCalls recorded = protocol::read_calls(payload);
  trace.calls = std::move(recorded.calls);
  for (Call& kernel : trace.calls) {
    kernel.threads = call.threads;
    kernel.integer_bytes = reply.integer_bytes;
  }
  if (mode == protocol::Mode::observe) {
    trace.measured = std::move(recorded.seconds);
  }
  make_virtual(trace);
  return trace;
}

Call Recorder::with_work_sizes(const Call& call) {
  protocol::Bytes payload;
  const protocol::Reply reply = state_->exchange(call, std::nullopt, protocol::Mode::only_sizes, payload);
  Call sized = call;
  sized.integer_bytes = reply.integer_bytes;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::work_size) {
      sized.arguments[i] = reply.arguments[i];
    }
  }
  return sized;
}

std::optional<protocol::BlockSizeQuery> Recorder::block_size_query(const Call& call) {
  protocol::Bytes payload;
  const protocol::Reply reply = state_->exchange(call, std::nullopt, protocol::Mode::skip, payload);
  if (reply.queries == 0) {
    return std::nullopt;
  }
  return protocol::BlockSizeQuery{reply.options.data(), reply.query_m, reply.query_n, reply.answers};
}

std::vector<TunableCall> Recorder::tunable_calls(const Call& call) {
  std::vector<TunableCall> tunable;
  std::vector<Call> seen;
  add_tunable_calls(call, has_work_size(call), seen, tunable);
  return tunable;
}

void Recorder::add_tunable_calls(const Call& call, bool keeps_work_sizes, std::vector<Call>& seen, std::vector<TunableCall>& tunable) {
  if (std::find(seen.begin(), seen.end(), call) != seen.end()) {
    return;
  }
  seen.push_back(call);
  if (std::optional<protocol::BlockSizeQuery> own = block_size_query(call)) {
    tunable.push_back({call, std::move(*own)});
    return;
  }
  Trace trace;
  try {
    trace = record(call, std::nullopt);
  } catch (const Error& error) {  // an unblocked routine that stops at a recording's data makes no queries
    if (error.code() != ExitCode::unusable_measurement) {
      throw;
    }
  }
  for (const Call& part : trace.calls) {
    if (part.routine != call.routine && part.routine->index("info") >= 0) {  // routines that can't fail make no queries: BLAS, larfb
      add_tunable_calls(without_places(part, keeps_work_sizes), keeps_work_sizes, seen, tunable);
    }
  }
}

const LibraryFiles& Recorder::loaded() const { return state_->child->loaded(); }

}  // namespace flopcast::program
