#include "widgets/graph/drawing/scope_names.h"

#include <algorithm>

#include "export/pictures/scope_bands.h"

namespace quantscope {
namespace {

constexpr double kMostUnscoped = 0.25;  // of all

}  // namespace

std::vector<std::size_t> ScopeNames::path(std::string_view scope, std::size_t skipped) {
  std::vector<std::size_t> path;
  std::size_t parent = 0;
  std::size_t end = skipped;
  for (const std::string& part : scopeParts(scope.substr(std::min(skipped, scope.size())))) {
    end = scope.find(part, end) + part.size();
    const auto [known, added] = m_children.try_emplace({parent, part}, m_scopes.size());
    if (added) m_scopes.push_back({std::string(scope.substr(0, end)), part});
    parent = known->second;
    path.push_back(parent);
  }
  return path;
}

std::size_t commonScopes(const std::vector<std::vector<std::size_t>>& paths) {
  const auto unscoped = std::ranges::count_if(paths, [](const auto& path) { return path.empty(); });
  if (static_cast<double>(unscoped) > kMostUnscoped * static_cast<double>(paths.size())) return 0;
  const std::vector<std::size_t>* first = nullptr;
  std::size_t common = 0;
  for (const std::vector<std::size_t>& path : paths) {
    if (path.empty()) continue;
    if (first == nullptr) {
      first = &path;
      common = path.size();
    }
    const auto length = static_cast<std::ptrdiff_t>(std::min(common, path.size()));
    const auto end = std::mismatch(first->begin(), first->begin() + length, path.begin()).first;
    common = static_cast<std::size_t>(end - first->begin());
  }
  return common;
}

}  // namespace quantscope
