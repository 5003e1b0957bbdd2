#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "widgets/copy/table_actions.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// The contents of one cell of a small table.
struct Cell {
  QString text;
  QVariant exact;  ///< with full precision, for copies; invalid = the text is that
  QString toolTip;
  std::optional<double> heat;           ///< position on the error scale, behind the text
  std::optional<Figure::Kind> absence;  ///< why there is no value
  bool number = false;                  ///< stands at the right
  bool link = false;                    ///< a click on it leads somewhere
  bool muted = false;

  friend bool operator==(const Cell&, const Cell&) = default;
};

Cell textCell(const QString& text, const QString& toolTip = {});
Cell mutedCell(const QString& text, const QString& toolTip = {});
Cell linkCell(const QString& text, const QString& toolTip = {});
/// Three digits with full precision in the tooltip; "–" where there is none.
Cell numberCell(const std::optional<double>& value, const QString& unit = {});
/// A cell in the colours of `scale`.
Cell heatCell(const Figure& figure, const ErrorScale& scale);
/// An SQNR on the colours of `scale`; "–" where there is none.
Cell sqnrCell(const std::optional<double>& sqnrDb, const ErrorScale& scale);

/// A whole small table.
struct CellTableContent {
  QStringList headers;
  QStringList headerTips;
  std::vector<std::vector<Cell>> rows;
  int marked = -1;  ///< the row of what is selected in the window
};

/// A table of cells that are made elsewhere.
class CellModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr int kHeatRole = kExactRole + 1;     ///< double, 0 … 1
  static constexpr int kAbsenceRole = kExactRole + 2;  ///< int, of Figure::Kind
  static constexpr int kLinkRole = kExactRole + 3;     ///< bool
  static constexpr int kMarkedRole = kExactRole + 4;   ///< bool
  static constexpr int kMutedRole = kExactRole + 5;    ///< bool

  using QAbstractTableModel::QAbstractTableModel;

  /// Another table; one of the same size keeps its current row.
  void setContent(CellTableContent content);
  const CellTableContent& content() const { return m_content; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  CellTableContent m_content;
};

}  // namespace quantscope
