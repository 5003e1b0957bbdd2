#include "graph/graph.h"

namespace quantscope {
namespace {

// Exporters join scopes with '/' (PyTorch 2, Keras) or with '.' (older PyTorch). A name with a
// slash is split at slashes only: module names inside it may contain dots ("layer1.0").
std::size_t lastSeparator(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash != std::string_view::npos ? slash : name.rfind('.');
}

}  // namespace

std::string scopeOf(std::string_view nodeName) {
  const std::size_t separator = lastSeparator(nodeName);
  return separator == std::string_view::npos ? std::string()
                                             : std::string(nodeName.substr(0, separator));
}

std::string shortName(std::string_view nodeName) {
  const std::size_t separator = lastSeparator(nodeName);
  return std::string(separator == std::string_view::npos ? nodeName
                                                         : nodeName.substr(separator + 1));
}

}  // namespace quantscope
