#pragma once

#include <string_view>

namespace quantscope {

/// True where `scope` is `outer` or lies in it: "/a/b" and "/a.b" do in "/a", "/ab" does not.
inline bool isWithinScope(std::string_view scope, std::string_view outer) {
  if (!scope.starts_with(outer)) return false;
  return scope.size() == outer.size() || scope[outer.size()] == '/' || scope[outer.size()] == '.';
}

}  // namespace quantscope
