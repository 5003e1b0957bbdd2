#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "jobs/analysis_snapshot.h"
#include "widgets/view/layer_index.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {

/// How many findings there are, and how severe the worst of them is.
struct FindingSum {
  std::size_t count = 0;
  Severity worst = Severity::Info;  ///< means nothing where there are none

  friend bool operator==(const FindingSum&, const FindingSum&) = default;
};

/// The findings of each layer; dismissed ones do not count.
class LayerFindings {
 public:
  LayerFindings() = default;
  LayerFindings(const AnalysisSnapshot& snapshot, const LayerIndex& layers,
                const Dismissed& dismissed);

  /// Indices into DetectorReport::findings, in its order: of one layer, and of no layer.
  std::span<const std::size_t> of(std::size_t layer) const;
  std::span<const std::size_t> ofNoLayer() const { return m_ofNoLayer; }
  FindingSum sum(std::span<const std::size_t> layers) const;

 private:
  std::vector<std::vector<std::size_t>> m_ofLayer;
  std::vector<FindingSum> m_sums;
  std::vector<std::size_t> m_ofNoLayer;
};

}  // namespace quantscope
