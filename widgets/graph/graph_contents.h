#pragma once

#include <memory>
#include <vector>

#include "widgets/graph/painting/graph_painter.h"

namespace quantscope {

class GraphSubjects;
struct QuantizedModel;

/// Puts together the canvas's content for the newest scene, and reports whether it has changed:
/// painting everything again takes longer than a comparison.
class GraphContents {
 public:
  /// Null = nothing is shown.
  void setScene(const GraphScenePtr& scene);
  const GraphScenePtr& scene() const { return m_scene; }
  /// Colours, letters and badges; `observers`: their marks too. True where they differ.
  bool recolour(const GraphSubjects& subjects, const DisplayOptions& options, bool observers,
                const Theme& theme, const QFont& font);
  /// Sets the highlighted items. Returns true if content() has changed.
  bool highlight(const std::vector<std::size_t>& selected, const std::vector<std::size_t>& matches);
  /// The content of the last highlight().
  const GraphContent& content() const { return m_content; }

 private:
  GraphScenePtr m_scene;
  GraphLooksPtr m_looks;                              // of m_scene; null = not made yet
  ObserverMarksPtr m_marks;                           // likewise; null = not shown
  std::weak_ptr<const QuantizedModel> m_markedModel;  // of m_marks
  GraphContent m_content;
  std::vector<std::size_t> m_selected;  // in m_content
  std::vector<std::size_t> m_matches;   // likewise
};

}  // namespace quantscope
