#include "flopcast/tasks/reporting/reporting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <iterator>
#include <map>
#include <optional>

#include "flopcast/report/result_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"
#include "flopcast/tasks/reporting/document_tables.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using report::Page;
using report::Trust;

/// Returns the kind with contents of its own, or nullptr.
const ReportedKind* find_kind(std::string_view schema) {
  static const std::vector<ReportedKind> all = [] {
    std::vector<ReportedKind> kinds;
    for (const auto family : {tuning_kinds, program_kinds, command_kinds, mpi_kinds, modelling_kinds, contraction_kinds, measured_kinds}) {
      std::vector<ReportedKind> more = family();
      std::move(more.begin(), more.end(), std::back_inserter(kinds));
    }
    return kinds;
  }();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ReportedKind& kind) { return kind.schema == schema; });
  return found == all.end() ? nullptr : &*found;
}

/// Returns the published schema of a document's kind, whatever the number of the document. Throws bad_input for an unknown kind, and if a
/// newer flopcast wrote the document.
SchemaTitle published_schema(const json& document, const std::string& name) {
  const std::string own = schema_of(document, name);
  const std::vector<SchemaTitle> all = schemas();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SchemaTitle& one) { return without_number(one.name) == without_number(own); });
  if (found == all.end()) {
    throw bad_input("{} is of the kind {}, which this flopcast doesn't know; a newer one may", name, own);
  }
  require_schema(document, name, found->name);
  return *found;
}

/// A document that was read.
struct ReadDocument {
  json value;
  SchemaTitle kind;
};

ReadDocument read(const NamedDocument& document) {
  json value = parse_json(document.text, document.name);
  SchemaTitle kind = in_document(document.name, [&] { return published_schema(value, document.name); });
  return {std::move(value), std::move(kind)};
}

/// Returns "BLAS" for the setting blas and "Huge pages" for huge_pages.
std::string fact_title(std::string title) {
  if (title == "blas" || title == "lapack" || title == "mpi") {
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char letter) { return std::toupper(letter); });
  }
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

/// Settings that are 0 or off are the usual ones.
bool says_something(const std::string& text) { return !text.empty() && text != "0" && text != "0.0" && text != "no"; }

std::vector<std::pair<std::string, std::string>> facts_of(const json& document) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] : settings_of(document)) {
    const auto own = document.find(name);
    const bool is_command = own != document.end() && name == "command" && own->is_array();
    const std::string text = is_command ? shell_text(member<std::vector<std::string>>(document, "command")) : value;
    if (says_something(text)) {
      facts.emplace_back(fact_title(name), text);
    }
  }
  return facts;
}

/// Returns the tables that a kind names, or all lists of the document.
std::vector<TitledTable> tables_of(const json& document, const std::string& schema_name, const ReportedKind* kind) {
  const ordered_json schema = ordered_json::parse(flopcast::schema(schema_name));
  const std::vector<std::string> paths = kind == nullptr ? table_paths(schema) : std::vector<std::string>();
  std::vector<ShownTable> wanted = kind == nullptr ? std::vector<ShownTable>() : kind->tables;
  std::transform(paths.begin(), paths.end(), std::back_inserter(wanted), [](const std::string& path) {
    return ShownTable{path, path.empty() ? std::string_view("values") : path};
  });
  std::vector<TitledTable> tables;
  for (const auto& [path, title, members] : wanted) {
    report::Table table = document_table(document, schema, path, members);
    if (!table.rows.empty() && !table.columns.empty()) {
      tables.push_back({std::string(title), std::move(table)});
    }
    if (path.empty() && !members.empty()) {
      tables.push_back({"Further values", remaining_values(document, schema, members), true});
    }
  }
  return tables;
}

/// Returns the machine of a document; empty if the document doesn't say.
std::string machine_of(const json& document) {
  const Settings settings = settings_of(document);
  const auto cpu = settings.find("CPU");
  return cpu == settings.end() ? "" : cpu->second;
}

/// Returns the numbers in a text, in their order, and removes them from the text.
std::vector<double> take_numbers(std::string& text) {
  static constexpr const char* digits = "0123456789";
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_of(digits); at != std::string::npos; at = text.find_first_of(digits, at)) {
    const char* begin = text.data() + at;
    const char* end = std::from_chars(begin, text.data() + text.size(), numbers.emplace_back(), std::chars_format::fixed).ptr;
    text.erase(at, static_cast<std::size_t>(end - begin));
  }
  return numbers;
}

/// Keeps one of warnings that differ in their numbers only: that with the largest numbers, in the place of the first one. Drops the
/// beginnings of others.
void drop_repeated(std::vector<std::string>& warnings) {
  std::map<std::string, std::pair<std::size_t, std::vector<double>>> known;  // by the words: index and numbers
  std::vector<std::string> kept;
  for (std::string& warning : warnings) {
    std::string words = warning;
    std::vector<double> numbers = take_numbers(words);
    const auto [at, is_new] = known.try_emplace(words, kept.size(), numbers);
    if (is_new) {
      kept.push_back(std::move(warning));
    } else if (numbers > at->second.second) {
      at->second.second = std::move(numbers);
      kept[at->second.first] = std::move(warning);
    }
  }
  const auto is_told = [&kept](const std::string& warning) {  // by a longer one
    return std::any_of(kept.begin(), kept.end(), [&](const auto& one) { return one.size() > warning.size() && one.starts_with(warning); });
  };
  warnings.clear();
  std::remove_copy_if(kept.begin(), kept.end(), std::back_inserter(warnings), is_told);
}

void add_contents(Page& page, const PageContents& contents, const std::vector<std::string>& noise) {
  if (!contents.answer.empty()) {
    page.add_answer(contents.answer, contents.trust);
  }
  if (!contents.steps.empty()) {
    page.add_heading("What to do now");
    for (const auto& [text, command] : contents.steps) {
      page.add_step(text, command);
    }
    page.add_heading("How this was found");
  }
  page.add_facts(contents.facts);
  for (const report::Picture& picture : contents.pictures) {
    page.add_picture(picture);
  }
  for (const auto& [title, table, folded] : contents.tables) {
    if (folded) {
      page.add_folded_table(title, table);
    } else {
      page.add_heading(title);
      page.add_table(table);
    }
  }
  std::vector<std::string> warnings = noise;
  warnings.insert(warnings.end(), contents.warnings.begin(), contents.warnings.end());
  drop_repeated(warnings);
  if (!warnings.empty()) {
    page.add_heading("Warnings");
    std::for_each(warnings.begin(), warnings.end(), [&](const std::string& warning) { page.add_warning(warning); });
  }
}

/// Warns of documents that come from different machines: their times can't be compared as they are.
void warn_of_machines(Page& page, const std::vector<NamedDocument>& documents) {
  std::map<std::string, std::vector<std::string>> by_machine;
  for (const NamedDocument& document : documents) {
    if (const std::string machine = machine_of(read(document).value); !machine.empty()) {
      by_machine[machine].push_back(document.name);
    }
  }
  if (by_machine.size() > 1) {
    std::vector<std::string> parts;
    for (const auto& [machine, names] : by_machine) {
      parts.push_back(fmt::format("{} ({})", machine, fmt::join(names, ", ")));
    }
    page.add_warning(fmt::format("The documents come from {} machines, so that their times differ for that reason, too: {}.", parts.size(),
                                 fmt::join(parts, "; ")));
  }
}

}  // namespace

std::vector<NamedDocument> read_documents(const std::string& file) {
  std::vector<NamedDocument> documents;
  for (auto& [name, text] : report::read_results(file)) {
    documents.push_back({name, std::move(text)});
  }
  return documents;
}

PageContents contents_of(const NamedDocument& document) {
  const auto [value, schema] = read(document);
  const ReportedKind* kind = find_kind(schema.name);
  PageContents contents{schema.title, ""};
  try {
    if (kind != nullptr) {
      contents = kind->contents(document.text);
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", document.name, error.what()));
  }
  in_document(document.name, [&, &own = value, &name = schema.name] {
    std::vector<std::pair<std::string, std::string>> facts = facts_of(own);
    contents.facts.insert(contents.facts.end(), facts.begin(), facts.end());
    contents.tables = tables_of(own, name, kind);
  });
  return contents;
}

report::Picture main_picture(const NamedDocument& document) {
  PageContents contents = contents_of(document);
  if (contents.pictures.empty()) {
    throw bad_input("{}: there is no picture of '{}'{}", document.name, contents.question,
                    contents.warnings.empty() ? "" : fmt::format(": {}", contents.warnings.back()));
  }
  return std::move(contents.pictures.front());
}

Page summary_of(const NamedDocument& document) {
  PageContents contents = contents_of(document);
  contents.pictures.resize(std::min(contents.pictures.size(), std::size_t{1}));
  contents.tables.resize(std::min(contents.tables.size(), std::size_t{1}));
  contents.facts.clear();
  contents.steps.clear();
  Page page(contents.question);
  add_contents(page, contents, {});
  return page;
}

Page page_of(const std::vector<NamedDocument>& documents, const std::vector<std::string>& noise, const std::string& command) {
  std::vector<PageContents> all;
  std::transform(documents.begin(), documents.end(), std::back_inserter(all), contents_of);
  for (PageContents& contents : all) {
    contents.trust = noise.empty() ? contents.trust : std::max(contents.trust, Trust::noisy);
    if (!command.empty()) {
      contents.facts.emplace_back("Made by", command);
    }
    contents.facts.emplace_back("This page", fmt::format("{}, flopcast {}", date_text(std::time(nullptr)), version()));
  }
  const bool is_single = documents.size() == 1;
  Page page(is_single ? all.front().question : fmt::format("{} results", documents.size()));
  warn_of_machines(page, documents);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (!is_single) {
      page.add_part(fmt::format("{} ({})", all[i].question, documents[i].name), all[i].answer);
    }
    add_contents(page, all[i], i == 0 ? noise : std::vector<std::string>());
  }
  for (const NamedDocument& document : documents) {
    page.add_document(document.name, document.text);
  }
  return page;
}

}  // namespace flopcast
