#include "export/loss_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/number_text.h"

namespace quantscope {
namespace {

constexpr std::size_t kNamedNodes = 3;

std::string nodesText(const std::vector<std::string>& nodes) {
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamedNodes, nodes.size()); ++i) {
    names += (i > 0 ? ", '" : "'") + nodes[i] + "'";
  }
  if (nodes.size() > kNamedNodes) names += ", …";
  return nodes.size() == 1 ? names : counted(nodes.size(), "node") + " (" + names + ")";
}

}  // namespace

nlohmann::ordered_json lossesJson(const ExportLosses& losses) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ExportLoss& loss : losses) {
    nlohmann::ordered_json entry{{"node", loss.node}, {"what", loss.what}};
    if (loss.node.empty()) entry["node"] = nullptr;
    json.push_back(std::move(entry));
  }
  return json;
}

std::string lossesText(const ExportLosses& losses) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const ExportLoss& loss : losses) {
    const auto known = std::ranges::find(kinds, loss.what,
                                         &std::pair<std::string, std::vector<std::string>>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(loss.what, std::vector{loss.node});
    } else {
      known->second.push_back(loss.node);
    }
  }
  std::string text;
  for (const auto& [what, nodes] : kinds) {
    text += "  " + (nodes.front().empty() ? std::string() : nodesText(nodes) + ": ") + what + "\n";
  }
  return text.empty() ? "" : "not expressed as it was shown:\n" + text;
}

void addLosses(const ExportLosses& added, ExportLosses& losses) {
  losses.insert(losses.end(), added.begin(), added.end());
  std::ranges::stable_sort(losses, {}, &ExportLoss::node);
}

}  // namespace quantscope
