#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "base/ids.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The user's options for the drawing.
struct DrawingOptions {
  std::set<std::string> collapsed;  ///< full names of scopes that are drawn as cards
  std::set<NodeId> openBodies;      ///< control-flow nodes whose bodies are drawn in place
  bool leftToRight = false;
  bool constants = false;  ///< constants and weights get boxes of their own

  friend bool operator==(const DrawingOptions&, const DrawingOptions&) = default;
};

/// Everything expanded as long as the drawing stays readable; else the inner scopes collapsed,
/// level by level. Bodies are closed.
DrawingOptions defaultOptions(const AnalysisSnapshot& snapshot);

/// The scopes that can be collapsed, by the names that frames and cards carry.
std::set<std::string> allScopes(const AnalysisSnapshot& snapshot);

/// `options` with all scopes expanded, or all collapsed; bodies stay as they are.
DrawingOptions expandAll(DrawingOptions options);
DrawingOptions collapseAll(DrawingOptions options, const AnalysisSnapshot& snapshot);

/// `options` with whatever hides the layer opened: its scopes, and the bodies around it.
/// `layer` is an index of AnalysisResult::layers.
DrawingOptions revealing(DrawingOptions options, const AnalysisSnapshot& snapshot,
                         std::size_t layer);

}  // namespace quantscope
