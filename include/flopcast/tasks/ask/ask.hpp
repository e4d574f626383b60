#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/workbench.hpp"

/// One interface to every command of flopcast: a request as a JSON document is answered by the command's result as a JSON document. A
/// request names one command and gives the command's members: {"tune": {"routine": "dgeqrf", "n": [1000, 2000]}}. schema("request")
/// describes all requests.
namespace flopcast {

/// A command that a request can name.
struct CommandSummary {
  std::string name;          ///< "tune"
  std::string summary;       ///< "Choose the block size of a LAPACK routine without running it"
  std::string answer;        ///< schema of its result: "flopcast-tune-3"
  bool own_process = false;  ///< the command measures, preloads or loads libraries, so that programs ask by ask_program()
};
/// Returns all commands.
std::vector<CommandSummary> commands();

/// Answers a request in this process with the tools of `bench`. Throws bad_input that names the member and the expectation for a document
/// that is no request, and the errors of the command.
std::string ask(const Workbench& bench, std::string_view request, const RunContext& context = {});

/// Returns the libraries that the member "workbench" of a request names; `otherwise` holds for those that it doesn't name. Throws
/// bad_input as ask().
machine::LibraryChoice request_libraries(std::string_view request, const machine::LibraryChoice& otherwise = {});

/// Answers a request by the program flopcast, which is found beside flopcast's components. The program's remarks go to the context's
/// note. Throws the program's error with its message, environment_error if there is no such program, Cancelled.
std::string ask_program(const machine::LibraryChoice& libraries, std::string_view request, const RunContext& context = {});

/// Returns whether the request's command is run by the program flopcast (CommandSummary::own_process). Throws bad_input as ask().
bool needs_own_process(std::string_view request);

/// A failed request's answer: {"schema": "flopcast-error-1", "exit_code": 3, "message": "..."}.
std::string error_document(int exit_code, const std::string& message);

/// A published JSON Schema (draft 2020-12).
struct SchemaTitle {
  std::string name;   ///< "flopcast-tune-3", which is the document's member "schema"; "flopcast-request-1"
  std::string title;  ///< one line on the document
};
/// Returns the schemas of all documents that flopcast takes or gives, by name.
std::vector<SchemaTitle> schemas();
/// Returns a schema as a document. `name` is a schema's name, with or without "flopcast-" and the number at its end. Throws bad_input with
/// the nearest names for an unknown one.
std::string schema(std::string_view name);

}  // namespace flopcast
