#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;
struct CellTableContent;

/// The nodes of a layer as the model file has them: inputs, outputs, attributes. A click on a value
/// selects what makes it or reads it.
class NodeSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit NodeSection(Selection* selection, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  CellTableContent valueRows();
  CellTableContent memberRows() const;
  CellTableContent attributeRows() const;

  Selection* m_selection;
  QLabel* m_operator;
  CellTable* m_values;
  QLabel* m_membersCaption;
  CellTable* m_members;
  QLabel* m_attributesCaption;
  CellTable* m_attributes;
  std::vector<Selected> m_targets;  // by row of m_values
};

}  // namespace quantscope
