// The changes of an environment in the languages of shells.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/program_environment.hpp"

namespace flopcast {
namespace {

using Action = ProgramEnvironment::Action;
using Change = ProgramEnvironment::Change;

/// Returns `text` with every character of `special` replaced by what `replacement` gives.
template <class Replacement>
std::string escaped(std::string_view text, std::string_view special, Replacement replacement) {
  std::string result;
  for (const char c : text) {
    result += special.find(c) != std::string_view::npos ? replacement(c) : std::string(1, c);
  }
  return result;
}

/// POSIX: nothing is special between single quotes but the quote itself.
std::string sh_quoted(std::string_view text) {
  return '\'' + escaped(text, "'", [](char) { return std::string("'\\''"); }) + '\'';
}

/// csh also replaces !, even between single quotes, and has no way to quote a line break that survives eval.
std::string csh_quoted(const Change& change) {
  if (change.value.find('\n') != std::string::npos) {
    throw bad_input("the value of {} has a line break, which csh can't take. Use another shell, or 'flopcast run'", change.name);
  }
  return '\'' + escaped(change.value, "'!", [](char c) { return c == '!' ? std::string("\\!") : std::string("'\\''"); }) + '\'';
}

/// fish: a backslash and a single quote have a backslash before them.
std::string fish_quoted(std::string_view text) {
  return '\'' + escaped(text, "\\'", [](char c) { return std::string("\\") + c; }) + '\'';
}

std::string lua_quoted(std::string_view text) {
  return '"' + escaped(text, "\\\"\n\r", [](char c) { return c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string("\\") + c; }) + '"';
}

std::string sh_line(const Change& change) {
  const std::string value = sh_quoted(change.value);
  const std::string& name = change.name;
  switch (change.action) {
    case Action::assign: return fmt::format("export {}={}\n", name, value);
    case Action::suggest: return fmt::format("[ -n \"${{{0}:-}}\" ] || export {0}={1}\n", name, value);
    case Action::prepend: break;
  }
  return fmt::format("case \":${{{0}:-}}:\" in *:{1}:*) ;; *) export {0}={1}\"${{{0}:+:${0}}}\" ;; esac\n", name, value);
}

/// One command per line, since eval joins the lines to one. csh expands a variable before it looks at a condition on the same line.
std::string csh_line(const Change& change) {
  const std::string value = csh_quoted(change);
  const std::string& name = change.name;
  if (change.action == Action::assign) {
    return fmt::format("setenv {} {};\n", name, value);
  }
  const std::string set_if_empty = fmt::format("if ( ! $?{0} ) setenv {0} '';\nif ( \"${0}\" == '' ) setenv {0} {1};\n", name, value);
  if (change.action == Action::suggest) {
    return set_if_empty;
  }
  return set_if_empty + fmt::format("if ( \":${{{0}}}:\" !~ *:{1}:* ) setenv {0} {1}\":${0}\";\n", name, value);
}

std::string fish_line(const Change& change) {
  const std::string value = fish_quoted(change.value);
  const std::string& name = change.name;
  switch (change.action) {
    case Action::assign: return fmt::format("set -gx {} {};\n", name, value);
    case Action::suggest: return fmt::format("test -n \"${0}\"; or set -gx {0} {1};\n", name, value);
    case Action::prepend: break;
  }
  return fmt::format(
      "if test -z \"${0}\"; set -gx {0} {1}; else if not string match -q -- '*:'{1}':*' \":${0}:\"; set -gx {0} {1}\":${0}\"; end;\n", name,
      value);
}

/// pushenv gives a variable its value of before when the module is unloaded.
std::string lmod_line(const Change& change) {
  const char* function = change.action == Action::prepend ? "prepend_path" : "pushenv";
  return fmt::format("{}({}, {})\n", function, lua_quoted(change.name), lua_quoted(change.value));
}

std::string line(const Change& change, EnvironmentFormat format) {
  switch (format) {
    case EnvironmentFormat::sh: return sh_line(change);
    case EnvironmentFormat::csh: return csh_line(change);
    case EnvironmentFormat::fish: return fish_line(change);
    case EnvironmentFormat::lmod: break;
  }
  return lmod_line(change);
}

}  // namespace

EnvironmentFormat parse_environment_format(std::string_view name) {
  for (const auto& [known, format] :
       {std::pair(std::string_view("sh"), EnvironmentFormat::sh), std::pair(std::string_view("csh"), EnvironmentFormat::csh),
        std::pair(std::string_view("fish"), EnvironmentFormat::fish), std::pair(std::string_view("lmod"), EnvironmentFormat::lmod)}) {
    if (name == known) {
      return format;
    }
  }
  throw bad_input("there is no format '{}' of environments; expected sh, csh, fish or lmod", name);
}

std::string to_text(const ProgramEnvironment& environment, EnvironmentFormat format) {
  std::string text;
  for (const Change& change : environment.changes) {
    text += line(change, format);
  }
  return text;
}

}  // namespace flopcast
