#include "flopcast/tasks/ask/ask.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/ask/request.hpp"

namespace flopcast {

template <>
Fields FieldTable<machine::LibraryChoice>::fields() {
  return {optional_field<&T::blas>("name or path of the BLAS; empty: the default one").within(bounds::path_or_nothing),
          optional_field<&T::lapack>("name or path of the LAPACK; empty: the default one").within(bounds::path_or_nothing),
          optional_field<&T::threads>("threads of BLAS").within(bounds::threads),
          optional_field<&T::kernels>("kernels of the BLAS: auto (those that suit the CPU best) or library (its own choice)")
              .one_of({"auto", "library"}),
          optional_field<&T::kernel_settings>("environment variables that select kernels")};
}

namespace {

constexpr const char* source = "the request";
constexpr const char* workbench_member = "workbench";

/// A request in JSON: a command with its members.
struct NamedRequest {  // NOLINT(bugprone-exception-escape): null of JSON allocates nothing
  const Command* command = nullptr;
  nlohmann::json members;
  nlohmann::json workbench;  ///< null if the request says nothing about it
};

const Command* find_command(const std::string& name) {
  const auto found =
      std::find_if(all_commands().begin(), all_commands().end(), [&](const Command& command) { return command.name == name; });
  return found == all_commands().end() ? nullptr : &*found;
}

std::string command_names() {
  std::string names;
  for (const Command& command : all_commands()) {
    names += (names.empty() ? "" : ", ") + command.name;
  }
  return names;
}

/// Refuses members that the command's request doesn't have, so that a misspelt one isn't ignored, and values outside of their limits.
void require_members(const nlohmann::json& request, const std::function<nlohmann::ordered_json(SchemaMaker&)>& schema) {
  SchemaMaker maker(OtherMembers::refused);
  nlohmann::ordered_json root = schema(maker);
  require_members_and_bounds(request, maker.document("request", "", std::move(root)));
}

/// Reads the document of a request. Throws MemberError.
NamedRequest named_request(const nlohmann::json& document) {
  NamedRequest named;
  for (const auto& [name, value] : json_detail::members(document).items()) {
    if (name == workbench_member) {
      named.workbench = value;
      continue;
    }
    const Command* command = find_command(name);
    if (command == nullptr) {
      throw MemberError(name, "no such command; expected one of " + command_names());
    }
    if (named.command != nullptr) {
      throw MemberError(name, "a second command beside " + named.command->name + "; expected one command in a request");
    }
    named.command = command;
    named.members = value;
  }
  if (named.command == nullptr) {
    throw MemberError("", "there is no command; expected one of " + command_names());
  }
  at_place(named.command->name, [&] {
    static_cast<void>(json_detail::members(named.members));
    require_members(named.members, named.command->request);
    require_members(named.command->read(named.members), named.command->request);
  });
  return named;
}

/// Runs `use` on the request of a text. Errors about members become bad_input that names the request.
template <class Use>
auto with_request(std::string_view text, Use&& use) {
  const nlohmann::json document = parse_json(text, source, WrittenBy::hand);
  try {
    return use(named_request(document));
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{} can't be answered: {}", source, reason(error));
  }
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> commands;
    for (const auto family :
         {tuning_commands, program_commands, sharing_commands, modelling_commands, roofline_commands, contraction_commands, mpi_commands}) {
      std::vector<Command> more = family();
      std::move(more.begin(), more.end(), std::back_inserter(commands));
    }
    return commands;
  }();
  return all;
}

std::vector<CommandSummary> commands() { return {all_commands().begin(), all_commands().end()}; }

std::string ask(const Workbench& bench, std::string_view request, const RunContext& context) {
  return with_request(request, [&](const NamedRequest& asked) {
    return at_place(asked.command->name, [&] { return asked.command->answer_to(bench, asked.members, context); });
  });
}

machine::LibraryChoice request_libraries(std::string_view request, const machine::LibraryChoice& otherwise) {
  return with_request(request, [&](const NamedRequest& asked) {
    machine::LibraryChoice libraries = otherwise;
    if (!asked.workbench.is_null()) {
      at_place(workbench_member, [&] {
        require_members(asked.workbench, [](SchemaMaker& maker) { return maker.of<machine::LibraryChoice>(); });
        read_fields(asked.workbench, libraries);
      });
    }
    return libraries;
  });
}

bool needs_own_process(std::string_view request) {
  return with_request(request, [](const NamedRequest& asked) { return asked.command->own_process; });
}

bool shows_program(std::string_view request) {
  return with_request(request, [](const NamedRequest& asked) { return asked.command->shows_program; });
}

std::string request_with_libraries(std::string_view request, const machine::LibraryChoice& libraries) {
  nlohmann::json document = parse_json(request, source, WrittenBy::hand);
  if (!document.contains(workbench_member)) {
    document[workbench_member] = libraries;
  }
  return document.dump();
}

nlohmann::ordered_json request_schema() {
  SchemaMaker maker(OtherMembers::refused);
  nlohmann::ordered_json root = {{"type", "object"}, {"properties", nlohmann::ordered_json::object()}};
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const Command& command : all_commands()) {
    add_member(root, command.name,
               described(command.request(maker), fmt::format("{}. Its answer is a {}.", command.summary, command.answer)), false);
    choices.push_back({{"required", nlohmann::ordered_json::array({command.name})}});
  }
  add_member(root, workbench_member, described(maker.of<machine::LibraryChoice>(), "libraries that the command uses"), false);
  root["oneOf"] = std::move(choices);
  root["additionalProperties"] = false;
  return maker.document("flopcast-request-1", "A command and its request", std::move(root));
}

}  // namespace flopcast
