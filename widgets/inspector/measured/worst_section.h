#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;

/// The worst layers of the model, or of the selected scope, by the metric and the kind of error
/// that the window shows; a click selects one.
class WorstSection : public InspectorSection {
  Q_OBJECT

 public:
  WorstSection(Selection* selection, const DisplayOptions* options, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  Selection* m_selection;
  const DisplayOptions* m_options;
  QLabel* m_caption;
  CellTable* m_table;
  std::vector<NodeId> m_nodes;  // by row
};

/// Those of the given layers with the largest error by the options, worst first, at most `most`;
/// data movers and layers without a figure are left out.
std::vector<std::size_t> worstBy(const DisplayOptions& options, const AnalysisResult& result,
                                 const std::vector<std::size_t>& layers, std::size_t most);

/// The layers of a subject: of the scope, or all.
std::vector<std::size_t> layersOf(const InspectorSubject& subject);

}  // namespace quantscope
