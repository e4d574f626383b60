#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/exit_codes.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/ask/ask.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(A request is an object with one member: the name of a command, with the command's members as value. The member "workbench" may
name libraries and threads. 'flopcast schema request' describes the requests of all commands; the answer is the document that the command
writes with --json. An error is answered by {"schema": "flopcast-error-1", "exit_code": ..., "message": ...}. Standard output has the
answer alone: what a program that is run writes there goes to standard error.

Examples:
  flopcast ask '{"tune": {"routine": "dgeqrf", "n": [200, 300], "time_budget": 2}}'
  flopcast ask '{"workbench": {"threads": 1}, "predict": {"routine": "dpotrf", "n": 90}}'
  flopcast ask '{"contract_list": {"expression": "ai,i->a", "sizes": {"a": 99, "i": 8}}}'
  flopcast schema request)";

struct AskCommand {
  std::string request;
  machine::LibraryChoice libraries;
};

/// Returns the request's text: the word itself, or the contents of the file that it names.
std::string text_of(const std::string& request) {
  const std::size_t begin = request.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && request[begin] == '{' ? request : read_file(request);
}

/// Sends what this process and the programs that it runs write on standard output to standard error, so that the answer stands alone.
class OutputAsRemarks {
 public:
  OutputAsRemarks() : output_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) {
    if (output_.get() >= 0) {
      ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }
  }
  OutputAsRemarks(const OutputAsRemarks&) = delete;
  OutputAsRemarks& operator=(const OutputAsRemarks&) = delete;
  ~OutputAsRemarks() {
    static_cast<void>(std::fflush(stdout));
    if (output_.get() >= 0) {
      ::dup2(output_.get(), STDOUT_FILENO);
    }
  }

 private:
  Descriptor output_;
};

std::string answer_to(const AskCommand& command, const CommonOptions& common) {
  std::optional<OutputAsRemarks> remarks;
  if (common.output == "-") {
    remarks.emplace();
  }
  const std::string request = text_of(command.request);
  const Workbench bench(request_libraries(request, command.libraries), run_context(common));
  return ask(bench, request, run_context(common));
}

void run_ask(const AskCommand& command, CommonOptions& common) {
  if (common.csv) {
    throw usage_error("answers are JSON documents, which --csv can't hold");
  }
  common.json = true;
  try {
    emit(answer_to(command, common) + '\n', common);
    throw_if_interrupted("the answer has what was complete by then, and samples are kept");
  } catch (const Cancelled&) {
    throw;
  } catch (const BrokenPipe&) {
    throw;
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    common.exit_code = static_cast<int>(error.code());
    emit(error_document(*common.exit_code, error.what()) + '\n', common);
    if (!common.quiet) {
      throw error;
    }
  }
}

}  // namespace

void add_ask_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<AskCommand>();
  OptionSet command = app.add_command("ask", "Run any command for a program: request and answer in JSON");
  command.option("request", options->request, "The request, or a file with it; - is standard input").required().placeholder("REQUEST");
  add_library_options(command, options->libraries);
  command.footer(footer);
  command.action([options, &common] { run_ask(*options, common); });
}

}  // namespace flopcast::cli
