#include "jobs/sensitivity/sensitivity_identity.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace quantscope {
namespace {

using IdentityJson = nlohmann::ordered_json;

std::string joinedByCommas(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    text += (i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

}  // namespace

ContentId wholeOf(const SensitivityIdentity& identity) {
  const ContentId rest = combined({identity.model, identity.data, identity.settings});
  return identity.backend.valid() ? combined({rest, identity.backend}) : rest;
}

void writeIdentity(const SensitivityIdentity& identity, IdentityJson& result) {
  result["identity"] = toString(identity.whole);
  result["origin"] = identity.origin;
  result["hashes"] = {{"model", toString(identity.model)},
                      {"data", toString(identity.data)},
                      {"settings", toString(identity.settings)}};
  if (identity.backend.valid()) result["hashes"]["backend"] = toString(identity.backend);
}

std::string differenceOf(const IdentityJson& result, const IdentityJson& other) {
  if (result.at("identity") == other.at("identity")) return {};
  std::vector<std::string> differences;
  if (result.contains("hashes") && other.contains("hashes")) {
    const auto compare = [&](const char* key, const char* words) {
      const auto hashOf = [key](const IdentityJson& json) {
        return json.at("hashes").value(key, std::string());
      };
      if (hashOf(result) != hashOf(other)) differences.emplace_back(words);
    };
    compare("model", "of another model");
    compare("data", "of other samples or labels");
    compare("settings", "with other settings");
    compare("backend", "with another backend file");
  }
  return differences.empty() ? "of another model, data or setting" : joinedByCommas(differences);
}

std::string otherOrigin(const IdentityJson& result, const IdentityJson& other) {
  const auto originOf = [](const IdentityJson& json) {
    return json.value("origin", std::string("an older program"));
  };
  if (originOf(result) == originOf(other)) return {};
  return "of another program or processor: '" + originOf(result) + "', not '" + originOf(other) +
         "'";
}

}  // namespace quantscope
