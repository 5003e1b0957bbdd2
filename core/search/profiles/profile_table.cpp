#include "search/profiles/profile_table.h"

#include <algorithm>
#include <map>

#include "base/files/input_file.h"
#include "precision/config/json_reader.h"
#include "resources/profiles_json.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMostProfileBytes = std::uint64_t{1} << 22;
constexpr std::string_view kGeneric = "generic";
constexpr std::array<std::string_view, kSchemes> kSchemeNames{"int8", "int16", "dynamic", "fp32"};

const std::string kProfiles = "the table of profiles";

Scheme readScheme(const JsonReader& reader) {
  const auto found = std::ranges::find(kSchemeNames, reader.text());
  if (found == kSchemeNames.end()) {
    reader.fail("is the unknown scheme '" + reader.text() + "'",
                "use int8, int16, dynamic or fp32");
  }
  return static_cast<Scheme>(found - kSchemeNames.begin());
}

using Figures = std::array<std::optional<float>, kSchemes>;

Figures readFigures(const JsonReader& reader, bool isShare) {
  reader.requireKeys({kSchemeNames.begin(), kSchemeNames.end()});
  Figures figures;
  for (std::size_t i = 0; i < kSchemes; ++i) {
    const std::string key(kSchemeNames[i]);
    if (!reader.has(key.c_str())) continue;
    const JsonReader figure = reader[key];
    figures[i] = figure.real();
    if (isShare && (*figures[i] < 0 || *figures[i] > 1)) {
      figure.fail("is not a share", "write a number from 0 to 1");
    }
    if (!isShare && *figures[i] <= 0) {
      figure.fail("is not a multiple of a speed", "write a number above 0");
    }
  }
  return figures;
}

PrecisionProfile readProfile(const std::string& profileName, const JsonReader& reader) {
  reader.requireKeys(
      {"operators", "attention", "recommended", "sensitive", "accuracy_loss", "speedup"});
  PrecisionProfile profile;
  profile.name = profileName;
  if (reader.has("operators")) profile.operators = reader["operators"].texts();
  if (reader.has("attention")) profile.attention = reader["attention"].boolean();
  profile.recommended = readScheme(reader.required("recommended"));
  profile.sensitive = reader.required("sensitive").boolean();
  profile.accuracyLoss = readFigures(reader.required("accuracy_loss"), true);
  profile.speedup = readFigures(reader.required("speedup"), false);
  return profile;
}

}  // namespace

std::string_view name(Scheme scheme) {
  return kSchemeNames[static_cast<std::size_t>(scheme)];
}

ProfileTable::ProfileTable(std::vector<PrecisionProfile> profiles)
    : m_profiles(std::move(profiles)) {
  const auto generic = std::ranges::find(m_profiles, kGeneric, &PrecisionProfile::name);
  m_generic = static_cast<std::size_t>(generic - m_profiles.begin());
}

const PrecisionProfile& ProfileTable::of(std::string_view op, bool inAttention) const {
  const PrecisionProfile* found = &m_profiles[m_generic];
  for (const PrecisionProfile& profile : m_profiles) {
    if (inAttention && profile.attention) return profile;
    if (std::ranges::find(profile.operators, op) != profile.operators.end()) found = &profile;
  }
  return *found;
}

ProfileTable parseProfiles(std::string_view json, const std::string& source) {
  const JsonReader::Json parsed = parseStrictJson(json, source, kProfiles);
  const JsonReader reader(parsed, source, kProfiles);
  reader.requireKeys({"quantscope_profiles", "about", "profiles"});
  if (reader.required("quantscope_profiles").integer() != 1) {
    reader["quantscope_profiles"].fail("is not 1", "write 1, or take a newer program");
  }
  std::vector<PrecisionProfile> profiles;
  std::map<std::string, std::string> profileOf;  // by operator
  for (const auto& [profileName, entry] : reader.required("profiles").entries()) {
    profiles.push_back(readProfile(profileName, entry));
    for (const std::string& op : profiles.back().operators) {
      const auto [claimed, isNew] = profileOf.emplace(op, profileName);
      if (isNew) continue;
      const bool own = claimed->second == profileName;
      entry["operators"].fail("has " + op + (own ? " twice" : ", which another profile has"),
                              "name it once");
    }
  }
  const auto generic = std::ranges::find(profiles, kGeneric, &PrecisionProfile::name);
  if (generic == profiles.end()) {
    reader["profiles"].fail("has no profile for all other operators", "add one called generic");
  }
  return ProfileTable(std::move(profiles));
}

std::shared_ptr<const ProfileTable> shippedProfiles() {
  static const auto shipped = std::make_shared<const ProfileTable>(
      parseProfiles(resources::profiles_json(), "profiles.json"));
  return shipped;
}

std::shared_ptr<const ProfileTable> readProfiles(const std::filesystem::path& file) {
  return std::make_shared<const ProfileTable>(
      parseProfiles(readFile(file, kMostProfileBytes), file.string()));
}

}  // namespace quantscope
