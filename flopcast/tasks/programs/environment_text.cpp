// The changes of an environment in the languages of shells.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "flopcast/support/error.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast {
namespace {

using VariableAction = ProgramEnvironment::VariableAction;
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
std::string sh_quoted(const Change& change) { return shell_quoted(change.value); }

/// csh also replaces !, even between single quotes, and has no way to quote a line break that survives eval.
std::string csh_quoted(const Change& change) {
  if (change.value.find('\n') != std::string::npos) {
    throw bad_input("the value of {} has a line break, which csh can't take. Use another shell, or 'flopcast run'", change.name);
  }
  return '\'' + escaped(change.value, "'!", [](char c) { return c == '!' ? std::string("\\!") : std::string("'\\''"); }) + '\'';
}

/// fish: a backslash and a single quote have a backslash before them.
std::string fish_quoted(const Change& change) {
  return '\'' + escaped(change.value, "\\'", [](char c) { return std::string("\\") + c; }) + '\'';
}

std::string lua_quoted(std::string_view text) {
  return '"' + escaped(text, "\\\"\n\r", [](char c) { return c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string("\\") + c; }) + '"';
}
std::string lmod_quoted(const Change& change) { return lua_quoted(change.value); }

/// A language and its commands for each action, where {0} is the name of the variable, {1} the quoted value, and {2} the name in quotes of Lua.
struct ShellLanguage {
  std::string_view name;
  EnvironmentFormat format;
  std::string (*quoted)(const Change& change);
  const char *assign, *suggest, *prepend;
};

/// csh gets one command per line, since eval joins the lines to one, and expands a variable before it looks at a condition on the same line.
/// pushenv of Lmod gives a variable its value of before when the module is unloaded.
constexpr ShellLanguage languages[] = {
    {"sh", EnvironmentFormat::sh, sh_quoted, "export {0}={1}\n", "[ -n \"${{{0}:-}}\" ] || export {0}={1}\n",
     "case \":${{{0}:-}}:\" in *:{1}:*) ;; *) export {0}={1}\"${{{0}:+:${0}}}\" ;; esac\n"},
    {"csh", EnvironmentFormat::csh, csh_quoted, "setenv {0} {1};\n",
     "if ( ! $?{0} ) setenv {0} '';\nif ( \"${0}\" == '' ) setenv {0} {1};\n",
     "if ( ! $?{0} ) setenv {0} '';\nif ( \"${0}\" == '' ) setenv {0} {1};\n"
     "if ( \":${{{0}}}:\" !~ *:{1}:* ) setenv {0} {1}\":${0}\";\n"},
    {"fish", EnvironmentFormat::fish, fish_quoted, "set -gx {0} {1};\n", "test -n \"${0}\"; or set -gx {0} {1};\n",
     "if test -z \"${0}\"; set -gx {0} {1}; else if not string match -q -- '*:'{1}':*' \":${0}:\"; set -gx {0} {1}\":${0}\"; end;\n"},
    {"lmod", EnvironmentFormat::lmod, lmod_quoted, "pushenv({2}, {1})\n", "pushenv({2}, {1})\n", "prepend_path({2}, {1})\n"}};

}  // namespace

EnvironmentFormat parse_environment_format(std::string_view name) {
  for (const ShellLanguage& language : languages) {
    if (language.name == name) {
      return language.format;
    }
  }
  throw bad_input("there is no format '{}' of environments; expected sh, csh, fish or lmod", name);
}

std::string to_text(const ProgramEnvironment& environment, EnvironmentFormat format) {
  const ShellLanguage& language = languages[static_cast<std::size_t>(format)];
  std::string text;
  for (const Change& change : environment.changes) {
    const char* command = change.action == VariableAction::assign    ? language.assign
                          : change.action == VariableAction::suggest ? language.suggest
                                                                     : language.prepend;
    text += fmt::format(fmt::runtime(command), change.name, language.quoted(change), lua_quoted(change.name));
  }
  return text;
}

}  // namespace flopcast
