#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace flopcast::report {

/// Thrown when the reader of standard output has gone (`flopcast ... | head`), so that no message can be written.
class BrokenPipe : public std::runtime_error {
 public:
  BrokenPipe() : std::runtime_error("the reader of standard output has gone") {}
};

/// Writes `text` to `path`, "-" for standard output. A regular file is replaced as a whole or not at all: the text goes to a temporary file
/// beside it that is renamed when it is complete and on disk. Throws environment_error, BrokenPipe.
void write_file(const std::string& path, std::string_view text);

/// Throws environment_error if write_file(path, ...) would fail already for the directory that `path` is in: told before the work, not
/// after it.
void require_writable(const std::string& path);

/// All of `path`, "-" for standard input. Throws bad_input if it can't be read.
std::string read_file(const std::string& path);

/// Who writes documents of a kind: by hand a member is written twice now and then, of which a parser keeps the last without a word.
enum class WrittenBy { program, hand };

/// `path` as JSON. Throws bad_input naming the file and the position if it is cut off or no JSON; of one written by hand also if an object
/// has two members of one name.
nlohmann::json read_json(const std::string& path, WrittenBy author = WrittenBy::program);

/// The same, and its member "schema" must be `schema`, e.g. "flopcast-trace-1"; says so if a newer version wrote it.
nlohmann::json read_document(const std::string& path, std::string_view schema, WrittenBy author = WrittenBy::program);

}  // namespace flopcast::report
