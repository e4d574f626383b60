#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/thread_variables.hpp"
#include "flopcast/support/schema.hpp"

namespace flopcast::program {

constexpr const char* recording_document_name = "flopcast-program-trace-1";

/// The document in the file of a recording: what is known before the program starts (protocol/trace_format.hpp).
struct RecordingDocument {
  struct Machine {
    std::string cpu;
    int cores = 0;
    friend bool operator==(const Machine&, const Machine&) = default;
  };

  std::vector<std::string> command;
  std::string folder;  ///< in which the program was started
  bool dry_run = false;
  Machine machine;
  std::optional<int> threads;        ///< threads of BLAS that `flopcast record --threads` set
  ThreadVariables thread_variables;  ///< those of the program's environment
  friend bool operator==(const RecordingDocument&, const RecordingDocument&) = default;
};

/// Returns the document {"schema": "flopcast-program-trace-1", ...}. Bytes of the command that aren't UTF-8 are replaced.
std::string to_json(const RecordingDocument& document);
/// Returns the schema of the document.
PublishedSchema recording_document_schema();

}  // namespace flopcast::program
