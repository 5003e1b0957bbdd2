#pragma once

#include "widgets/inspector/parts/inspector_section.h"

class QGridLayout;

namespace quantscope {

class SampleReader;
class SampleTiles;
struct SampleContent;

/// The samples with the largest error, and the selected one with all its inputs.
class SamplesSection : public InspectorSection {
  Q_OBJECT

 public:
  SamplesSection(Selection* selection, SampleReader* reader, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  struct InputRow {
    QLabel* picture;
    QLabel* words;
  };

  void showTiles();
  void showSelected();
  void showInputs(const SampleContent& content);

  Selection* m_selection;
  SampleReader* m_reader;
  std::vector<int> m_worst;
  QLabel* m_caption;
  SampleTiles* m_tiles;
  QLabel* m_selectedWords;
  QGridLayout* m_inputs;
  std::vector<InputRow> m_rows;
};

}  // namespace quantscope
