#include "flopcast/core/trace.hpp"

#include "flopcast/core/documents.hpp"

#include <algorithm>
#include <numeric>

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {
namespace {

constexpr const char* schema = "flopcast-trace-1";
constexpr std::size_t max_allocations = std::size_t{1} << 22U;  // beyond them virtual addresses would run out

const Allocation* containing(const std::vector<Allocation>& allocations, std::uintptr_t address) {
  for (const Allocation& allocation : allocations) {
    if (address >= allocation.address &&
        address < allocation.address + static_cast<std::uintptr_t>(std::max<std::int64_t>(allocation.bytes, 1))) {
      return &allocation;
    }
  }
  return nullptr;
}

/// Gathers operands outside of all allocations into new allocations; overlapping spans are joined.
void add_local_allocations(Trace& trace) {
  struct AddressSpan {
    std::uintptr_t begin, end;
    std::size_t first_use;
  };
  std::vector<AddressSpan> spans;
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    const Call& call = trace.calls[c];
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (!is_operand(call.routine->arguments[i]) || call.address(i) == 0 || containing(trace.allocations, call.address(i)) != nullptr) {
        continue;
      }
      const std::int64_t bytes = std::max<std::int64_t>(1, span_elements(call, i) * argument_element_bytes(call, i));
      AddressSpan span{call.address(i), call.address(i) + static_cast<std::uintptr_t>(bytes), c};
      for (std::size_t s = 0; s < spans.size();) {
        if (spans[s].begin < span.end && span.begin < spans[s].end) {
          span = {std::min(span.begin, spans[s].begin), std::max(span.end, spans[s].end), std::min(span.first_use, spans[s].first_use)};
          spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(s));
        } else {
          ++s;
        }
      }
      spans.push_back(span);
    }
  }
  std::sort(spans.begin(), spans.end(), [](const AddressSpan& a, const AddressSpan& b) {
    return a.first_use != b.first_use ? a.first_use < b.first_use : a.begin < b.begin;
  });
  for (std::size_t s = 0; s < spans.size(); ++s) {
    trace.allocations.push_back({fmt::format("local{}", s), spans[s].begin, static_cast<std::int64_t>(spans[s].end - spans[s].begin)});
  }
}

nlohmann::json scalar_to_json(std::complex<double> value) {
  if (value.imag() == 0) {
    return value.real();
  }
  return nlohmann::json::array({value.real(), value.imag()});
}

std::complex<double> scalar_from_json(const nlohmann::json& json) {
  if (json.is_array() && json.size() == 2) {
    return {element<double>(json, 0), element<double>(json, 1)};
  }
  double value = 0;
  read_value(json, value);
  return value;
}

std::int64_t address_from_json(const nlohmann::json& json, const std::vector<Allocation>& allocations) {
  if (json.is_null()) {
    return 0;
  }
  const auto& text = json.get_ref<const std::string&>();
  const std::size_t plus = text.rfind('+');
  const std::string name = text.substr(0, plus);
  for (const Allocation& allocation : allocations) {
    if (allocation.name == name) {
      const std::int64_t offset =
          plus == std::string::npos ? 0 : parse_integer(std::string_view(text).substr(plus + 1), "operand offset", 0, max_operand_bytes);
      return static_cast<std::int64_t>(allocation.address) + offset;
    }
  }
  throw bad_input("operand '{}' lies in no allocation of the trace", text);
}

/// Returns an argument that is no scalar.
std::int64_t argument_from_json(const nlohmann::json& value, Kind kind, const std::vector<Allocation>& allocations) {
  switch (kind) {
    case Kind::flag: return static_cast<unsigned char>(value.get_ref<const std::string&>().at(0));
    case Kind::data:
    case Kind::work:
    case Kind::pivots: return address_from_json(value, allocations);
    default: break;
  }
  std::int64_t number = 0;
  read_value(value, number);
  return number;
}

}  // namespace

double flops(const Trace& trace) {
  double sum = 0;
  for (const Call& call : trace.calls) {
    sum += flops(call);
  }
  return sum;
}

std::int64_t resident_bytes(const Trace& trace) {
  return std::accumulate(trace.allocations.begin(), trace.allocations.end(), std::int64_t{0},
                         [](std::int64_t sum, const Allocation& one) { return sum + one.bytes; });
}

void make_virtual(Trace& trace) {
  add_local_allocations(trace);
  for (Call& call : trace.calls) {
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (!is_operand(call.routine->arguments[i]) || call.address(i) == 0) {
        if (call.routine->arguments[i].kind == Kind::info) {
          call.arguments[i] = 0;
        }
        continue;
      }
      const Allocation* allocation = containing(trace.allocations, call.address(i));
      const auto index = static_cast<std::size_t>(allocation - trace.allocations.data());
      call.arguments[i] = static_cast<std::int64_t>(virtual_base(index) + (call.address(i) - allocation->address));
    }
  }
  for (std::size_t a = 0; a < trace.allocations.size(); ++a) {
    trace.allocations[a].address = virtual_base(a);
  }
}

nlohmann::json to_json(const Call& call, const std::vector<Allocation>& allocations) {
  nlohmann::json json = nlohmann::json::array({call.routine->name});
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    switch (call.routine->arguments[i].kind) {
      case Kind::flag: json.push_back(std::string(1, call.flag(i))); break;
      case Kind::scalar:
      case Kind::real_scalar: json.push_back(scalar_to_json(call.scalars[static_cast<std::size_t>(call.arguments[i])])); break;
      case Kind::data:
      case Kind::work:
      case Kind::pivots: {
        const Allocation* allocation = call.address(i) == 0 ? nullptr : containing(allocations, call.address(i));
        if (allocation == nullptr) {
          json.push_back(nullptr);
        } else {
          json.push_back(fmt::format("{}+{}", allocation->name, call.address(i) - allocation->address));
        }
        break;
      }
      case Kind::info: break;
      default: json.push_back(call.arguments[i]);
    }
  }
  return json;
}

Call call_from_json(const nlohmann::json& json, const std::vector<Allocation>& allocations, const RoutineLookup& lookup) {
  if (!json.is_array() || json.empty() || !json[0].is_string()) {
    throw bad_input("a call must be an array [routine, argument, ...], not {}", shown(json));
  }
  Call call;
  const auto name = json[0].get<std::string>();
  call.routine = lookup(name);
  if (call.routine == nullptr) {
    throw bad_input("the trace calls the unknown routine '{}'", name);
  }
  std::size_t at = 1;
  std::size_t scalar = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::info) {
      continue;
    }
    if (at >= json.size()) {
      throw bad_input("call of {} has too few arguments: '{}' is missing", name, argument.name);
    }
    const nlohmann::json& value = json[at++];
    try {
      if (argument.kind == Kind::scalar || argument.kind == Kind::real_scalar) {
        call.arguments[i] = static_cast<std::int64_t>(scalar);
        call.scalars.at(scalar++) = scalar_from_json(value);
      } else {
        call.arguments[i] = argument_from_json(value, argument.kind, allocations);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw bad_input("call of {}: argument '{}' can't be {}: {}", name, argument.name, shown(value), error.what());
    }
  }
  if (at != json.size()) {
    throw bad_input("call of {} has {} arguments, expected {}", name, json.size() - 1, at - 1);
  }
  if (const std::string fault = fault_of(call); !fault.empty()) {
    throw bad_input("call {} of a trace is impossible: {}", to_string(call), fault);
  }
  return call;
}

nlohmann::json to_json(const Trace& trace) {
  nlohmann::json allocations = nlohmann::json::array();
  for (const Allocation& allocation : trace.allocations) {
    allocations.push_back({{"name", allocation.name}, {"bytes", allocation.bytes}});
  }
  nlohmann::json calls = nlohmann::json::array();
  for (const Call& call : trace.calls) {
    calls.push_back(to_json(call, trace.allocations));
  }
  nlohmann::json json = {{"schema", schema},
                         {"algorithm", trace.configuration.algorithm},
                         {"parameters", trace.configuration.parameters},
                         {"allocations", std::move(allocations)},
                         {"calls", std::move(calls)}};
  if (!trace.calls.empty() && trace.calls.front().integer_bytes != 4) {
    json["integer_bytes"] = trace.calls.front().integer_bytes;
  }
  if (!trace.measured.empty()) {
    json["measured_seconds"] = trace.measured;
  }
  return json;
}

Trace trace_from_json(const nlohmann::json& json, const RoutineLookup& lookup) {
  if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
    throw bad_input("not a trace: expected \"schema\": \"{}\"{}", schema,
                    json.is_object() && json.contains("schema") ? ", found " + shown(json["schema"]) : "");
  }
  try {
    Trace trace;
    trace.configuration.algorithm = member<std::string>(json, "algorithm");
    trace.configuration.parameters = member<std::map<std::string, std::int64_t>>(json, "parameters");
    for_each_element(json, "allocations", [&](const nlohmann::json& item) {
      if (trace.allocations.size() == max_allocations) {
        throw bad_input("trace has more than {} allocations", max_allocations);
      }
      trace.allocations.push_back(
          {member<std::string>(item, "name"), virtual_base(trace.allocations.size()), member<std::int64_t>(item, "bytes")});
      if (trace.allocations.back().bytes < 0 || trace.allocations.back().bytes > max_operand_bytes) {
        throw MemberError("bytes", fmt::format("{} given, expected 0 to {}", trace.allocations.back().bytes, max_operand_bytes));
      }
    });
    const int integer_bytes = member_or(json, "integer_bytes", 4);
    if (integer_bytes != 4 && integer_bytes != 8) {
      throw MemberError("integer_bytes", fmt::format("{} given, expected 4 or 8", integer_bytes));
    }
    for_each_element(json, "calls", [&](const nlohmann::json& item) {
      trace.calls.push_back(call_from_json(item, trace.allocations, lookup));
      trace.calls.back().integer_bytes = integer_bytes;
    });
    if (json.contains("measured_seconds")) {
      trace.measured = member<std::vector<Seconds>>(json, "measured_seconds");
      if (trace.measured.size() != trace.calls.size()) {
        throw bad_input("trace has {} measured times for {} calls", trace.measured.size(), trace.calls.size());
      }
    }
    return trace;
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("trace is damaged: {}", reason(error));
  }
}

}  // namespace flopcast
