#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quantscope {

/// The parts of a scope: "/a/b" → a, b; "a.b" → a, b.
std::vector<std::string> scopeParts(std::string_view scope);

/// Number of parts that all scopes begin with; empty scopes do not count.
std::size_t commonScopeParts(const std::vector<std::string>& scopes);

/// Neighbouring rows that share a scope down to `level`.
struct ScopeBand {
  std::size_t level = 0;
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive
  std::string name;      ///< the scope's part at that level
};

/// Brackets for rows with the given scopes, the outermost `levels` that tell rows apart: a part
/// that all scopes begin with is left out. Rows without a scope belong to no band.
std::vector<ScopeBand> scopeBands(const std::vector<std::string>& scopes, std::size_t levels);

}  // namespace quantscope
