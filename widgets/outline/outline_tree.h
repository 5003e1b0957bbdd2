#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "widgets/view/display_options.h"

namespace quantscope {

/// The layers of a result as a tree of their scopes. A scope that holds nothing but one other
/// scope or one layer is one row with it. Scopes come where their first layer runs.
class OutlineTree {
 public:
  using Index = std::size_t;
  static constexpr Index kRoot = 0;

  struct Item {
    Index parent = kRoot;
    std::size_t row = 0;  ///< among its siblings
    std::vector<Index> children;
    std::string label;                 ///< the name below its parent: "features.2/expand"
    std::string scope;                 ///< full name of a scope, as a prefix of its layers' names
    std::optional<std::size_t> layer;  ///< index of a layer; none = a scope
    std::size_t layers = 0;            ///< inside a scope, at any depth
  };

  OutlineTree() = default;
  explicit OutlineTree(const AnalysisResult& result);

  const Item& operator[](Index index) const { return m_items[index]; }
  std::size_t size() const { return m_items.size(); }

  /// The row of a layer, and the row that stands for a scope; none where there is none.
  std::optional<Index> findLayer(std::size_t layer) const;
  std::optional<Index> findScope(const std::string& scope) const;

  /// Figures of all rows: that of the layer, or the worst of those inside.
  std::vector<Figure> figures(const std::vector<Figure>& ofLayers,
                              const MetricDescription& metric) const;
  /// By row: the layer whose figure it shows.
  std::vector<std::size_t> worstLayers(const std::vector<Figure>& ofLayers,
                                       const MetricDescription& metric) const;

 private:
  Index addChild(Index parent);
  Index scopeItem(const std::string& scope);
  void mergeChains(Index index, const AnalysisResult& result);
  void compact();
  void countLayers();

  std::vector<Item> m_items{Item{}};
  std::vector<Index> m_byLayer;
  std::unordered_map<std::string, Index> m_byScope;
};

/// True where `a` is the worse figure: no value is better than any.
bool worse(const Figure& a, const Figure& b, const MetricDescription& metric);

}  // namespace quantscope
