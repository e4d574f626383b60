#include "flopcast/report/result_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "flopcast/report/page.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::report {
namespace {

/// Documents are objects of JSON, whose first character is a brace.
bool is_markup(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return begin != std::string_view::npos && text[begin] == '<';
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_results(const std::string& file) {
  const std::string name = file == "-" ? "standard input" : file;
  std::string text = read_file(file);
  if (!is_markup(text)) {
    return {{name, std::move(text)}};
  }
  std::vector<std::pair<std::string, std::string>> documents;
  try {
    documents = embedded_documents(text);
  } catch (const Error& error) {
    throw bad_input("{}: {}", name, error.what());
  }
  if (documents.empty()) {
    throw bad_input("{} is no page of flopcast: it embeds no document", name);
  }
  for (auto& [own, json] : documents) {
    own = documents.size() > 1 ? fmt::format("{}: {}", name, own) : name;
  }
  return documents;
}

std::string read_result(const std::string& file) {
  std::vector<std::pair<std::string, std::string>> documents = read_results(file);
  if (documents.size() > 1) {
    throw bad_input("{} is a page about {} documents; expected one document", file, documents.size());
  }
  return std::move(documents.front().second);
}

}  // namespace flopcast::report
