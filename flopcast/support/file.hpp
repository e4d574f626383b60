#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "flopcast/support/json.hpp"

namespace flopcast {

/// Thrown when the reader of standard output has gone (`flopcast ... | head`), so that no message can be written.
class BrokenPipe : public std::runtime_error {
 public:
  BrokenPipe() : std::runtime_error("the reader of standard output has gone") {}
};

/// Writes `text` to `path`, "-" for standard output. A regular file is replaced as a whole or not at all, however the process ends, and so
/// is the file behind a symbolic link. Pipes, devices and open files (/dev/stdout) are written to. Throws environment_error, BrokenPipe.
void write_file(const std::string& path, std::string_view text);

/// Throws environment_error if write_file(path, ...) would fail because of the directory of `path`, so that the user learns it before the
/// work.
void require_writable(const std::string& path);

/// Returns the contents of `path`, "-" for standard input. Throws bad_input if it can't be read.
std::string read_file(const std::string& path);

/// Returns a text that changes with the file and its contents; empty if there is no such file.
std::string file_identity(const std::string& path);

/// Returns `path` as JSON. Throws bad_input, which names the file and the position or member, as parse_json does.
nlohmann::json read_json(const std::string& path, WrittenBy author = WrittenBy::program);

/// Reads a document whose member "schema" must be `schema`, e.g. "flopcast-trace-1". The error says so if a newer version wrote it.
nlohmann::json read_document(const std::string& path, std::string_view schema, WrittenBy author = WrittenBy::program);

}  // namespace flopcast
