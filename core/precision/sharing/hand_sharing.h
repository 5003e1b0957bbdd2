#pragma once

#include <string>
#include <vector>

#include "precision/config/point_name.h"

namespace quantscope {

/// Sharing of observers set by hand; "groups" in a configuration.
///
/// Merged points (`join`) share one observer with each other and with all points that share with
/// any of them. A split point (`part`) no longer shares implicitly with the producer and the other
/// consumers of its value; sharing forced by the backend and merges by hand still apply to it.
struct HandSharing {
  std::vector<std::vector<PointName>> join;  ///< each: two or more points, none of them twice
  std::vector<PointName> part;

  bool empty() const { return join.empty() && part.empty(); }
  friend bool operator==(const HandSharing&, const HandSharing&) = default;
};

/// {"join": [[POINT, POINT, …], …], "part": [POINT, …]}, both of them optional. Strict: mistakes
/// are Error(InvalidConfiguration) with the path of the key.
HandSharing readHandSharing(const JsonReader& reader);
/// Keys without entries are left out.
nlohmann::ordered_json toJson(const HandSharing& sharing);

/// "groups.join[1]", "groups.part[2]", for messages.
std::string mergePath(std::size_t list);
std::string splitPath(std::size_t index);

/// Throws InvalidConfiguration, with the key's path, for a point that the model does not have.
void requireKnownPoints(const HandSharing& sharing, const Graph& graph);

}  // namespace quantscope
