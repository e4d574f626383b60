#include "flopcast/tasks/modelling/model_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/modelling/model_example.hpp"

namespace flopcast {
namespace {

using ::testing::HasSubstr;

TEST(ModelDocuments, ReadBackEqual) {
  const ModelBuild build{example_model("dpotf2", "here"), true};
  EXPECT_EQ(model_build_from_json(to_json(build)), build);
  EXPECT_EQ(tests::schema_violation(to_json(build), modelling_schemas()), "");
  EXPECT_EQ(model_from_json(to_json(build)), build.model);
  EXPECT_EQ(tests::schema_violation(to_json(build), modelling_schemas()), "");
  const ModelPlan plan{build.model.key, ModelMethod::levels, 6, 3};
  EXPECT_EQ(model_plan_from_json(to_json(plan)), plan);
  EXPECT_EQ(tests::schema_violation(to_json(plan), modelling_schemas()), "");
  const ModelList list{{summary(build.model, true), summary(build.model, false)}, 7};
  EXPECT_EQ(model_list_from_json(to_json(list)), list);
  EXPECT_EQ(tests::schema_violation(to_json(list), modelling_schemas()), "");
}

TEST(ModelDocuments, NameTheMemberAtFault) {
  const auto message = [](const auto& read) {
    try {
      static_cast<void>(read());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([] { return model_list_from_json(R"({"schema": "flopcast-models-2", "models": [{"name": 5}]})"); }),
              HasSubstr("models[0].name"));
  EXPECT_THAT(message([] { return model_list_from_json(R"({"schema": "flopcast-models-9", "models": []})"); }), HasSubstr("models-9"));
  EXPECT_THAT(message([] { return model_list_from_json("{"); }), HasSubstr("list of models"));
}

}  // namespace
}  // namespace flopcast
