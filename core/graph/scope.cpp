#include <algorithm>
#include <cctype>

#include "graph/graph.h"

namespace quantscope {
namespace {

constexpr auto kNone = std::string_view::npos;

bool isNumber(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c); });
}

// TensorFlow Lite names a fused operator after all that went into it, joined by ';', or by '_'
// where a converter does not allow that: "model/a/Relu_model/b/BiasAdd". The first one speaks for
// all. It ends in the name of an operator, which begins with a capital; scopes do not.
std::string_view firstOfFused(std::string_view name) {
  name = name.substr(0, name.find(';'));
  const std::size_t rootEnd = name.find('/');
  if (rootEnd == kNone || rootEnd == 0) return name;
  std::string joint = "_";
  joint += name.substr(0, rootEnd + 1);
  const std::size_t joined = name.find(joint);
  if (joined == kNone) return name;
  const std::string_view first = name.substr(0, joined);
  const std::string_view operatorName = first.substr(first.rfind('/') + 1);
  const bool isOperator =
      !operatorName.empty() && std::isupper(static_cast<unsigned char>(operatorName[0])) != 0;
  return isOperator && first.size() > rootEnd ? first : name;
}

// Exporters join scopes with '/' (PyTorch 2, Keras) or with '.' (older PyTorch). A name with a
// slash is split at slashes only: module names inside it may contain dots ("layer1.0"). A number
// after a dot is part of a name ("Conv.1").
std::size_t lastSeparator(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != kNone) return slash;
  std::size_t dot = name.rfind('.');
  std::size_t end = name.size();
  while (dot != kNone && isNumber(name.substr(dot + 1, end - dot - 1))) {
    end = dot;
    dot = dot == 0 ? kNone : name.rfind('.', dot - 1);
  }
  return dot;
}

}  // namespace

std::string scopeOf(std::string_view nodeName) {
  const std::string_view name = firstOfFused(nodeName);
  const std::size_t separator = lastSeparator(name);
  return separator == kNone ? std::string() : std::string(name.substr(0, separator));
}

std::string shortName(std::string_view nodeName) {
  const std::string_view name = firstOfFused(nodeName);
  const std::size_t separator = lastSeparator(name);
  return std::string(separator == kNone ? name : name.substr(separator + 1));
}

}  // namespace quantscope
