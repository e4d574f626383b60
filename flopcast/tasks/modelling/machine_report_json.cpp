#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/environment_json.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/machine_file_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"

namespace flopcast {

using machine::ClockQuality;
using machine::CoreKind;
using machine::CpuPlace;
using machine::InstalledLibrary;
using machine::KernelTrial;
using machine::LibraryReport;
using machine::NoiseLevel;
using machine::ReportedCache;
using machine::Topology;

template <>
Fields FieldTable<ReportedCache>::fields() {
  return {field<&T::level>(), field<&T::bytes>(), field<&T::line_bytes>("0 if not told"), field<&T::associativity>("0 if not told"),
          field<&T::cores>("cores that share one instance")};
}

template <>
Fields FieldTable<CpuPlace>::fields() {
  return {field<&T::cpu>(), field<&T::core>(), field<&T::socket>(),
          field<&T::kind>("0 is the fastest kind of cores, others follow in the order of their speed")};
}

template <>
Fields FieldTable<CoreKind>::fields() {
  return {field<&T::name>("\"performance\" and \"efficiency\"; of more kinds \"kind 1\", \"kind 2\", the fastest first"),
          field<&T::cpus>("usable hardware threads"), field<&T::cores>("cores that these belong to"),
          field<&T::max_hertz>("highest clock; 0 if not told"), field<&T::caches>("caches of its first core, from L1 outwards")};
}

/// Members of a topology in the document's member of that name. Clock rates stand in others.
template <>
Fields FieldTable<Topology>::fields() {
  return {field<&T::cpu>("model name with family, model and stepping where they are told: names are masked in virtual machines"),
          field<&T::sockets>(),
          field<&T::cores>("hyperthreads of one core count once"),
          field<&T::hardware_threads>(),
          field<&T::numa_nodes>(),
          field<&T::usable>().named("usable_cpus"),
          optional_field<&T::places>("places of the usable hardware threads, in their order"),
          field<&T::usable_cores>("cores that these belong to"),
          field<&T::cpu_quota>("CPUs' worth of time that the control group grants; 0: no limit"),
          field<&T::memory_bytes>(),
          field<&T::kinds>("kinds of the usable cores, the fastest first; empty where all are alike"),
          field<&T::caches>("caches of the first usable core of the fastest kind, from L1 outwards"),
          optional_field<&T::this_system>("false: read from a file (HWLOC_XMLFILE), so that no thread can be bound to its CPUs")};
}

template <>
Fields FieldTable<ClockQuality>::fields() {
  return {field<&T::resolution>("smallest step seen between different readings").named("resolution_seconds"),
          field<&T::overhead>("median difference of two readings with nothing between them").named("overhead_seconds")};
}

template <>
Fields FieldTable<NoiseLevel>::fields() {
  return {field<&T::spread>("interquartile range of equal work / its median"),
          field<&T::disturbed_share>("share of slices that took over 1.5 times the median or lost the CPU"),
          field<&T::stolen_share>("share of the CPU's time that the hypervisor took"),
          field<&T::slice>("median time of one slice of work").named("slice_seconds")};
}

template <>
Fields FieldTable<KernelTrial>::fields() {
  return {field<&T::setting>("\"OPENBLAS_CORETYPE=SkylakeX\""), field<&T::kernels>(),
          field<&T::dgemm_flops>("flops per second, one thread")};
}

template <>
Fields FieldTable<InstalledLibrary>::fields() {
  return {field<&T::name>("name that open() takes"), field<&T::path>("absolute, with links resolved"), field<&T::has_blas>(),
          field<&T::has_lapack>()};
}

/// The library's installed file is written into the same object.
template <>
Fields FieldTable<LibraryReport>::fields() {
  return {field<&T::identity>(),
          field<&T::dgemm_flops>("rate of a large dgemm with one thread and the kernels that the library chose; 0 without BLAS")
              .measured_in("flop/s", Best::large),
          field<&T::trials>("other kernels, the fastest first"), field<&T::failure>("why it couldn't be inspected; empty if it could")};
}

namespace {

constexpr const char* document_name = "the report on a machine";

nlohmann::json topology_json(const MachineReport& report) {
  nlohmann::json topology = report.topology;
  for (std::size_t k = 0; k < report.other_kinds.size(); ++k) {
    topology["kinds"].at(k + 1)["measured"] = report.other_kinds[k];
  }
  return topology;
}

nlohmann::json clock_json(const MachineReport& report) {
  const ClockReport& clock = report.clock;
  return {{"invariant_tsc", report.topology.invariant_tsc},
          {"uses_counter", clock.uses_counter},
          {"ticks_per_second", clock.ticks_per_second},
          {"wall", clock.wall},
          {"thread_cpu", clock.thread_cpu}};
}

nlohmann::json noise_json(const NoiseLevel& noise) {
  nlohmann::json json = noise;
  json["judgement"] = machine::judgement(noise);
  return json;
}

nlohmann::json libraries_json(const MachineReport& report) {
  nlohmann::json libraries = nlohmann::json::array();
  for (const LibraryReport& library : report.libraries) {
    nlohmann::json item = library;
    write_fields(item, library.installed);
    libraries.push_back(std::move(item));
  }
  for (const machine::SlowDgemm& slow : report.slow) {
    libraries.at(slow.library)["expected_dgemm_flops"] = slow.expected;
  }
  return libraries;
}

void read_topology(const nlohmann::json& document, MachineReport& report) {
  read_member(document, "topology", report.topology);
  read_member(document, "nominal_hertz", report.topology.nominal_hertz);
  at_place("topology", [&] {
    for_each_element(document.at("topology"), "kinds", [&](const nlohmann::json& kind) {
      if (kind.contains("measured")) {
        read_member(kind, "measured", report.other_kinds.emplace_back());
      }
    });
  });
}

void read_clock(const nlohmann::json& document, MachineReport& report) {
  ClockReport& clock = report.clock;
  read_member(document, "frequency_hertz", clock.core_hertz);
  read_member(document, "noise", clock.noise);
  at_place("clock", [&] {
    const nlohmann::json& json = document.at("clock");
    read_member(json, "invariant_tsc", report.topology.invariant_tsc);
    clock.uses_counter = member_or(json, "uses_counter", report.topology.invariant_tsc);
    read_member(json, "ticks_per_second", clock.ticks_per_second);
    read_member(json, "wall", clock.wall);
    read_member(json, "thread_cpu", clock.thread_cpu);
  });
}

void read_libraries(const nlohmann::json& document, MachineReport& report) {
  for_each_element(document, "libraries", [&](const nlohmann::json& item) {
    LibraryReport& library = report.libraries.emplace_back();
    read_value(item, library);
    read_fields(item, library.installed);
    if (item.contains("expected_dgemm_flops")) {
      report.slow.push_back({report.libraries.size() - 1, member<double>(item, "expected_dgemm_flops")});
    }
  });
}

}  // namespace

std::string to_json(const MachineReport& report) {
  const nlohmann::json members = {{"fingerprint", machine::hardware_fingerprint(report.topology)},
                                  {"topology", topology_json(report)},
                                  {"clock", clock_json(report)},
                                  {"frequency_hertz", report.clock.core_hertz},
                                  {"nominal_hertz", report.topology.nominal_hertz},
                                  {"noise", noise_json(report.clock.noise)},
                                  {"measured", report.measurement},
                                  {"findings", findings(report)},
                                  {"libraries", libraries_json(report)}};
  nlohmann::ordered_json document = {{"schema", "flopcast-machine-2"}};
  document.update(nlohmann::ordered_json(members));
  return document.dump(2);
}

MachineReport machine_report_from_json(std::string_view text) {
  const nlohmann::json document = parse_json(text, document_name);
  return in_document(document_name, [&] {
    require_schema(document, document_name, "flopcast-machine-2");
    MachineReport report;
    read_topology(document, report);
    read_clock(document, report);
    read_member(document, "measured", report.measurement);
    read_libraries(document, report);
    return report;
  });
}

namespace {

nlohmann::ordered_json report_schema(SchemaMaker& maker) {
  const nlohmann::ordered_json number = maker.of<double>(), truth = maker.of<bool>();
  nlohmann::ordered_json kind = maker.object<CoreKind>();
  add_member(kind, "measured", described(maker.of<machine::MachineMeasurement>(), "of kinds of cores other than the first"), false);
  nlohmann::ordered_json topology = maker.object<Topology>();
  topology["properties"]["kinds"] = array_schema(std::move(kind));
  nlohmann::ordered_json noise = maker.object<NoiseLevel>();
  add_member(noise, "judgement", maker.of<std::string>());
  nlohmann::ordered_json library = maker.object<LibraryReport>();
  const nlohmann::ordered_json installed = maker.object<InstalledLibrary>();
  for (const auto& [name, schema] : installed["properties"].items()) {
    add_member(library, name, schema);
  }
  add_member(library, "expected_dgemm_flops", described(number, "flop/s that the library's kernels are known to reach"), false);
  const nlohmann::ordered_json clock = object_schema({{"invariant_tsc", truth},
                                                      {"uses_counter", truth},
                                                      {"ticks_per_second", number},
                                                      {"wall", maker.of<ClockQuality>()},
                                                      {"thread_cpu", maker.of<ClockQuality>()}},
                                                     {"uses_counter"});
  return object_schema({{"fingerprint", maker.of<std::string>()},
                        {"topology", topology},
                        {"clock", clock},
                        {"frequency_hertz", number},
                        {"nominal_hertz", number},
                        {"noise", noise},
                        {"measured", maker.of<machine::MachineMeasurement>()},
                        {"findings", maker.of<std::vector<std::string>>()},
                        {"libraries", array_schema(std::move(library))}});
}

}  // namespace

std::vector<PublishedSchema> machine_report_schemas() {
  return {published("flopcast-machine-2", "Report on a machine: cores, caches, clocks, noise, libraries", report_schema)};
}

}  // namespace flopcast
