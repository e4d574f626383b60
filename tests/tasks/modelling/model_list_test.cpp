#include "flopcast/tasks/modelling/model_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/modelling/model_example.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ModelLists : public ::testing::Test {
 protected:
  ModelLists() : store_(model::Store::open(folder_.path() / "flopcast.db")) {
    for (const auto& [routine, library] : {std::pair("dpotf2", "here"), {"dpotrf", "here"}, {"dpotf2", "there"}}) {
      store_.put_model(example_model(routine, library));
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
  EXPECT_EQ(own.models.front(), summary(example_model("dpotf2", "here"), false));
  const ModelList all = list_models(store_, "here", true);
  ASSERT_EQ(all.models.size(), 3U);
  EXPECT_EQ(all.hidden, 0);
  EXPECT_TRUE(all.models[1].other_machine || all.models[0].other_machine);
}

TEST_F(ModelLists, SummariseModels) {
  const ModelSummary found = summary(example_model("dpotf2", "here"), true);
  EXPECT_EQ(found.name, "dpotf2.L.warm.refined.here");
  EXPECT_EQ(found.pieces, 2);
  EXPECT_EQ(found.samples, 10);
  EXPECT_EQ(found.largest_error, 0.07);
  EXPECT_TRUE(found.other_machine);
}

TEST_F(ModelLists, FindModelsByTheBeginningOfTheirNames) {
  EXPECT_EQ(find_model(store_, "here", "dpotf2"), example_model("dpotf2", "here"));
  EXPECT_EQ(find_model(store_, "here", "dpotrf.L.warm.refined.here"), example_model("dpotrf", "here"));
  EXPECT_EQ(find_model(store_, "", "dpotf2.L.warm.refined.t"), example_model("dpotf2", "there"));
}

TEST_F(ModelLists, SayWhyThereIsNoSuchModel) {
  EXPECT_THAT(error_of("here", "dpotrf.L.warm.refined.her0"), HasSubstr("did you mean dpotrf.L.warm.refined.here"));
  EXPECT_THAT(error_of("here", "dpot"), AllOf(HasSubstr("beginning of 2 models' names"), HasSubstr("dpotf2.L"), HasSubstr("dpotrf.L")));
  EXPECT_THAT(error_of("", "dpotf2"), HasSubstr("beginning of 2 models' names"));
  EXPECT_THAT(error_of("here", "zzz"), HasSubstr("other machines and libraries"));
  EXPECT_THAT(error_of("here", "dpotf2.L.warm.refined.there"),
              AllOf(HasSubstr("another machine or library (another CPU"), HasSubstr("other machines and libraries")));
}

}  // namespace
}  // namespace flopcast
