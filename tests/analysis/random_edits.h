#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "precision/config/configuration.h"

namespace quantscope::test {

/// Configurations as in a user's trials: each differs from the previous one in one place, or is an
/// earlier one again.
class RandomEdits {
 public:
  /// `nodes`: names of nodes that may get an entry of their own; `points`: of those whose outputs
  /// may be merged and split.
  RandomEdits(std::vector<std::string> nodes, std::vector<std::string> points, unsigned seed);

  /// The next configuration, which a model may refuse.
  Configuration next();
  /// Forgets the last edit.
  void undo();

  std::size_t below(std::size_t count);

 private:
  nlohmann::json randomPrecision();
  void edit(nlohmann::json& config);

  std::vector<std::string> m_nodes;
  std::vector<std::string> m_points;
  std::mt19937 m_generator;
  std::vector<nlohmann::json> m_history;
};

}  // namespace quantscope::test
