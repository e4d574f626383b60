#pragma once

#include "flopcast/model/box.hpp"
#include "flopcast/model/model.hpp"
#include "flopcast/support/schema.hpp"

/// Schemas of models and boxes.
namespace flopcast {

template <>
struct SchemaOf<model::Box> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

/// The document itself, without its member "schema".
template <>
struct SchemaOf<model::Model> {
  static nlohmann::ordered_json make(SchemaMaker& maker);
};

}  // namespace flopcast
