#include <array>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"
#include "flopcast/tasks/tuning/tuning_schemas.hpp"

namespace flopcast {

template <>
struct EnumNames<LibraryRow> {
  static constexpr std::array names{std::pair{LibraryRow::none, "none"}, std::pair{LibraryRow::default_blocks, "default_blocks"},
                                    std::pair{LibraryRow::tuned, "tuned"}};
};
template <>
struct EnumNames<tuning::Extent> {
  static constexpr std::array names{std::pair{tuning::Extent::all, "all"}, std::pair{tuning::Extent::ranking, "ranking"}};
};

namespace {

/// Members that results repeat.
template <class T>
Field field_of_nb() {
  return optional_field<&T::nb>("block sizes to choose from; recursions end at nb").within(bounds::given);
}
template <class T>
Field field_of_seed() {
  return optional_field<&T::seed>("seed of random numbers: the order of measurements").rare();
}

/// Members with one meaning in all requests of this family.
template <class T>
Fields fields_of_tuning() {
  return {field_of_nb<T>(),
          optional_field<&T::tune_crossover>("choose LAPACK's crossover point nx, too")
              .option("fixed_crossover", "keep LAPACK's crossover point nx instead of choosing it, too")
              .rare(),
          optional_field<&T::repetitions>("repetitions of each measurement: long runs of a validation; short ones get more")
              .within(bounds::between(1, 1000))
              .rare(),
          optional_field<&T::fresh>("measure again what is kept from earlier runs: samples"), field_of_seed<T>()};
}

/// Members that name the problems of one routine or family.
template <class T>
Fields fields_of_problems() {
  return {optional_field<&T::n>("orders such as 1000, 200:3200 (16 values), 200:3200:100 or a list; all other sizes are equal to them"),
          optional_field<&T::sizes>("sizes by the names of arguments: every combination is a problem").within(bounds::given).option(""),
          optional_field<&T::flags>("flags by the names of arguments: {\"uplo\": \"U\"}; a flag of two values that isn't named has both")
              .option("")};
}

}  // namespace

template <>
Fields FieldTable<TuningSettings>::fields() {
  return {optional_field<&T::time_budget>("time for the whole tuning"), field_of_nb<T>(), field_of_seed<T>()};
}

template <>
Fields FieldTable<TuneRequest>::fields() {
  return Fields{field<&T::routine>("LAPACK routine, such as dgeqrf").within(bounds::given)} + fields_of_problems<T>() +
         Fields{optional_field<&T::time_budget>("time budget: for tuning").within(bounds::seconds)} + fields_of_tuning<T>() +
         Fields{
             optional_field<&T::validate>("also execute what was predicted, and compare: the routine with every block size, interleaved"),
             optional_field<&T::validation_budget>("time for the validation; missing: no limit").within(bounds::seconds).option(""),
             optional_field<&T::tuning>("tuning file: takes the decisions; empty: none").within(bounds::path_or_nothing)};
}

template <>
Fields FieldTable<LapackRequest>::fields() {
  return Fields{optional_field<&T::precisions>("letters of s, d, c and z, the most used first").within(bounds::given),
                optional_field<&T::n>("orders of the problems"),
                optional_field<&T::time_budget>("time for all routines together, without their validation").within(bounds::seconds)} +
         fields_of_tuning<T>() +
         Fields{optional_field<&T::validate>("run every routine with every block size, too, and compare"),
                optional_field<&T::limits_validation>("a routine's validation may take as long as its tuning"),
                optional_field<&T::tuning>("tuning file: takes each routine's decisions as soon as they are there; empty: the usual one")
                    .within(bounds::path_or_nothing)};
}

template <>
Fields FieldTable<RankRequest>::fields() {
  return Fields{field<&T::family>("family such as cholesky or lu, a LAPACK routine, or a job of drivers: eigh, svd, lstsq, solve, inverse")
                    .within(bounds::given)} +
         fields_of_problems<T>() +
         Fields{optional_field<&T::precision>("precision of the elements: of a family's; a routine's name has its own"),
                optional_field<&T::variants>("names of the variants to compare; missing: all of the family").option(""),
                optional_field<&T::library>("row of the library's own routine").option(""),
                optional_field<&T::vectors>("drivers of eigh and svd compute vectors, too")
                    .option("no_vectors", "rank drivers of eigh and svd without vectors"),
                optional_field<&T::values>("drivers of eigh: number of the smallest eigenvalues that are wanted; 0: all"),
                optional_field<&T::spectrum>("spectrum of the matrices by which drivers are ranked").rare(),
                optional_field<&T::time_budget>("time budget: for ranking in all places together").within(bounds::seconds)} +
         fields_of_tuning<T>() +
         Fields{optional_field<&T::validate>("alternatives that are run and compared; missing: none").option(""),
                optional_field<&T::validation_budget>("time for validating in all places together; missing: no limit")
                    .within(bounds::seconds)
                    .option(""),
                optional_field<&T::blas>("BLAS libraries to compare; empty: the workbench's").within(bounds::path_or_nothing).option(""),
                optional_field<&T::threads>("numbers of threads to compare; empty: the workbench's").within(bounds::threads).option("")};
}

}  // namespace flopcast
