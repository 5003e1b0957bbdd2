#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "export/json/sensitivity_json.h"
#include "jobs/sensitivity/run_sensitivity.h"
#include "jobs/sensitivity/sensitivity_file.h"
#include "jobs/sensitivity/sensitivity_identity.h"

namespace quantscope {
namespace {

using ShardJson = nlohmann::ordered_json;

[[noreturn]] void failToMerge(const std::filesystem::path& file, const std::string& problem,
                              const std::string& remedy) {
  throw Error(ErrorCode::InvalidData, problem, {.file = file.string(), .node = {}, .value = {}},
              remedy);
}

ShardJson readShardFile(const std::filesystem::path& file) {
  ShardJson part = readSensitivityFile(file);
  if (!part.contains("shard")) {
    failToMerge(file, "the result is no shard", "merge what --shard has written");
  }
  if (!part.value("complete", true)) {
    failToMerge(file, "the shard is incomplete",
                "run it again with --resume and this file, to its end");
  }
  return part;
}

class ShardMerger {
 public:
  void add(const std::filesystem::path& file) {
    ShardJson part = readShardFile(file);
    const auto number = part["shard"][0].get<std::size_t>();
    if (m_merged.is_null()) {
      m_first = file;
      m_count = part["shard"][1].get<std::size_t>();
      m_merged = part;
      m_merged["nodes"] = ShardJson::array();
    }
    requireSameJob(file, part);
    if (!m_shards.insert(number).second) {
      failToMerge(file, "shard " + std::to_string(number) + " is there twice",
                  "name each shard once");
    }
    takeRows(file, part["nodes"]);
  }

  ShardJson result() {
    for (std::size_t number = 1; number <= m_count; ++number) {
      if (m_shards.contains(number)) continue;
      failToMerge(
          m_first,
          "shard " + std::to_string(number) + " of " + std::to_string(m_count) + " is missing",
          "name the results of all shards");
    }
    const auto rows = m_merged["rows"].get<std::size_t>();
    const std::size_t found = m_merged["nodes"].size();
    if (found != rows) {
      failToMerge({},
                  "the shards have " + std::to_string(found) + " rows together, and each says " +
                      std::to_string(rows),
                  "run the shard that lacks some again");
    }
    m_merged.erase("shard");
    sortSensitivityRows(m_merged["nodes"]);
    return std::move(m_merged);
  }

 private:
  void requireSameJob(const std::filesystem::path& file, const ShardJson& part) const {
    const std::string difference = differenceOf(part, m_merged);
    if (!difference.empty()) {
      failToMerge(file, "the shard is " + difference + " than the first one",
                  "merge shards of one job");
    }
    if (part["shard"][1] != m_count) {
      failToMerge(file, "the shard is one of another number of shards than the first one",
                  "merge shards of one job");
    }
    const std::string origin = otherOrigin(part, m_merged);
    if (!origin.empty()) {
      failToMerge(file, "the shard is " + origin + " as the first one", kSameOriginRemedy);
    }
    for (const char* key :
         {"around", "types", "samples", "synthetic", "rows", "baseline", "forward_passes"}) {
      // Without regard to the order of keys.
      if (nlohmann::json(part[key]) == nlohmann::json(m_merged[key])) continue;
      failToMerge(file, std::string("'") + key + "' is not what '" + m_first.string() + "' has",
                  "run the shard again");
    }
  }

  void takeRows(const std::filesystem::path& file, ShardJson& rows) {
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const SensitivityRowKey key = keyOfRow(rows[place]);
      if (!m_rows.insert(key).second) {
        failAtRow(
            file, place,
            "is a second row of '" + key.first + "' in " + key.second + ", which another shard has",
            "run the shard again");
      }
      m_merged["nodes"].push_back(std::move(rows[place]));
    }
  }

  std::filesystem::path m_first;
  std::size_t m_count = 0;
  ShardJson m_merged;
  std::set<std::size_t> m_shards;
  std::set<SensitivityRowKey> m_rows;
};

}  // namespace

std::string mergeSensitivity(const std::vector<std::filesystem::path>& files) {
  ShardMerger merger;
  for (const std::filesystem::path& file : files) merger.add(file);
  return merger.result().dump(1) + "\n";
}

}  // namespace quantscope
