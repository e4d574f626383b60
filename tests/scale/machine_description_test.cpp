#include "flopcast/scale/machine_description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "flopcast/scale/machine_description_json.hpp"
#include "flopcast/scale/machine_description_schema.hpp"
#include "flopcast/support/error.hpp"
#include "tests/scale/message_seconds.hpp"
#include "tests/schema_check.hpp"

namespace flopcast::scale {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json smallest() { return {{"schema", machine_description_schema}, {"hosts", 4}, {"cores_per_host", 2}}; }

std::string complaint_about(const json& document) {
  try {
    static_cast<void>(machine_from_document(document, "cluster.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(MachineDescription, SurvivesJson) {
  MachineDescription machine;
  machine.hosts = 16;
  machine.cores_per_host = 4;
  machine.core_speed = 1.5;
  machine.busy_core_speed = 0.875;
  machine.within_host = {3e-7, 9e9};
  machine.between_hosts = {2e-6, 12e9};
  machine.eager_bytes = 8192;
  machine.message_classes = {{0, 1, 0.25}, {4096, 3, 0.75}};
  EXPECT_EQ(machine_description_from_json(to_json(machine), "file"), machine);
  EXPECT_EQ(tests::schema_violation(to_json(machine), std::array{machine_description_schema_document()}), "");
}

TEST(MachineDescription, WithoutHostsThereAreAsManyAsNeeded) {
  json document = smallest();
  document.erase("hosts");
  const MachineDescription machine = machine_from_document(document, "file");
  EXPECT_EQ(machine.hosts, 0);
  EXPECT_FALSE(machine_document(machine).contains("hosts"));
}

TEST(MachineDescription, ErrorsNameTheMemberTheValueAndWhatWasExpected) {
  json document = smallest();
  document["hosts"] = 0;
  EXPECT_THAT(complaint_about(document), HasSubstr("cluster.json: hosts must be a whole number from 1 to 1048576, not 0"));
  document = smallest();
  document["cores_per_host"] = "two";
  EXPECT_THAT(complaint_about(document), HasSubstr("cores_per_host must be a whole number from 1 to 4096, not \"two\""));
  document = smallest();
  document["between_hosts"] = {{"latency_seconds", -1}, {"bytes_per_second", 1e9}};
  EXPECT_THAT(complaint_about(document), HasSubstr("between_hosts: latency_seconds must be a number above 0, not -1"));
  document = smallest();
  document["within_host"] = 7;
  EXPECT_THAT(complaint_about(document), HasSubstr("within_host must be an object, not 7"));
  document = smallest();
  document["latency"] = 1e-6;
  EXPECT_THAT(complaint_about(document), HasSubstr("there is no 'latency'; there are"));
  document = smallest();
  document["message_classes"] = {{{"bytes", 100}}, {{"bytes", 50}}};
  EXPECT_THAT(complaint_about(document), HasSubstr("50 follows 100"));
}

TEST(DescribedBy, GivesBackTheMeasuredTimes) {
  const std::vector<MessageTime> times = {{1, 0.5e-6}, {4096, 2e-6}, {65536, 12e-6}, {1048576, 100e-6}};
  const MachineDescription machine = described_by(times, 2, 4096);
  for (const MessageTime& time : times) {
    EXPECT_NEAR(message_seconds(machine, machine.within_host, time.bytes), time.seconds, 1e-3 * time.seconds) << time.bytes;
  }
  EXPECT_NEAR(message_seconds(machine, machine.within_host, 34816), 7e-6, 0.02e-6);  // halfway between two sizes
  EXPECT_EQ(machine.cores_per_host, 2);
  EXPECT_EQ(machine.eager_bytes, 4096);
}

TEST(DescribedBy, HasALatencyAboveZeroWhereTimesGrowFasterThanSizes) {
  const MachineDescription machine = described_by({{1000, 1e-6}, {2000, 5e-6}, {4000, 40e-6}}, 2, 4096);
  for (const MessageClass& of : machine.message_classes) {
    EXPECT_GT(of.latency_factor, 0) << of.bytes;
    EXPECT_GT(of.bandwidth_factor, 0) << of.bytes;
  }
  EXPECT_EQ(machine_description_from_json(to_json(machine), "file").message_classes.size(), 2U);
  EXPECT_EQ(tests::schema_violation(to_json(machine), std::array{machine_description_schema_document()}), "");
}

TEST(MachineDescription, DisturbedMeasurementsAreTold) {
  EXPECT_THAT(disturbances({{1, 1e-6, 0.02}, {1000, 2e-6, 0.1}, {2000, 1.9e-6, 0.25}}), testing::IsEmpty());
  const std::vector<std::string> found = disturbances({{1, 1e-6, 0.02}, {1000, 9e-6, 0.6}, {2000, 3e-6, 0}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "times of messages of 1000 bytes lie 60 % apart");
  EXPECT_THAT(found[1], HasSubstr("messages of 1000 bytes took longer (9.00 µs) than those of 2000 (3.00 µs)"));
}

TEST(MachineDescription, RemembersWhatDisturbedItsMeasurement) {
  MachineDescription machine;
  EXPECT_FALSE(machine_document(machine).contains("disturbances"));
  machine.disturbances = {"other programs kept 1.0 cores busy"};
  EXPECT_EQ(machine_description_from_json(to_json(machine), "file").disturbances, machine.disturbances);
  EXPECT_EQ(tests::schema_violation(to_json(machine), std::array{machine_description_schema_document()}), "");
  json document = machine_document(machine);
  document["disturbances"] = "many";
  EXPECT_THAT(complaint_about(document), HasSubstr("disturbances must be a list of texts, not \"many\""));
}

TEST(DescribedBy, RefusesTimesThatDoNotGrow) {
  EXPECT_THROW(described_by({{1, 1e-6}}, 2, 4096), Error);
  EXPECT_THROW(described_by({{1, 1e-6}, {1000, 1e-6}}, 2, 4096), Error);
  EXPECT_THROW(described_by({{1, 0}, {1000, 1e-6}}, 2, 4096), Error);
}

}  // namespace
}  // namespace flopcast::scale
