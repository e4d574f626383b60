#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/program/recorded_run.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast::program {

/// Variables of the environment by which users set the threads of a BLAS, with their values: {"BLIS_NUM_THREADS", "2"}.
using ThreadVariables = std::map<std::string, std::string>;

/// Returns those that are set in an environment of "NAME=VALUE".
ThreadVariables thread_variables(const std::vector<std::string>& environment);

/// Returns the threads that `blas`, a name or path, takes with these variables: by its own ones, else by OMP_NUM_THREADS. Returns nothing if
/// they don't say.
std::optional<int> threads_by(const ThreadVariables& variables, std::string_view blas);

constexpr const char* recording_document_name = "flopcast-program-trace-1";

/// The document in the file of a recording: what is known before the program starts (protocol/trace_format.hpp).
struct RecordingDocument {
  std::vector<std::string> command;
  std::string folder;  ///< in which the program was started
  bool dry_run = false;
  RecordedMachine machine;
  std::optional<int> threads;        ///< threads of BLAS that `flopcast record --threads` set
  ThreadVariables thread_variables;  ///< those of the program's environment
  friend bool operator==(const RecordingDocument&, const RecordingDocument&) = default;
};

/// Returns the document {"schema": "flopcast-program-trace-1", ...}. Bytes of the command that aren't UTF-8 are replaced.
std::string to_json(const RecordingDocument& document);
/// Reads the document from its text; `name` names it in messages. Throws bad_input if it is damaged.
RecordingDocument recording_document_from_json(std::string_view text, const std::string& name);
/// Returns the schema of the document.
PublishedSchema recording_document_schema();

}  // namespace flopcast::program
