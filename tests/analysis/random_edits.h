#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "precision/config/precision_config.h"

namespace quantscope::test {

/// Configurations as somebody makes them who tries this and that: each differs from the one before
/// in one place, or is one that was there before.
class RandomEdits {
 public:
  /// `nodes`: names of nodes that may get an entry of their own; `points`: of those whose outputs
  /// may be joined and parted.
  RandomEdits(std::vector<std::string> nodes, std::vector<std::string> points, unsigned seed);

  /// The next configuration, which a model may refuse.
  PrecisionConfig next();
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
