#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/fields.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/schema.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// A command with the functions that describe its request and run it.
struct Command : CommandSummary {
  bool shows_program = false;  ///< a program of the user runs with the standard output and standard error of this process
  std::function<nlohmann::ordered_json(SchemaMaker&)> request;
  /// Returns the members of a request as they are read: in place of texts, what they stand for. Throws MemberError for a value of another
  /// type.
  std::function<nlohmann::json(const nlohmann::json& request)> read;
  std::function<std::string(const Workbench&, const nlohmann::json& request, const RunContext&)> answer_to;
};

/// The process that runs a command.
enum class DoneIn : std::uint8_t {
  any_process,
  own_process,   ///< the program flopcast (CommandSummary::own_process)
  with_program,  ///< the program flopcast, which runs a program of the user
};

/// Returns a command whose request is read by the table of `Request`. `run` answers the request; to_json() of its result is the answer.
template <HasFields Request, class Run>
Command command(const char* name, const char* summary, const char* answer, DoneIn process, Run run) {
  return {{name, summary, answer, process != DoneIn::any_process},
          process == DoneIn::with_program,
          [](SchemaMaker& maker) { return maker.of<Request>(); },
          [](const nlohmann::json& json) {
            Request request;
            read_fields(json, request);
            nlohmann::json all = nlohmann::json::object(), given = all;
            write_fields(all, request);
            for (const auto& [member, value] : json.items()) {
              given[member] = all.value(member, nlohmann::json());
            }
            return given;
          },
          [run = std::move(run)](const Workbench& bench, const nlohmann::json& json, const RunContext& context) {
            Request request;
            read_fields(json, request);
            return to_json(run(bench, std::as_const(request), context));
          }};
}

/// Return the commands of each family.
std::vector<Command> tuning_commands();
std::vector<Command> modelling_commands();
std::vector<Command> roofline_commands();
std::vector<Command> contraction_commands();
std::vector<Command> program_commands();
std::vector<Command> sharing_commands();
std::vector<Command> mpi_commands();

}  // namespace flopcast
