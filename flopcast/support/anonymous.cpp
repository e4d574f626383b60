#include "flopcast/support/anonymous.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace flopcast {
namespace {

constexpr std::string_view quotes = "'\"`", before_path = " \t\n'\"`(=,:;<[", after_path = " \t\n'\"`),:;<>]";

/// Returns whether a path begins at the start of `rest`. A slash alone is a sign of division.
bool begins_path(std::string_view rest) {
  for (const std::string_view start : {"/", "./", "../", "~/"}) {
    if (rest.starts_with(start) && rest.size() > start.size() && after_path.find(rest[start.size()]) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Returns the length of the path at the start of `rest`. A path goes on behind a blank if the next word has a slash within, because
/// folders may have blanks in their names.
std::size_t path_length(std::string_view rest) {
  std::size_t end = std::min(rest.find_first_of(after_path), rest.size());
  while (end < rest.size() && rest[end] == ' ') {
    const std::size_t next = std::min(rest.find_first_of(after_path, end + 1), rest.size());
    if (rest.find('/', end + 1) >= next || begins_path(rest.substr(end + 1))) {
      break;
    }
    end = next;
  }
  return end;
}

void reduce(nlohmann::json& value) {
  if (value.is_string()) {
    value = without_paths(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (const auto& [name, member] : value.items()) {
      if (name == "command" && member.is_array() && !member.empty() && member.front().is_string()) {
        member = anonymous_command({member.front().get<std::string>()});
      } else if (name == "host") {
        member = "";
      } else {
        reduce(member);
      }
    }
  }
}

}  // namespace

std::vector<std::string> anonymous_command(const std::vector<std::string>& command) {
  return command.empty() ? std::vector<std::string>() : std::vector{std::string(file_name(command.front()))};
}

std::string without_paths(std::string_view text) {
  std::string reduced;
  for (std::size_t at = 0; at < text.size();) {
    const bool may_begin = at == 0 || before_path.find(text[at - 1]) != std::string_view::npos;
    if (!may_begin || !begins_path(text.substr(at))) {
      reduced += text[at++];
      continue;
    }
    const bool quoted = at > 0 && quotes.find(text[at - 1]) != std::string_view::npos;
    const std::size_t quote = quoted ? text.find(text[at - 1], at) : std::string_view::npos;
    const std::size_t length = quote != std::string_view::npos ? quote - at : path_length(text.substr(at));
    std::string_view path = text.substr(at, length);
    path.remove_suffix(path.size() > 1 && path.back() == '/' ? 1 : 0);  // a folder has a name, too
    const bool names_user = path.starts_with("/home/") && path.rfind('/') == std::string_view("/home").size();
    reduced += names_user ? "~" : anonymous_library(path);
    at += length;
  }
  return reduced;
}

std::string anonymous_json(std::string_view document) {
  nlohmann::json json = nlohmann::json::parse(document);
  reduce(json);
  return json.dump(2);
}

}  // namespace flopcast
