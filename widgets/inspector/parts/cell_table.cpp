#include "widgets/inspector/parts/cell_table.h"

#include <QFocusEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kPadding = 4;
constexpr int kRowSpace = 8;

class CellDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Theme& theme = Theme::of(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintRow(*painter, option, index, theme);
    QColor ink = inkOf(index, theme);
    const QVariant heat = index.data(CellModel::kHeatRole);
    const QVariant absence = index.data(CellModel::kAbsenceRole);
    const QRectF chip = QRectF(option.rect).adjusted(2, 2, 0, -2);
    if (heat.isValid()) {
      const QColor colour = ErrorScale::ramp(heat.toDouble());
      painter->setPen(Qt::NoPen);
      painter->setBrush(colour);
      painter->drawRoundedRect(chip, 3, 3);
      ink = ErrorScale::textOn(colour);
    } else if (absence.isValid()) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(absenceBrush(static_cast<Figure::Kind>(absence.toInt()), theme));
      painter->setOpacity(0.5);
      painter->drawRoundedRect(chip, 3, 3);
      painter->setOpacity(1);
    }
    paintText(*painter, option, index, ink);
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics metrics(option.font);
    return {metrics.horizontalAdvance(index.data().toString()) + 2 * kPadding + 2,
            metrics.height() + kRowSpace};
  }

 private:
  static QColor inkOf(const QModelIndex& index, const Theme& theme) {
    if (index.data(CellModel::kLinkRole).toBool()) return theme.accent;
    return index.data(CellModel::kMutedRole).toBool() ? theme.mutedText : theme.text;
  }

  static void paintRow(QPainter& painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index, const Theme& theme) {
    const bool current = option.state.testFlag(QStyle::State_Selected) &&
                         option.state.testFlag(QStyle::State_HasFocus);
    const bool focused = option.state.testFlag(QStyle::State_Selected) &&
                         option.widget != nullptr && option.widget->hasFocus();
    if (index.data(CellModel::kMarkedRole).toBool() || focused || current) {
      QColor mark = theme.accent;
      mark.setAlphaF(focused || current ? 0.24F : 0.14F);
      painter.fillRect(option.rect, mark);
    } else if (const auto* table = qobject_cast<const CellTable*>(option.widget);
               table != nullptr && table->hoveredRow() == index.row()) {
      painter.fillRect(option.rect, theme.raised);
    }
  }

  static void paintText(QPainter& painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index, const QColor& ink) {
    const QRect room = option.rect.adjusted(kPadding, 0, -kPadding, 0);
    const auto alignment = Qt::Alignment::fromInt(index.data(Qt::TextAlignmentRole).toInt());
    painter.setPen(ink);
    painter.setFont(option.font);
    painter.drawText(
        room, static_cast<int>(alignment),
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, room.width()));
  }
};

// Quieter than a style's own header: small tables stand in running text.
class PlainHeader : public QHeaderView {
 public:
  explicit PlainHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setResizeContentsPrecision(-1);
    setMinimumSectionSize(24);
    setSectionsClickable(false);
  }

  QSize sizeHint() const override { return {0, fontMetrics().height() + kRowSpace}; }

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override {
    const Theme& theme = Theme::of(palette());
    painter->fillRect(rect, theme.surface);
    painter->setPen(theme.border);
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    painter->setPen(theme.mutedText);
    const auto title = [&](int role) { return model()->headerData(section, Qt::Horizontal, role); };
    painter->drawText(rect.adjusted(kPadding, 0, -kPadding, 0),
                      title(Qt::TextAlignmentRole).toInt(), title(Qt::DisplayRole).toString());
  }

  QSize sectionSizeFromContents(int section) const override {
    const QString title = model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
    return {fontMetrics().horizontalAdvance(title) + 2 * kPadding, sizeHint().height()};
  }
};

}  // namespace

CellTable::CellTable(const QString& name, QWidget* parent)
    : QTableView(parent), m_model(new CellModel(this)) {
  setAccessibleName(name);
  setHorizontalHeader(new PlainHeader(this));
  setModel(m_model);
  setItemDelegate(new CellDelegate(this));
  setFrameShape(NoFrame);
  setShowGrid(false);
  setMouseTracking(true);
  setTabKeyNavigation(false);
  setWordWrap(false);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(8);
  tableActions(this, name);
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (isActive(index)) Q_EMIT rowActivated(index.row());
  });
  fitRows();
}

void CellTable::setContent(CellTableContent content, int stretched) {
  const int columns = static_cast<int>(content.headers.size());
  const qsizetype rows = static_cast<qsizetype>(content.rows.size());
  const bool resized = rows != m_model->rowCount() || columns != m_model->columnCount();
  m_model->setContent(std::move(content));
  for (int column = 0; column < columns; ++column) {
    const auto mode = column == stretched ? QHeaderView::Stretch : QHeaderView::ResizeToContents;
    if (horizontalHeader()->sectionResizeMode(column) != mode) {
      horizontalHeader()->setSectionResizeMode(column, mode);
    }
  }
  setVisible(rows > 0);
  if (resized) updateGeometry();
}

void CellTable::setHeaderShown(bool shown) {
  horizontalHeader()->setVisible(shown);
  updateGeometry();
}

QString CellTable::asText() const {
  return tableText(*this, {}, u'\t');
}

QSize CellTable::sizeHint() const {
  const int header = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->sizeHint().height();
  return {200, header + m_model->rowCount() * verticalHeader()->defaultSectionSize()};
}

QSize CellTable::minimumSizeHint() const {
  return {80, sizeHint().height()};
}

bool CellTable::isActive(const QModelIndex& index) const {
  if (!index.isValid()) return false;
  if (m_rowsActive) return true;
  for (int column = 0; column < m_model->columnCount(); ++column) {
    if (index.siblingAtColumn(column).data(CellModel::kLinkRole).toBool()) return true;
  }
  return false;
}

void CellTable::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && isActive(currentIndex())) {
    Q_EMIT rowActivated(currentIndex().row());
    return;
  }
  QTableView::keyPressEvent(event);
}

// The keyboard starts at the first row. Qt makes that current, but only a selected one is seen.
void CellTable::focusInEvent(QFocusEvent* event) {
  QTableView::focusInEvent(event);
  const bool byKey =
      event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  if (byKey && !selectionModel()->hasSelection()) selectRow(std::max(0, currentIndex().row()));
}

void CellTable::mouseMoveEvent(QMouseEvent* event) {
  QTableView::mouseMoveEvent(event);
  const QModelIndex index = indexAt(event->pos());
  const bool active = isActive(index);
  viewport()->setCursor(active ? Qt::PointingHandCursor : Qt::ArrowCursor);
  hover(active ? index.row() : -1);
}

void CellTable::leaveEvent(QEvent* event) {
  QTableView::leaveEvent(event);
  hover(-1);
}

void CellTable::hover(int row) {
  if (row == m_hoveredRow) return;
  m_hoveredRow = row;
  viewport()->update();
}

void CellTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitRows();
}

void CellTable::fitRows() {
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kRowSpace);
  updateGeometry();
}

}  // namespace quantscope
