#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/comparison.h"
#include "engine/engine.h"

namespace quantscope {

/// A model whose sub-graphs lie in its main graph as far as that is possible: those branches of Ifs
/// that all samples take.
class FlatModel {
 public:
  /// Runs the model as far as its Ifs need it on every feed of the source, as `taken` turns it into
  /// inputs of the model; nothing where there is no If. The engine must outlive it. Throws
  /// Cancelled.
  FlatModel(const Engine& engine, SampleSource& source,
            const std::function<Feed(const Feed&)>& taken, JobContext& job);

  /// Its graph has the values of the model under their ids and names.
  const Engine& engine() const { return m_flat ? *m_flat : m_engine; }
  /// The sub-graphs that are not in the main graph, the outermost alone; without those that hold no
  /// node.
  const std::vector<SkippedBody>& skipped() const { return m_skipped; }

 private:
  const Engine& m_engine;
  std::unique_ptr<const Engine> m_flat;  // null where the model has no sub-graph to lift
  std::vector<SkippedBody> m_skipped;
};

}  // namespace quantscope
