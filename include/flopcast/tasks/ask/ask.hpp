#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/workbench/workbench.hpp"

/// Every job of flopcast by one door: a question as a JSON document gets the job's result as a JSON document. A question names one job and
/// gives the job's request: {"tune": {"routine": "dgeqrf", "n": [1000, 2000]}}. schema("question") describes all questions.
namespace flopcast {

/// A job that a question can name.
struct JobDescription {
  std::string name;          ///< "tune"
  std::string summary;       ///< "Choose the block size of a LAPACK routine without running it"
  std::string answer;        ///< schema of its result: "flopcast-tune-3"
  bool own_process = false;  ///< the job measures, preloads or loads libraries, so that programs ask by ask_program()
};
/// Returns all jobs.
std::vector<JobDescription> jobs();

/// Answers a question in this process with the tools of `bench`. Throws bad_input that names the member and the expectation for a document
/// that is no question, and what the job throws.
std::string ask(const Workbench& bench, std::string_view question, const RunContext& context = {});

/// Returns the libraries that the member "workbench" of a question names; `otherwise` holds for those that it doesn't name. Throws
/// bad_input as ask().
machine::LibraryChoice question_libraries(std::string_view question, const machine::LibraryChoice& otherwise = {});

/// Answers a question by the program flopcast, which is found beside flopcast's components. The program's remarks go to the context's
/// note. Throws the program's error with its message, environment_error if there is no such program, Cancelled.
std::string ask_program(const machine::LibraryChoice& libraries, std::string_view question, const RunContext& context = {});

/// Returns whether the question's job is done by the program flopcast (JobDescription::own_process). Throws bad_input as ask().
bool needs_own_process(std::string_view question);

/// A failed question's answer: {"schema": "flopcast-error-1", "exit_code": 3, "message": "..."}.
std::string error_document(int exit_code, const std::string& message);

/// A published JSON Schema (draft 2020-12).
struct SchemaTitle {
  std::string name;   ///< "flopcast-tune-3", which is the document's member "schema"; "flopcast-question-1"
  std::string title;  ///< one line on the document
};
/// Returns the schemas of all documents that flopcast takes or gives, by name.
std::vector<SchemaTitle> schemas();
/// Returns a schema as a document. `name` is a schema's name, with or without "flopcast-" and the number at its end. Throws bad_input with
/// the nearest names for an unknown one.
std::string schema(std::string_view name);

}  // namespace flopcast
