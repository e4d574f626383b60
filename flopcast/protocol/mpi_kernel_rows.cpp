#include "flopcast/protocol/mpi_kernel_rows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

using nlohmann::json;

/// Places in a row.
enum Column : std::size_t { name, count, mean, variance, along, flops, size_count, first_word };

json row_of(const MpiKernel& kernel) {
  const MpiTimes& times = representative_times(kernel);
  json row = {kernel.name, times.count, times.mean, times.variance, kernel.along.count, kernel.flops, kernel.size_count};
  for (const std::int64_t word : kernel.words) {
    row.push_back(word);
  }
  return row;
}

MpiKernel kernel_of(const json& row) {
  const auto number_or_infinity = [&](Column column) {  // JSON has no infinity, and a time that overflowed is null
    return element<std::optional<double>>(row, column).value_or(std::numeric_limits<double>::infinity());
  };
  MpiKernel kernel;
  kernel.name = element<std::string>(row, name);
  kernel.executed = {std::max<std::int64_t>(element<std::int64_t>(row, count), 0), number_or_infinity(mean), number_or_infinity(variance)};
  kernel.executed.seconds = kernel.executed.mean * static_cast<double>(kernel.executed.count);
  kernel.along.count = std::max<std::int64_t>(element<std::int64_t>(row, along), 0);
  kernel.flops = element<double>(row, flops);
  kernel.size_count = element<std::int64_t>(row, size_count);
  for (std::size_t i = first_word; i < row.size(); ++i) {
    kernel.words.push_back(element<std::int64_t>(row, i));
  }
  return kernel;
}

}  // namespace

json rows_of(const MpiKernelList& list) {
  json groups = json::array();
  const MpiKernel* last = nullptr;
  for (const MpiKernel& kernel : list.kernels) {
    if (last == nullptr || last->routine != kernel.routine || last->kind != kernel.kind || last->where != kernel.where) {
      groups.push_back(
          {{"where", kernel.where.value_or(list.where)}, {"kind", kernel.kind}, {"routine", kernel.routine}, {"kernels", json::array()}});
    }
    groups.back()["kernels"].push_back(row_of(kernel));
    last = &kernel;
  }
  return {{"schema", mpi_kernels_schema}, {"groups", std::move(groups)}};
}

MpiKernelList kernel_list_of(const json& document) {
  if (member<std::string>(document, "schema") != mpi_kernels_schema) {
    require_schema(document, "the document", mpi_profile_schema);
    return document.get<MpiKernelList>();
  }
  MpiKernelList list;
  for_each_element(document, "groups", [&](const json& group) {
    const auto where = member<std::string>(group, "where");
    const auto kind = member<selective::KernelKind>(group, "kind");
    const auto routine = member<std::string>(group, "routine");
    for_each_element(group, "kernels", [&](const json& row) {
      MpiKernel& kernel = list.kernels.emplace_back(kernel_of(row));
      kernel.where = where;
      kernel.kind = kind;
      kernel.routine = routine;
    });
  });
  return list;
}

}  // namespace flopcast
