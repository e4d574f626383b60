#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/program/component.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/ask/request.hpp"

namespace flopcast {
namespace {

constexpr int interrupted = 130, terminated = 143;

/// Passes the lines that the program wrote on standard error to the context, without the program's name. The last one is skipped if the
/// program failed, since the answer has that message.
void pass_remarks(const std::string& text, bool failed, const RunContext& context) {
  constexpr std::string_view own = "flopcast: ";
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (failed && lines[i].starts_with(own)) {
      return;
    }
    context.note(lines[i]);
  }
}

ExitStatus waited(ChildProcess& child, const RunContext& context) {
  constexpr Seconds poll = 0.05;
  bool told = false;
  while (true) {
    if (const std::optional<ExitStatus> status = child.wait_for(poll)) {
      return *status;
    }
    if (!told && context.cancelled()) {
      child.send(SIGINT);
      told = true;
    }
  }
}

std::string contents_or_nothing(const std::string& file) {
  std::error_code none;
  return std::filesystem::exists(file, none) ? read_file(file) : std::string();
}

/// Returns the answer, or throws the error that stands in its place.
std::string checked_answer(std::string answer, const std::string& remarks, const ExitStatus& status) {
  if (status.code() == interrupted || status.code() == terminated) {
    throw Cancelled("interrupted; samples are kept; ask again to go on");
  }
  if (answer.empty()) {
    throw environment_error("the program flopcast gave no answer: it {}{}", to_string(status),
                            remarks.empty() ? "" : ". It said: " + remarks);
  }
  if (status.code() != 0) {
    const nlohmann::json document = parse_json(answer, "the program's answer");
    if (member_or(document, "schema", "") == "flopcast-error-1") {
      throw Error(static_cast<ExitCode>(member_or(document, "exit_code", static_cast<int>(ExitCode::internal))),
                  member<std::string>(document, "message"));
    }
  }
  return answer;
}

}  // namespace

std::string ask_program(const machine::LibraryChoice& libraries, std::string_view question, const RunContext& context) {
  const std::filesystem::path program = program::find_flopcast_program();
  const ScratchFolder folder;
  const std::string asked = folder.write("question.json", request_with_libraries(question, libraries));
  const std::string answer = folder.file("answer.json"), said = folder.write("remarks", "");
  const Descriptor remarks(::open(said.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  std::vector<std::string> words = {"flopcast", "ask", asked, "--output", answer};
  std::vector<std::string> environment = process::current_environment();
  ChildSetup setup;
  setup.on_parent_end = SIGTERM;
  if (shows_program(question)) {
    words.emplace_back("--quiet");  // standard error is the program's
  } else {
    setup.files = {{STDERR_FILENO, remarks.get()}};
    process::set_variable(environment, "COLUMNS", "");  // a remark stays on one line
  }
  ChildProcess child = ChildProcess::start(program, std::move(words), std::move(environment), setup);
  const ExitStatus status = waited(child, context);
  const std::string text = read_file(said);
  pass_remarks(text, status.code() != 0, context);
  return checked_answer(contents_or_nothing(answer), text, status);
}

}  // namespace flopcast
