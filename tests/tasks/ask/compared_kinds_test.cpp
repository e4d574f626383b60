// The places where comparisons look for times exist in the published schemas, and every published schema is known to be comparable or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"

namespace flopcast {
namespace {

using nlohmann::ordered_json;

/// Returns the schema of the object itself, of the elements of a list, or of the values of a map.
ordered_json resolved(const ordered_json& root, ordered_json schema) {
  while (true) {
    if (schema.contains("$ref")) {
      schema = ordered_json(root.at(ordered_json::json_pointer(schema.at("$ref").get<std::string>().substr(1))));
    } else if (schema.contains("anyOf")) {
      schema = ordered_json(schema.at("anyOf")[0]);
    } else {
      return schema;
    }
  }
}

/// Returns the schema of a member such as "chosen.seconds"; null if there is none.
ordered_json member_at(const ordered_json& root, const ordered_json& from, std::string path) {
  ordered_json schema = resolved(root, from);
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const ordered_json members = schema.value("properties", ordered_json::object());
    if (!members.contains(path.substr(0, dot))) {
      return nullptr;
    }
    schema = resolved(root, members.at(path.substr(0, dot)));
    path.erase(0, dot + 1);
  }
  return schema;
}

/// Checks the lists of a source, and returns the schema of their elements.
ordered_json elements_of(const ordered_json& root, const QuantitySource& source) {
  ordered_json schema = root;
  for (std::string lists(source.lists); !lists.empty();) {
    const std::size_t names = lists.find_first_of("[{"), end = lists.find_first_of("]}");
    const ordered_json list = member_at(root, schema, lists.substr(0, names));
    const char* inner = lists[names] == '[' ? "items" : "additionalProperties";
    if (list.is_null() || !list.contains(inner)) {
      ADD_FAILURE() << source.lists << " isn't in " << root.at("$id");
      return nullptr;
    }
    schema = resolved(root, list.at(inner));
    std::istringstream words(lists.substr(names + 1, end - names - 1));
    for (std::string name; words >> name;) {
      EXPECT_FALSE(member_at(root, schema, name).is_null()) << source.lists << ": " << name;
    }
    lists.erase(0, end + 2);
  }
  return schema;
}

TEST(ComparedKinds, TakeTheirQuantitiesFromMembersThatExist) {
  for (const DocumentKind& kind : comparable_kinds()) {
    const ordered_json root = ordered_json::parse(schema(kind.schema));
    for (const QuantitySource& source : kind.sources) {
      const ordered_json element = elements_of(root, source);
      const ordered_json value = member_at(root, element, std::string(source.value));
      EXPECT_FALSE(value.is_null()) << kind.schema << ": " << source.value;
      EXPECT_FALSE(member_at(root, element, std::string(source.interval)).is_null()) << kind.schema << ": " << source.interval;
      if (value.contains("unit")) {
        EXPECT_EQ(value.at("unit"), source.unit) << kind.schema << ": " << source.value;
      }
    }
  }
}

TEST(ComparedKinds, AreAllThatHoldTimes) {
  std::set<std::string> known = {"flopcast-baseline-1",
                                 "flopcast-comparison-1",
                                 "flopcast-environment-1",
                                 "flopcast-error-1",
                                 "flopcast-extract-1",
                                 "flopcast-ilaenv-1",
                                 "flopcast-measured-machine-1",
                                 "flopcast-model-plan-1",
                                 "flopcast-models-2",
                                 "flopcast-mpi-space-1",
                                 "flopcast-tuning-file-1",
                                 "flopcast-program-trace-1",
                                 "flopcast-request-1",
                                 "flopcast-roofline-plan-1",
                                 "flopcast-run-2",
                                 "flopcast-sample-plan-1",
                                 "flopcast-mpi-timeline-1",
                                 "flopcast-timeline-1",
                                 "flopcast-trace-1",
                                 "flopcast-verification-1",
                                 "flopcast-wisdom-1",
                                 "flopcast-wisdom-check-1",
                                 "flopcast-wisdom-import-1",
                                 "flopcast-wisdom-list-1"};
  for (const DocumentKind& kind : comparable_kinds()) {
    EXPECT_TRUE(known.emplace(kind.schema).second) << kind.schema;
  }
  std::set<std::string> published;
  for (const SchemaTitle& one : schemas()) {
    published.insert(one.name);
  }
  EXPECT_EQ(known, published);
}

}  // namespace
}  // namespace flopcast
