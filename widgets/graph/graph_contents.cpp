#include "widgets/graph/graph_contents.h"

#include <utility>

#include "widgets/graph/graph_subjects.h"

namespace quantscope {

void GraphContents::setScene(const GraphScenePtr& scene) {
  m_scene = scene;
  m_looks.reset();
  m_marks.reset();
  if (!scene) m_content = {};
}

bool GraphContents::recolour(const GraphSubjects& subjects, const DisplayOptions& options,
                             bool observers, const Theme& theme, const QFont& font) {
  const AnalysisSnapshot& snapshot = *subjects.snapshot();
  const GraphLooksPtr looks =
      makeLooks(*m_scene, snapshot, subjects.findings(), options, theme, font);
  ObserverMarksPtr marks;
  if (observers) {
    const bool known = m_marks && m_markedModel.lock() == snapshot.quantized;
    marks = known ? m_marks : makeObserverMarks(*m_scene, snapshot, subjects.layers());
    m_markedModel = snapshot.quantized;
  }
  const bool sameMarks = marks == m_marks || (marks && m_marks && *marks == *m_marks);
  if (m_looks && *looks == *m_looks && sameMarks) return false;
  m_looks = looks;
  m_marks = marks;
  return true;
}

bool GraphContents::highlight(const std::vector<std::size_t>& selected,
                              const std::vector<std::size_t>& matches) {
  if (!m_scene || !m_looks || m_looks->boxes.size() != m_scene->boxes().size()) return false;
  const bool lit = m_content.scene == m_scene && m_content.highlight && m_selected == selected &&
                   m_matches == matches;
  if (lit && m_content.looks == m_looks && m_content.marks == m_marks) return false;
  m_content = {m_scene, m_looks,
               lit ? m_content.highlight : makeHighlight(*m_scene, selected, matches), m_marks};
  m_selected = selected;
  m_matches = matches;
  return true;
}

}  // namespace quantscope
