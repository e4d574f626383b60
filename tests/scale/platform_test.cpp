#include "flopcast/scale/platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::scale {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MachineDescription four_hosts() {
  MachineDescription machine;
  machine.hosts = 4;
  machine.cores_per_host = 2;
  machine.between_hosts = {2e-6, 12e9};
  return machine;
}

TEST(PlatformOf, ProcessesFillOneHostAfterTheOther) {
  const Platform platform = platform_of(four_hosts(), 5);
  EXPECT_EQ(platform.hosts, "host-0\nhost-0\nhost-1\nhost-1\nhost-2\n");
  EXPECT_THAT(platform.xml, HasSubstr("radical=\"0-3\""));
  EXPECT_THAT(platform.xml, HasSubstr("core=\"2\""));
}

TEST(PlatformOf, AMessageBetweenHostsPassesTwoLinksOfHalfTheLatency) {
  EXPECT_THAT(platform_of(four_hosts(), 3).xml, HasSubstr("bw=\"12000000000Bps\" lat=\"9.9999999999999995e-07s\""));
}

/// Messages within one of SimGrid's hosts don't share bandwidth.
TEST(PlatformOf, CoresOfTheOnlyHostAreNodesOfANetwork) {
  MachineDescription machine = four_hosts();
  machine.cores_per_host = 8;
  machine.within_host = {4e-7, 5e9};
  const Platform platform = platform_of(machine, 3);
  EXPECT_EQ(platform.hosts, "host-0\nhost-1\nhost-2\n");
  EXPECT_THAT(platform.xml, HasSubstr("radical=\"0-2\""));
  EXPECT_THAT(platform.xml, HasSubstr("core=\"1\" bw=\"5000000000Bps\" lat=\"1.9999999999999999e-07s\""));
}

TEST(PlatformOf, CoresAreSlowerWhereSeveralOfAHostCompute) {
  MachineDescription machine = four_hosts();
  machine.core_speed = 2;
  machine.busy_core_speed = 0.75;
  EXPECT_THAT(platform_of(machine, 1).xml, HasSubstr("speed=\"2000000000f\""));
  EXPECT_THAT(platform_of(machine, 2).xml, HasSubstr("speed=\"1500000000f\""));
  machine.cores_per_host = 1;
  EXPECT_THAT(platform_of(machine, 2).xml, HasSubstr("speed=\"2000000000f\""));
}

TEST(PlatformOf, TooManyProcessesAreAnError) {
  EXPECT_NO_THROW(platform_of(four_hosts(), 8));
  EXPECT_THROW(platform_of(four_hosts(), 9), Error);
}

TEST(PlatformOf, WithoutANumberOfHostsThereAreAsManyAsNeeded) {
  MachineDescription machine = four_hosts();
  machine.hosts = 0;
  EXPECT_THAT(platform_of(machine, 9).xml, HasSubstr("radical=\"0-4\""));
}

TEST(PlatformOf, SettingsReplaceTheFactorsThatSimGridHas) {
  MachineDescription machine = four_hosts();
  EXPECT_THAT(platform_of(machine, 2).arguments, Contains("--cfg=smpi/lat-factor:0:1"));
  machine.message_classes = {{0, 1, 0.25}, {4096, 3, 0.75}};
  EXPECT_THAT(platform_of(machine, 2).arguments, Contains("--cfg=smpi/lat-factor:0:1;4096:3"));
  EXPECT_THAT(platform_of(machine, 2).arguments, Contains("--cfg=smpi/bw-factor:0:0.25;4096:0.75"));
}

TEST(FirstSpeed, IsThatOfTheFirstHostOrCluster) {
  EXPECT_EQ(first_speed("<platform><host id='a' speed='2.5Gf,1Gf'/><host id='b' speed='1f'/></platform>"), 2.5e9);
  EXPECT_EQ(first_speed("<cluster id=\"c\" prefix=\"n\" speed=\"100Mf\" bw=\"1GBps\"/>"), 100e6);
  EXPECT_EQ(first_speed("<host id='a' speed='fast'/>"), std::nullopt);
  EXPECT_EQ(first_speed("no platform"), std::nullopt);
}

TEST(HostNames, AreThoseOfHostsAndClusters) {
  EXPECT_THAT(host_names("<host id='a' speed='1f'/> <cluster id='c' prefix='n-' suffix='.org' radical='0-1,7' speed='1f'/>"),
              ElementsAre("a", "n-0.org", "n-1.org", "n-7.org"));
  EXPECT_TRUE(host_names("<platform version='4.1'/>").empty());
}

TEST(HostNames, InZonesAreFoundAndThoseInCommentsArent) {
  const std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform><!-- <host id='old' speed='7Gf'/> --><zone id='z' routing='Full'><host id='a' speed='2Gf'/></zone></platform>";
  EXPECT_THAT(host_names(xml), ElementsAre("a"));
  EXPECT_EQ(first_speed(xml), 2e9);
}

TEST(HostNames, EntitiesAreDecoded) {
  EXPECT_THAT(host_names("<host id='a&amp;b' speed='1f'/><cluster prefix='n&#45;' suffix='&lt;' radical='3' speed='1f'/>"),
              ElementsAre("a&b", "n-3<"));
  EXPECT_EQ(first_speed("<host id='a' speed='1&#71;f'/>"), 1e9);
}

TEST(HostNames, NothingIsFoundInTextThatIsCutOff) {
  EXPECT_TRUE(host_names("<platform><host id='a' speed='1f'/").empty());
  EXPECT_EQ(first_speed("<platform><host id='a' speed='1f'/"), std::nullopt);
}

TEST(HostNames, AnEndlessRangeIsCut) {
  EXPECT_LE(host_names("<cluster prefix='n' suffix='' radical='0-2147483647' speed='1f'/>").size(), MachineDescription::max_hosts + 1U);
}

}  // namespace
}  // namespace flopcast::scale
