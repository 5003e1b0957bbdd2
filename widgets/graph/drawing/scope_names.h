#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quantscope {

/// The scopes of one block of a model as a tree: each is a number, and 0 stands for no scope.
class ScopeNames {
 public:
  ScopeNames() : m_scopes(1) {}

  /// The scopes that a layer stands in, outermost first. The first `skipped` characters of its
  /// full scope name are the block's own name.
  std::vector<std::size_t> path(std::string_view scope, std::size_t skipped);

  const std::string& fullName(std::size_t scope) const { return m_scopes[scope].fullName; }
  const std::string& lastPart(std::size_t scope) const { return m_scopes[scope].lastPart; }

 private:
  struct Scope {
    std::string fullName;
    std::string lastPart;
  };

  std::vector<Scope> m_scopes;
  std::map<std::pair<std::size_t, std::string>, std::size_t> m_children;
};

/// How many scopes all paths begin with. A few empty ones do not count: exporters leave what stands
/// at the ends of a model without a scope.
std::size_t commonScopes(const std::vector<std::vector<std::size_t>>& paths);

}  // namespace quantscope
