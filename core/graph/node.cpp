#include <algorithm>

#include "base/error.h"
#include "graph/graph.h"

namespace quantscope {
namespace {

template <class T>
T attributeOr(const Node& node, std::string_view name, T fallback) {
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr) return fallback;
  if (const T* data = std::get_if<T>(&attribute->data)) return *data;
  throw Error(ErrorCode::InvalidModel,
              "attribute '" + std::string(name) + "' of " + node.op + " has the wrong type",
              {.file = {}, .node = node.name, .value = {}}, "export the model again");
}

}  // namespace

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t fallback) const {
  return attributeOr(*this, attribute, fallback);
}

float Node::real(std::string_view attribute, float fallback) const {
  return attributeOr(*this, attribute, fallback);
}

std::string Node::text(std::string_view attribute, std::string_view fallback) const {
  return attributeOr(*this, attribute, std::string(fallback));
}

std::vector<std::int64_t> Node::integers(std::string_view attribute,
                                         std::vector<std::int64_t> fallback) const {
  return attributeOr(*this, attribute, std::move(fallback));
}

std::vector<float> Node::reals(std::string_view attribute, std::vector<float> fallback) const {
  return attributeOr(*this, attribute, std::move(fallback));
}

BlockId Node::body(std::string_view bodyName) const {
  const auto found = std::ranges::find(
      bodies, bodyName, [](const auto& entry) { return std::string_view(entry.first); });
  if (found == bodies.end()) {
    throw Error(ErrorCode::InvalidModel,
                op + " lacks its sub-graph '" + std::string(bodyName) + "'",
                {.file = {}, .node = name, .value = {}}, "export the model again");
  }
  return found->second;
}

}  // namespace quantscope
