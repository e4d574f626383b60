#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/ask.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(A schema is a JSON Schema (draft 2020-12). Within a schema's number members are added, never renamed or removed, and readers ignore
members that they don't know. Numbers carry their unit in the annotation "unit".

Examples:
  flopcast schema --list
  flopcast schema tune
  flopcast schema flopcast-program-profile-2 --output profile.schema.json)";

struct SchemaCommand {
  std::string name;
  bool list = false;
};

Columns<SchemaTitle> columns() {
  Columns<SchemaTitle> columns;
  columns.text("schema", "schema", "name of the schema", &SchemaTitle::name);
  columns.text("document", "document", "what such a document is", &SchemaTitle::title);
  return columns;
}

std::string list_document() {
  std::string text = "[";
  for (const SchemaTitle& one : schemas()) {
    text += (text.size() == 1 ? "\n  \"" : ",\n  \"") + one.name + '"';
  }
  return text + "\n]\n";
}

void run_schema(const SchemaCommand& command, const CommonOptions& common) {
  if (command.list != command.name.empty()) {
    throw usage_error("schema takes either the name of a schema, such as tune, or --list");
  }
  if (!command.list) {
    emit(schema(command.name) + '\n', common);
  } else if (common.json) {
    emit(list_document(), common);
  } else {
    emit(columns().table(schemas()), common);
  }
}

}  // namespace

std::vector<TableColumns> schema_tables() { return {{"schema", columns().headings()}}; }

void add_schema_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<SchemaCommand>();
  OptionSet command = app.add_command("schema", "Print the JSON Schema of a document that flopcast takes or gives");
  command.option("name", options->name, "Name of the schema: a document's member \"schema\", with or without 'flopcast-' and its number")
      .completes(ValueKind::schema);
  command.flag("--list", options->list, "Only list: all schemas; with --json their names");
  command.footer(footer);
  command.action([options, &common] { run_schema(*options, common); });
}

}  // namespace flopcast::cli
