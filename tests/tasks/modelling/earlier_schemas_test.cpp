#include <gmock/gmock.h>

#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "tests/message_of.hpp"
#include "tests/mutation/expect_errors.hpp"

/// Documents written by hand in the form that programs wrote before the schemas' present numbers.
namespace flopcast {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json machine_document() {
  return json::parse(R"({"schema": "flopcast-machine-1", "fingerprint": "f",
    "topology": {"cpu": "a CPU", "sockets": 1, "cores": 2, "hardware_threads": 2, "numa_nodes": 1, "usable_cpus": [0, 1],
      "usable_cores": 2, "cpu_quota": 1.5, "memory_bytes": 1000000,
      "kinds": [{"name": "performance", "cpus": [0], "cores": 1, "most_hertz": 4e9,
                 "caches": [{"level": 1, "bytes": 32768, "line_bytes": 64, "associativity": 8, "cores": 1}]},
                {"name": "efficiency", "cpus": [1], "cores": 1, "most_hertz": 3e9, "caches": [], "measured":
                  {"schema": "flopcast-measured-machine-1", "cpu": "a CPU", "quick": true, "huge_pages": false,
                   "triad": [[4096, 1e-11]], "chase": [[4096, 1e-9]], "levels": [], "memory_bandwidth": 1e10,
                   "memory_latency_seconds": 1e-7, "peaks": {}}}],
      "caches": [{"level": 1, "bytes": 32768, "line_bytes": 64, "associativity": 8, "cores": 1}]},
    "clock": {"invariant_tsc": true, "ticks_per_second": 2e9, "wall": {"resolution_seconds": 1e-9, "overhead_seconds": 2e-9},
      "thread_cpu": {"resolution_seconds": 3e-9, "overhead_seconds": 4e-9}},
    "frequency_hertz": 3.9e9, "nominal_hertz": 2.5e9,
    "noise": {"spread": 0.01, "disturbed_share": 0.02, "stolen_share": 0, "slice_seconds": 2e-5, "judgement": "quiet"},
    "measured": {"schema": "flopcast-measured-machine-1", "cpu": "a CPU", "quick": false, "huge_pages": true,
      "triad": [[4096, 1e-11], [8192, 2e-11]], "chase": [[4096, 1e-9]], "parallel_chase": [[4096, 5e-10]],
      "levels": [{"name": "L1", "capacity_bytes": 32768, "capacity_low_bytes": 30000, "capacity_high_bytes": 33000,
        "reported_bytes": 32768, "line_bytes": 64, "associativity": 8, "bandwidth": 1e11, "latency_seconds": 1e-9}],
      "patterns": [{"stream_bytes": 32768, "parallel_chase_bytes": 30000, "serial_chase_bytes": 31000}],
      "memory_bandwidth": 1e10, "memory_latency_seconds": 1e-7, "peaks": {}},
    "findings": ["one"],
    "libraries": [{"name": "openblas", "path": "/lib/openblas.so", "has_blas": true, "has_lapack": false,
      "identity": {"name": "openblas", "path": "/lib/openblas.so", "version": "0.3", "kernels": "Zen", "threading": "serial",
        "digest": "d"},
      "dgemm_flops": 1e10, "trials": [{"setting": "OPENBLAS_CORETYPE=SkylakeX", "kernels": "SkylakeX", "dgemm_flops": 3e10}],
      "failure": "", "expected_dgemm_flops": 4e10}]})");
}

json models_document() {
  return json::parse(R"({"schema": "flopcast-models-1", "models": [{"name": "dpotf2.L.warm.refined.there",
    "key": {"routine": "dpotf2", "flags": "L", "scalars": "", "strides": ".", "cache": "warm", "threads": 1, "library": "there"},
    "generator": "refined", "sizes": ["n"], "domain": [{"low": [8], "high": [128]}], "pieces": 2, "samples": 10, "seconds": 0.5,
    "largest_error": 0.07, "foreign": true}]})");
}

json samples_document() {
  return json::parse(R"({"schema": "flopcast-samples-1", "huge_pages": "madvise",
    "environment": {"cpu": "a CPU", "cores": 2, "caches": [], "memory_bandwidth": 1e10, "peak_flops": 3e10,
      "blas": {"name": "blis", "path": "/lib/blis.so", "version": "0.9.0", "kernels": "haswell", "threading": "serial", "digest": "b"},
      "lapack": {"name": "", "path": "", "version": "", "kernels": "", "threading": "", "digest": ""},
      "threads": 1, "affinity": "0", "fingerprint": "abc"},
    "options": {"clock": "cpu", "seed": 7, "normalise": true, "reference_seconds": 1e-5, "minimum_repetitions": 3,
      "maximum_repetitions": 100, "relative_interval": 0.02, "confidence": 0.95},
    "samples": [{"call": "ddot n=100 incx=1 incy=1", "cache": "cold", "flops": 200, "footprint_bytes": 1600,
      "key": {"routine": "ddot", "flags": "", "scalars": "", "strides": "11", "cache": "cold", "threads": 2, "library": "abc"},
      "sizes": [100], "strides": [1, 1], "placement": [{"distance_bytes": 4096, "level": 1, "dirty": true}], "batch": 4,
      "repetitions": [{"seconds": 1e-6, "drift": 1.25, "at": 0.5, "discarded": false}], "warnings": ["a warning"],
      "statistics": {"count": 1}}]})");
}

template <class Read>
std::string message(Read read, const json& document) {
  return tests::bad_input_of([&] { static_cast<void>(read(document.dump())); });
}

TEST(EarlierSchemas, MachineReport) {
  const MachineReport report = machine_report_from_json(machine_document().dump());
  EXPECT_EQ(report.topology.cpu, "a CPU");
  EXPECT_THAT(report.topology.usable, ElementsAre(0, 1));
  EXPECT_EQ(report.topology.cpu_quota, 1.5);
  EXPECT_EQ(report.topology.nominal_hertz, 2.5e9);
  EXPECT_TRUE(report.topology.invariant_tsc);
  ASSERT_EQ(report.topology.kinds.size(), 2U);
  EXPECT_EQ(report.topology.kinds[0].max_hertz, 4e9);
  EXPECT_EQ(report.topology.kinds[1].max_hertz, 3e9);
  EXPECT_THAT(report.topology.kinds[0].caches, ElementsAre(machine::ReportedCache{1, 32768, 64, 8, 1}));
  ASSERT_EQ(report.other_kinds.size(), 1U);
  EXPECT_TRUE(report.other_kinds[0].quick);
  EXPECT_EQ(report.clock.core_hertz, 3.9e9);
  EXPECT_TRUE(report.clock.uses_counter) << "an invariant counter was always used";
  EXPECT_EQ(report.clock.thread_cpu.overhead, 4e-9);
  EXPECT_EQ(report.clock.noise.slice, 2e-5);
  EXPECT_EQ(report.measurement.sweep.triad.size(), 2U);
  EXPECT_EQ(report.measurement.hierarchy.levels.at(0).capacity_bytes, 32768);
  EXPECT_EQ(report.libraries.at(0).identity.kernels, "Zen");
  EXPECT_EQ(report.libraries[0].trials.at(0).dgemm_flops, 3e10);
  EXPECT_EQ(report.libraries[0].installed.path, "/lib/openblas.so");
  EXPECT_THAT(report.slow, ElementsAre(machine::SlowDgemm{0, 4e10}));
}

TEST(EarlierSchemas, MachineReportWithDamage) {
  json document = machine_document();
  document["topology"]["kinds"][1]["most_hertz"] = "fast";
  EXPECT_THAT(message(machine_report_from_json, document),
              HasSubstr("the report on a machine is damaged: member topology.kinds[1].most_hertz"));
  document = machine_document();
  document["measured"]["levels"][0].erase("bandwidth");
  EXPECT_THAT(message(machine_report_from_json, document),
              HasSubstr("the report on a machine is damaged: member measured.levels[0].bandwidth"));
}

TEST(EarlierSchemas, ListOfModels) {
  const ModelList list = model_list_from_json(models_document().dump());
  EXPECT_EQ(list.hidden, 0);
  ASSERT_EQ(list.models.size(), 1U);
  EXPECT_TRUE(list.models[0].other_machine);
  EXPECT_EQ(list.models[0].key.library, "there");
  EXPECT_EQ(list.models[0].domain, (std::vector<model::Box>{{{8}, {128}}}));
  EXPECT_EQ(list.models[0].largest_error, 0.07);
}

TEST(EarlierSchemas, ListOfModelsWithDamage) {
  json document = models_document();
  document["models"][0]["key"]["threads"] = 0.5;
  EXPECT_THAT(message(model_list_from_json, document), HasSubstr("the list of models is damaged: member models[0].key.threads"));
  document = models_document();
  document["models"][0]["foreign"] = 1;
  EXPECT_THAT(message(model_list_from_json, document), HasSubstr("the list of models is damaged: member models[0].foreign"));
}

TEST(EarlierSchemas, Samples) {
  const SampleResult result = sample_result_from_json(samples_document().dump());
  EXPECT_EQ(result.environment.fingerprint, "abc");
  EXPECT_EQ(result.huge_pages, "madvise");
  EXPECT_EQ(result.rule.clock, measure::Clock::cpu);
  EXPECT_EQ(result.rule.min_repetitions, 3);
  EXPECT_EQ(result.rule.max_repetitions, 100);
  ASSERT_EQ(result.samples.size(), 1U);
  const SampledCall& one = result.samples[0];
  EXPECT_EQ(kernel::format_call(one.call), "ddot n=100 incx=1 incy=1");
  EXPECT_EQ(one.call.threads, 2);
  EXPECT_EQ(one.cache, "cold");
  ASSERT_EQ(one.sample.placement.size(), 1U);
  EXPECT_EQ(one.sample.placement[0].distance_bytes, 4096);
  EXPECT_EQ(one.sample.repetitions.at(0).drift, 1.25);
  EXPECT_THAT(one.sample.warnings, ElementsAre("a warning"));
}

TEST(EarlierSchemas, SamplesWithDamage) {
  json document = samples_document();
  document["samples"][0]["repetitions"][0]["drift"] = "much";
  EXPECT_THAT(message(sample_result_from_json, document), HasSubstr("the samples is damaged: member samples[0].repetitions[0].drift"));
  document = samples_document();
  document["options"]["maximum_repetitions"] = "many";
  EXPECT_THAT(message(sample_result_from_json, document), HasSubstr("the samples is damaged: member options.maximum_repetitions"));
  document.erase("options");
  EXPECT_THAT(message(sample_result_from_json, document), HasSubstr("the samples is damaged: member options"));
}

TEST(EarlierSchemas, WithAnyDamageAreReadOrRefused) {
  testing::expect_errors_of_mutations(machine_document().dump(), "the report on a machine",
                                      [](const std::string& text) { static_cast<void>(machine_report_from_json(text)); });
  testing::expect_errors_of_mutations(models_document().dump(), "the list of models",
                                      [](const std::string& text) { static_cast<void>(model_list_from_json(text)); });
  testing::expect_errors_of_mutations(samples_document().dump(), "the samples",
                                      [](const std::string& text) { static_cast<void>(sample_result_from_json(text)); });
}

}  // namespace
}  // namespace flopcast
