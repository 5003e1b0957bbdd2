#include "precision/sharing/hand_sharing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/configuration_error.h"
#include "graph/graph.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

std::vector<PointName> readPoints(const JsonReader& reader) {
  std::vector<PointName> points;
  for (const JsonReader& entry : reader.elements()) {
    PointName point = readPointName(entry);
    if (std::ranges::find(points, point) != points.end()) {
      entry.fail("names " + describe(point) + " a second time", "leave one of them out");
    }
    points.push_back(std::move(point));
  }
  return points;
}

Json toJson(const std::vector<PointName>& points) {
  Json json = Json::array();
  for (const PointName& point : points) json.push_back(toJson(point));
  return json;
}

void requireKnown(const PointName& point, const std::string& path, const Graph& graph) {
  const PointProblem problem = findProblem(graph, point);
  if (!problem.any()) return;
  throw configurationError(path, "names " + describe(point) + ", but " + problem.what,
                           problem.remedy);
}

}  // namespace

HandSharing readHandSharing(const JsonReader& reader) {
  reader.requireKeys({"join", "part"});
  HandSharing sharing;
  if (reader.has("join")) {
    for (const JsonReader& list : reader["join"].elements()) {
      sharing.join.push_back(readPoints(list));
      if (sharing.join.back().size() < 2) {
        list.fail("merges nothing", "name two or more points, or remove the list");
      }
    }
  }
  if (reader.has("part")) sharing.part = readPoints(reader["part"]);
  return sharing;
}

Json toJson(const HandSharing& sharing) {
  Json json = Json::object();
  for (const std::vector<PointName>& points : sharing.join) json["join"].push_back(toJson(points));
  if (!sharing.part.empty()) json["part"] = toJson(sharing.part);
  return json;
}

std::string mergePath(std::size_t list) {
  return "groups.join[" + std::to_string(list) + "]";
}

std::string splitPath(std::size_t index) {
  return "groups.part[" + std::to_string(index) + "]";
}

void requireKnownPoints(const HandSharing& sharing, const Graph& graph) {
  for (std::size_t list = 0; list < sharing.join.size(); ++list) {
    for (std::size_t i = 0; i < sharing.join[list].size(); ++i) {
      requireKnown(sharing.join[list][i], mergePath(list) + "[" + std::to_string(i) + "]", graph);
    }
  }
  for (std::size_t i = 0; i < sharing.part.size(); ++i) {
    requireKnown(sharing.part[i], splitPath(i), graph);
  }
}

}  // namespace quantscope
