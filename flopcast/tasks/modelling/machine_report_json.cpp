#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/core/documents.hpp"
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
  return {field<&T::level>("1 for L1"), field<&T::bytes>("capacity of one instance"), field<&T::line_bytes>("0 if not told"),
          field<&T::associativity>("0 if not told"), field<&T::cores>("cores that share one instance")};
}

template <>
Fields FieldTable<CpuPlace>::fields() {
  return {field<&T::cpu>("number of the hardware thread"), field<&T::core>("number of its core"), field<&T::socket>("number of its socket"),
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
          field<&T::sockets>("number of sockets"),
          field<&T::cores>("number of cores; hyperthreads of one core count once"),
          field<&T::hardware_threads>("number of hardware threads"),
          field<&T::numa_nodes>("number of NUMA nodes"),
          field<&T::usable>("hardware threads that this process may use").named("usable_cpus"),
          optional_field<&T::places>("places of the usable hardware threads, in their order"),
          field<&T::usable_cores>("cores that these belong to"),
          field<&T::cpu_quota>("CPUs' worth of time that the control group grants; 0: no limit"),
          field<&T::memory_bytes>("memory of the system"),
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
  return {field<&T::setting>("\"OPENBLAS_CORETYPE=SkylakeX\""), field<&T::kernels>("kernels by the library's name for them"),
          field<&T::dgemm_flops>("rate of a large dgemm with one thread").named("dgemm_flops_per_second")};
}

template <>
Fields FieldTable<InstalledLibrary>::fields() {
  return {field<&T::name>("name by which --blas and --lapack choose the library"),
          field<&T::path>("path of the library, absolute and with links resolved"), field<&T::has_blas>("the library has BLAS"),
          field<&T::has_lapack>("the library has LAPACK")};
}

/// The library's installed file is written into the same object.
template <>
Fields FieldTable<LibraryReport>::fields() {
  return {field<&T::identity>("the library as it was loaded"),
          field<&T::dgemm_flops>("rate of a large dgemm with one thread and the kernels that the library chose; 0 without BLAS")
              .named("dgemm_flops_per_second"),
          field<&T::trials>("other kernels, the fastest first"), field<&T::failure>("why it couldn't be inspected; empty if it could")};
}

template <>
Fields FieldTable<ClockReport>::fields() {
  return {optional_field<&T::uses_counter>("the wall clock is the time stamp counter"),
          field<&T::ticks_per_second>("rate of the wall clock").measured_in("Hz", Best::neither),
          field<&T::wall>("resolution and cost of the wall clock"), field<&T::thread_cpu>("resolution and cost of the thread's CPU clock")};
}

/// Members whose form is that of their types. The others are added below.
template <>
Fields FieldTable<MachineReport>::fields() {
  return {field<&T::topology>("cores, memory and caches as the system reports them"),
          field<&T::topology, &Topology::nominal_hertz>("clock of the CPU as it is sold; 0 if not told"),
          field<&T::clock, &ClockReport::core_hertz>("clock of the core now").named("frequency_hertz"),
          field<&T::clock, &ClockReport::noise>("differences between slices of equal work"),
          field<&T::measurement>("measured caches and memory of the fastest kind of cores").named("measured")};
}

namespace {

constexpr const char* document_name = "the report on a machine";

nlohmann::json libraries_json(const MachineReport& report) {
  nlohmann::json libraries = nlohmann::json::array();
  for (const LibraryReport& library : report.libraries) {
    libraries.push_back(library);
    write_fields(libraries.back(), library.installed);
  }
  for (const machine::SlowDgemm& slow : report.slow) {
    libraries.at(slow.library)["expected_dgemm_flops_per_second"] = slow.expected;
  }
  return libraries;
}

void read_kinds(const nlohmann::json& topology, MachineReport& report) {
  for_each_element(topology, "kinds", [&](const nlohmann::json& kind) {
    if (kind.contains("measured")) {
      read_member(kind, "measured", report.other_kinds.emplace_back());
    }
  });
}

void read_clock(const nlohmann::json& clock, MachineReport& report) {
  read_member(clock, "invariant_tsc", report.topology.invariant_tsc);
  report.clock.uses_counter = report.topology.invariant_tsc;
  read_fields(clock, report.clock);
}

void read_library(const nlohmann::json& item, MachineReport& report) {
  LibraryReport& library = report.libraries.emplace_back();
  read_value(item, library);
  read_fields(item, library.installed);
  if (item.contains("expected_dgemm_flops_per_second")) {
    report.slow.push_back({report.libraries.size() - 1, member<double>(item, "expected_dgemm_flops_per_second")});
  }
}

}  // namespace

std::string to_json(const MachineReport& report) {
  nlohmann::json members;
  write_fields(members, report);
  for (std::size_t k = 0; k < report.other_kinds.size(); ++k) {
    members["topology"]["kinds"].at(k + 1)["measured"] = report.other_kinds[k];
  }
  members["clock"] = report.clock;
  members["clock"]["invariant_tsc"] = report.topology.invariant_tsc;
  members["noise"]["judgement"] = machine::judgement(report.clock.noise);
  members["fingerprint"] = machine::hardware_fingerprint(report.topology);
  members["findings"] = findings(report);
  members["libraries"] = libraries_json(report);
  nlohmann::ordered_json document = {{"schema", "flopcast-machine-2"}};
  document.update(nlohmann::ordered_json(members));
  return document.dump(2);
}

MachineReport machine_report_from_json(std::string_view text) {
  const nlohmann::json document = parse_json(text, document_name);
  return in_document(document_name, [&] {
    require_schema(document, document_name, "flopcast-machine-2");
    MachineReport report;
    read_fields(document, report);
    at_place("topology", [&] { read_kinds(document.at("topology"), report); });
    at_place("clock", [&] { read_clock(document.at("clock"), report); });
    for_each_element(document, "libraries", [&](const nlohmann::json& item) { read_library(item, report); });
    return report;
  });
}

namespace {

nlohmann::ordered_json report_schema(SchemaMaker& maker) {
  const auto of_text = [&maker](const char* meaning) { return described(maker.of<std::string>(), meaning); };
  nlohmann::ordered_json kind = maker.object<CoreKind>();
  add_member(kind, "measured", described(maker.of<machine::MachineMeasurement>(), "of kinds of cores other than the first"), false);
  nlohmann::ordered_json topology = maker.object<Topology>();
  nlohmann::ordered_json& kinds = topology["properties"]["kinds"];
  kinds = described(array_schema(std::move(kind)), kinds["description"].get<std::string>());
  nlohmann::ordered_json noise = maker.object<NoiseLevel>();
  add_member(noise, "judgement", of_text("what the noise means for measurements"));
  nlohmann::ordered_json library = maker.object<LibraryReport>();
  library["properties"].update(maker.object<InstalledLibrary>()["properties"]);
  add_member(library, "expected_dgemm_flops_per_second",
             described(maker.of<double>(), "flop/s that the library's kernels are known to reach"), false);
  nlohmann::ordered_json clock = maker.object<ClockReport>();
  add_member(clock, "invariant_tsc", described(maker.of<bool>(), "the time stamp counter has one rate at all clocks"));
  nlohmann::ordered_json root = maker.object<MachineReport>();
  const auto replace = [&root](const char* name, nlohmann::ordered_json schema) {
    nlohmann::ordered_json& member = root["properties"][name];
    member = described(std::move(schema), member["description"].get<std::string>());
  };
  replace("topology", std::move(topology));
  replace("noise", std::move(noise));
  add_member(root, "clock", described(std::move(clock), "the clocks of this machine"));
  add_member(root, "fingerprint", of_text("digest of the CPU, its cores and caches"));
  add_member(root, "findings", described(maker.of<std::vector<std::string>>(), "sentences about what is odd"));
  add_member(root, "libraries", described(array_schema(std::move(library)), "installed BLAS and LAPACK libraries"));
  return root;
}

}  // namespace

std::vector<PublishedSchema> machine_report_schemas() {
  return {published("flopcast-machine-2", "Report on a machine: cores, caches, clocks, noise, libraries", report_schema)};
}

}  // namespace flopcast
