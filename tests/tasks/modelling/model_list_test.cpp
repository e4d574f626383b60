#include "flopcast/tasks/modelling/model_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

model::Model example(const std::string& routine, const std::string& library) {
  model::Model model;
  model.key = {routine, "L", "", ".", "warm", 1, library};
  model.generator = "refined";
  model.options.refinement.emplace();
  model.sizes = {"n"};
  model.domain = {{{8}, {128}}};
  model::Piece piece;
  piece.box = model.domain.front();
  piece.polynomial = {{0}, {1}, {model::Monomial{3}}, {1e-9}};
  piece.error.maximum = 0.02;
  model.pieces = {piece, piece};
  model.pieces.back().error.maximum = 0.07;
  model.cost = {10, 0.5};
  return model;
}

class ModelLists : public ::testing::Test {
 protected:
  ModelLists() : store_(model::Store::open(folder_.path() / "flopcast.db")) {
    for (const auto& [routine, library] : {std::pair("dpotf2", "here"), {"dpotrf", "here"}, {"dpotf2", "there"}}) {
      store_.put_model(example(routine, library));
    }
    Environment there;
    there.fingerprint = "there";
    there.cpu = "another CPU";
    store_.put_environment(there);
  }

  [[nodiscard]] std::string error_of(const std::string& here, const std::string& text) const {
    try {
      static_cast<void>(find_model(store_, here, text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  tests::OwnFolder folder_;
  model::Store store_;
};

TEST_F(ModelLists, HideModelsOfOtherMachines) {
  const ModelList own = list_models(store_, "here", false);
  ASSERT_EQ(own.models.size(), 2U);
  EXPECT_EQ(own.hidden, 1);
  EXPECT_EQ(own.models.front(), summary(example("dpotf2", "here"), false));
  const ModelList all = list_models(store_, "here", true);
  ASSERT_EQ(all.models.size(), 3U);
  EXPECT_EQ(all.hidden, 0);
  EXPECT_TRUE(all.models[1].other_machine || all.models[0].other_machine);
}

TEST_F(ModelLists, SummariseModels) {
  const ModelSummary found = summary(example("dpotf2", "here"), true);
  EXPECT_EQ(found.name, "dpotf2.L.warm.refined.here");
  EXPECT_EQ(found.pieces, 2);
  EXPECT_EQ(found.samples, 10);
  EXPECT_EQ(found.largest_error, 0.07);
  EXPECT_TRUE(found.other_machine);
}

TEST_F(ModelLists, FindModelsByTheBeginningOfTheirNames) {
  EXPECT_EQ(find_model(store_, "here", "dpotf2"), example("dpotf2", "here"));
  EXPECT_EQ(find_model(store_, "here", "dpotrf.L.warm.refined.here"), example("dpotrf", "here"));
  EXPECT_EQ(find_model(store_, "", "dpotf2.L.warm.refined.t"), example("dpotf2", "there"));
}

TEST_F(ModelLists, SayWhyThereIsNoSuchModel) {
  EXPECT_THAT(error_of("here", "dpotrf.L.warm.refined.her0"), HasSubstr("did you mean dpotrf.L.warm.refined.here"));
  EXPECT_THAT(error_of("here", "dpot"), AllOf(HasSubstr("beginning of 2 models' names"), HasSubstr("dpotf2.L"), HasSubstr("dpotrf.L")));
  EXPECT_THAT(error_of("", "dpotf2"), HasSubstr("beginning of 2 models' names"));
  EXPECT_THAT(error_of("here", "zzz"), HasSubstr("other machines and libraries"));
  EXPECT_THAT(error_of("here", "dpotf2.L.warm.refined.there"),
              AllOf(HasSubstr("another machine or library (another CPU"), HasSubstr("other machines and libraries")));
}

TEST(ModelDocuments, ReadBackEqual) {
  const ModelBuild build{example("dpotf2", "here"), true};
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
