#include "export/pictures/scope_bands.h"

#include <algorithm>

namespace quantscope {
namespace {

using ScopeParts = std::vector<std::string>;

std::size_t commonParts(const std::vector<ScopeParts>& rows) {
  const ScopeParts* first = nullptr;
  std::size_t common = 0;
  for (const ScopeParts& row : rows) {
    if (row.empty()) continue;
    if (first == nullptr) {
      first = &row;
      common = row.size();
    }
    const auto [end, other] = std::mismatch(
        first->begin(), first->begin() + static_cast<std::ptrdiff_t>(std::min(common, row.size())),
        row.begin());
    common = static_cast<std::size_t>(end - first->begin());
  }
  return common;
}

bool shareParts(const ScopeParts& a, const ScopeParts& b, std::size_t count) {
  return a.size() >= count && b.size() >= count &&
         std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin());
}

}  // namespace

std::vector<std::string> scopeParts(std::string_view scope) {
  const char separator = scope.find('/') == std::string_view::npos ? '.' : '/';
  ScopeParts parts;
  while (!scope.empty()) {
    const std::size_t end = std::min(scope.find(separator), scope.size());
    if (end > 0) parts.emplace_back(scope.substr(0, end));
    scope.remove_prefix(std::min(end + 1, scope.size()));
  }
  return parts;
}

std::size_t commonScopeParts(const std::vector<std::string>& scopes) {
  std::vector<ScopeParts> rows;
  for (const std::string& scope : scopes) rows.push_back(scopeParts(scope));
  return commonParts(rows);
}

std::vector<ScopeBand> scopeBands(const std::vector<std::string>& scopes, std::size_t levels) {
  std::vector<ScopeParts> rows;
  for (const std::string& scope : scopes) rows.push_back(scopeParts(scope));
  const std::size_t common = commonParts(rows);

  std::vector<ScopeBand> bands;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t depth = common + level + 1;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].size() < depth) continue;
      const bool continues = row > 0 && shareParts(rows[row - 1], rows[row], depth);
      if (continues) {
        bands.back().last = row;
      } else {
        bands.push_back({level, row, row, rows[row][depth - 1]});
      }
    }
  }
  return bands;
}

}  // namespace quantscope
