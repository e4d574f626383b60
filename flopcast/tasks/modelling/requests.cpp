#include <array>

#include "flopcast/model/model_json.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "flopcast/tasks/modelling/modelling_schemas.hpp"

namespace flopcast {

/// A range is [low, high].
template <>
struct SchemaOf<SizeRange> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::array<std::int64_t, 2>>(); }
};
static void to_json(nlohmann::json& json, const SizeRange& range) { json = {range.low, range.high}; }
static void from_json(const nlohmann::json& json, SizeRange& range) {
  std::array<std::int64_t, 2> ends{};
  read_value(json, ends);
  range = {ends[0], ends[1]};
}

template <>
Fields FieldTable<MachineRequest>::fields() {
  return {optional_field<&T::fresh>("measure again what is kept from earlier runs: caches and memory, in up to 15 s"),
          optional_field<&T::quick>("measure less, in less time: caches and memory by a coarser sweep of a few seconds")};
}
template <>
Fields FieldTable<ModelRequest>::fields() {
  using R = model::RefinementOptions;
  return {field<&T::routine>("routine of the catalogue, such as dtrsm").within(bounds::given),
          field<&T::sizes>("ranges of every size by name: {\"m\": [[8, 1024]]}; several ranges make several domains")
              .within(bounds::given)
              .option(""),
          optional_field<&T::arguments>("flags, scalars and leading dimensions by name: {\"side\": \"L\"}").option(""),
          optional_field<&T::cache>("state of the caches: warm, cold, cold:sweep, cold:fresh, or a cache such as L2"),
          optional_field<&T::method>(
              "refine: adaptive refinement (Peise and Bientinesi 2014); levels: a polynomial per memory level (Iakymchuk 2011)"),
          optional_field<&T::levels, &model::LevelsOptions::measurements>("points per memory level, of the method levels").rare(),
          optional_field<&T::refinement, &R::error_bound>("largest error of a piece before it is subdivided, such as 5%")
              .within(bounds::fraction)
              .option("error"),
          optional_field<&T::refinement, &R::error_type>("error over the points of a piece that counts").rare(),
          optional_field<&T::refinement, &R::min_size>("least width of a piece, in elements").rare(),
          optional_field<&T::refinement, &R::min_width>("spacing of sampled sizes: they are multiples of this number").rare(),
          optional_field<&T::refinement, &R::grid>("distribution of the points of a piece").rare(),
          optional_field<&T::refinement, &R::degree>("degree of the polynomials").rare(),
          optional_field<&T::refinement, &R::oversampling>("number of points per size beyond the degree + 1").rare(),
          optional_field<&T::refinement, &R::basis>("monomials of total or tensor degree, or adapted to the kernel's flops").rare(),
          optional_field<&T::refinement, &R::max_depth>("largest number of subdivisions").rare(),
          optional_field<&T::refinement, &R::reuse>("let points of neighbouring and enclosing pieces count")
              .option("no_reuse", "fit each piece to the points of its own grid only")
              .rare(),
          optional_field<&T::max_repetitions>("largest number of executions of each point").within(bounds::between(1, 10000)).rare(),
          optional_field<&T::seed>("seed of random numbers: the order of repetitions").rare(),
          optional_field<&T::time_budget>("time budget: refinement stops after it; 0: no limit").within(bounds::seconds),
          optional_field<&T::fresh>("measure again what is kept from earlier runs: samples"),
          optional_field<&T::thresholds>("with several threads, look for the work from which on they are used")
              .option("no_thresholds", "with several threads, don't look first for the work from which on the library uses them")
              .rare()};
}
template <>
Fields FieldTable<ModelListRequest>::fields() {
  return {optional_field<&T::other_machines>("take what was made on other machines, too: models, also those for other libraries")
              .option("other_machine")};
}
template <>
Fields FieldTable<ModelNameRequest>::fields() {
  return {field<&T::name>("name of the model, or the beginning of one name only").within(bounds::given),
          optional_field<&T::other_machines>("take what was made on other machines, too: models, also those for other libraries")
              .option("other_machine")};
}
template <>
Fields FieldTable<ModelCheckRequest>::fields() {
  return {optional_field<&T::routines>("routines whose kernels are checked, such as dgemm; empty: all that have samples").argument(),
          optional_field<&T::time_budget>("time budget: for the check, without opening libraries").within(bounds::positive_seconds),
          optional_field<&T::repetitions>("repetitions of each measurement: runs of a point").within(bounds::between(3, 1000)),
          optional_field<&T::seed>("seed of random numbers: the choice of points and the order of runs").rare()};
}
template <>
Fields FieldTable<SampleRequest>::fields() {
  return {field<&T::calls>("calls as texts: [\"dgemm m=100:500:100 n=100 k=100\"]").within(bounds::given).option(""),
          optional_field<&T::caches>("state of the caches: before each call, see below; each call is sampled in each state")
              .within(bounds::given)
              .option("cache"),
          optional_field<&T::repetitions>("repetitions of each measurement; 0: 7, down to 3 for calls over 30 ms")
              .within(bounds::between(0, 1e6)),
          optional_field<&T::interval>("repeat until the median's 99 % interval lies within +- this fraction; 0: off")
              .within(bounds::fraction)
              .rare(),
          optional_field<&T::time_budget>("time budget: sampling stops after it; 0: no limit").within(bounds::seconds),
          optional_field<&T::batch>("calls that are timed together; 0: as many as take 20 us").within(bounds::between(0, 1e6)).rare(),
          optional_field<&T::clock>("clock: elapsed time (wall), or processor time of the process (cpu)").rare(),
          optional_field<&T::seed>("seed of random numbers: the order, and the operands' values").rare(),
          optional_field<&T::normalise>("divide times by the drift of the reference kernel")
              .option("no_normalise", "don't divide times by the drift of the reference kernel (dgemm 256)")
              .rare(),
          optional_field<&T::keep>("keep every repetition in the store").option("")};
}

}  // namespace flopcast
