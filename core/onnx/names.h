#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace quantscope {

/// The remedy for a damaged file.
inline constexpr const char* kExportAgain = "export the model again";

/// The name as valid UTF-8 on one line: bytes that are neither become U+FFFD. Names end up in
/// messages, JSON and HTML, and a file may hold anything.
std::string printableName(std::string_view name);

/// A name for an unnamed node, from its operator and the name of its output, in the same scope:
/// ("Conv", "block1/7") → "block1/Conv_7".
std::string madeUpNodeName(std::string_view op, std::string_view firstOutput);

/// Hands out names so that each is used once.
class UniqueNames {
 public:
  /// Takes the name. False if it was taken already.
  bool take(const std::string& name) { return m_taken.try_emplace(name, 2).second; }
  /// `wanted`, or the first of `wanted`_2, `wanted`_3, … that is free; takes it.
  std::string takeLike(const std::string& wanted);

 private:
  std::unordered_map<std::string, std::size_t> m_taken;  // with the next number to try
};

}  // namespace quantscope
