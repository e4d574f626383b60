#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/report/table.hpp"

namespace flopcast {

/// Returns the paths of all lists of objects that documents of a schema have, such as "parts.decisions", behind the empty path.
std::vector<std::string> table_paths(const nlohmann::ordered_json& schema);

/// Returns a list of objects as a table. The columns are the members of the schema, with their units and meanings; members of objects
/// within have dotted names. `members` are the dotted names of the columns to show, in their order; empty: all. Columns that are empty, 0 or
/// no in every row are left out. A row of a list within another one begins with the names and sizes of the elements around it, unless all
/// rows have the same. The table ends after 1000 rows, and its footnote says so. The empty path stands for the values of the document itself, one a row. Throws
/// nlohmann's exception for a path that the schema doesn't have, and an internal error for such a member.
report::Table document_table(const nlohmann::json& document, const nlohmann::ordered_json& schema, std::string_view path,
                             const std::vector<std::string>& members = {});

/// Returns those values of the document itself that document_table() leaves out where `members` are given.
report::Table remaining_values(const nlohmann::json& document, const nlohmann::ordered_json& schema,
                               const std::vector<std::string>& members);

}  // namespace flopcast
