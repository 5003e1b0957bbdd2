#pragma once

#include <optional>
#include <vector>

#include "precision/sharing/observer_placement.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/words/point_choices.h"

class QComboBox;
class QPushButton;

namespace quantscope {

class CellTable;
class CommandPalette;

/// The observer group of the selected layer's output or of one of its edges, or of a value: its
/// grid, who shares it and why. Groups can be merged and split.
class GroupSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit GroupSection(Selection* selection, QWidget* parent = nullptr);

  /// Sets the manual merges and splits of the requested configuration.
  void setSharing(const HandSharing& sharing);
  QString asText() const override;

 Q_SIGNALS:
  /// The user has requested an edit. Its sentence names the step for the Edit menu.
  void editRequested(const quantscope::ConfigEdit& edit);

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  void addButtons();
  void fillPlaces();
  void showGroup();
  void showMembers();
  void showButtons();
  void chooseOther();
  void request(const std::optional<ConfigEdit>& edit);
  std::size_t point() const { return m_points[m_current]; }
  std::size_t group() const;

  Selection* m_selection;
  HandSharing m_sharing;
  QComboBox* m_place;
  QLabel* m_why;
  CellTable* m_grid;
  CellTable* m_members;
  QLabel* m_rest;
  QWidget* m_buttons;
  QPushButton* m_join;
  QPushButton* m_part;
  QPushButton* m_unjoin;
  QPushButton* m_unpart;
  CommandPalette* m_palette = nullptr;
  QObject* m_choices = nullptr;  // owns the palette's commands

  std::vector<std::size_t> m_points;  // of the subject, by item of m_place
  std::size_t m_current = 0;
  Selected m_placesOf;                // selection that the places belong to
  std::optional<PointName> m_chosen;  // the one that is shown
  std::vector<Selected> m_targets;    // by row of m_members
  std::shared_ptr<const QuantizedModel> m_model;
};

}  // namespace quantscope
