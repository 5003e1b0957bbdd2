#include "widgets/controls/command_palette.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QStandardItemModel>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/command_delegate.h"
#include "widgets/controls/fuzzy_match.h"
#include "widgets/look/card.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kPaletteWidth = 600;
constexpr int kPaletteHeight = 420;
constexpr int kTop = 72;
constexpr int kFar = 100;  // matches by menu title only come last

QString plainText(const QAction& action) {
  return action.text().remove(u'&');
}

// `possible`: those that can run now, else those that cannot.
void collect(const QMenu& menu, const QString& path, bool possible,
             QList<PaletteCommand>& commands) {
  for (QAction* action : menu.actions()) {
    if (action->isSeparator() || !action->isVisible()) continue;
    if (QMenu* inner = action->menu()) {
      if (!action->isEnabled()) continue;
      // Menus that are filled when they open are filled by this, too.
      Q_EMIT inner->aboutToShow();
      collect(*inner, path + QStringLiteral(" › ") + plainText(*action), possible, commands);
    } else if (action->isEnabled() == possible) {
      commands.push_back({action, path});
    }
  }
}

QStandardItem* makeItem(const PaletteCommand& command, qsizetype number, const FuzzyMatch& match) {
  const QAction& action = *command.action;
  auto* item = new QStandardItem(action.icon(), plainText(action));
  QVariantList positions;
  for (const int position : match.positions) positions << position;
  item->setData(command.path, CommandDelegate::PathRole);
  item->setData(action.shortcut().toString(QKeySequence::NativeText),
                CommandDelegate::ShortcutRole);
  item->setData(positions, CommandDelegate::PositionsRole);
  item->setData(number, CommandDelegate::CommandRole);
  item->setData(action.isChecked(), CommandDelegate::CheckedRole);
  item->setToolTip(action.toolTip());
  item->setEditable(false);
  return item;
}

QList<PaletteCommand> collectAll(const QMenuBar& menus, bool possible) {
  QList<PaletteCommand> commands;
  for (QAction* top : menus.actions()) {
    if (top->menu() == nullptr) continue;
    Q_EMIT top->menu()->aboutToShow();
    collect(*top->menu(), plainText(*top), possible, commands);
  }
  return commands;
}

}  // namespace

QList<PaletteCommand> menuCommands(const QMenuBar& menus) {
  return collectAll(menus, true);
}

QList<PaletteCommand> blockedCommands(const QMenuBar& menus) {
  return collectAll(menus, false);
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window),
      m_field(new QLineEdit(this)),
      m_list(new QListView(this)),
      m_none(new QLabel(this)),
      m_model(new QStandardItemModel(this)) {
  setAccessibleName(tr("Commands"));
  m_field->setFrame(false);
  m_field->installEventFilter(this);
  m_list->setModel(m_model);
  m_list->setItemDelegate(new CommandDelegate(m_list));
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setUniformItemSizes(true);
  m_list->setMouseTracking(true);
  m_list->setAccessibleName(tr("Found commands"));
  m_none->setWordWrap(true);
  m_none->setTextFormat(Qt::PlainText);
  m_none->setForegroundRole(QPalette::PlaceholderText);
  m_none->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
  m_none->setMargin(24);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_field);
  layout->addWidget(m_list);
  layout->addWidget(m_none, 1);
  connect(m_field, &QLineEdit::textChanged, this, [this] { filter(); });
  connect(m_list, &QListView::clicked, this, [this] { runCurrent(); });
  hide();
}

void CommandPalette::open(const QList<PaletteCommand>& commands, const QString& invitation,
                          const QList<PaletteCommand>& blocked) {
  m_commands = commands;
  m_blocked = blocked;
  m_field->setPlaceholderText(invitation.isEmpty() ? tr("Find a command") : invitation);
  m_field->setAccessibleName(m_field->placeholderText());
  m_focusBefore = QApplication::focusWidget();
  const int width = std::min(kPaletteWidth, parentWidget()->width() - 32);
  const int height = std::min(kPaletteHeight, parentWidget()->height() - kTop - 32);
  setGeometry((parentWidget()->width() - width) / 2, kTop, width, height);
  m_field->clear();
  filter();
  show();
  raise();
  m_field->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::filter() {
  struct Hit {
    qsizetype number;
    FuzzyMatch match;
  };
  std::vector<Hit> hits;
  for (qsizetype i = 0; i < m_commands.size(); ++i) {
    if (!m_commands[i].action) continue;
    const QString name = plainText(*m_commands[i].action);
    if (const auto match = fuzzyMatch(m_field->text(), name)) {
      hits.push_back({i, *match});
    } else if (const auto far = fuzzyMatch(m_field->text(), m_commands[i].path + u' ' + name)) {
      hits.push_back({i, {far->score - kFar, {}}});
    }
  }
  std::ranges::stable_sort(hits, std::greater{}, [](const Hit& hit) { return hit.match.score; });
  m_model->clear();
  for (const Hit& hit : hits) {
    m_model->appendRow(makeItem(m_commands[hit.number], hit.number, hit.match));
  }
  m_list->setCurrentIndex(m_model->index(0, 0));
  m_none->setText(hits.empty() ? noneWords() : QString());
  m_none->setVisible(hits.empty());
  m_list->setVisible(!hits.empty());
}

// What its tool tip says tells what it needs.
QString CommandPalette::noneWords() const {
  for (const PaletteCommand& each : m_blocked) {
    if (!each.action) continue;
    const QString name = plainText(*each.action);
    if (!fuzzyMatch(m_field->text(), name)) continue;
    // Its last paragraph: the first one is the name, with the key.
    const QString tip =
        QTextDocumentFragment::fromHtml(each.action->toolTip()).toPlainText().section(u'\n', -1);
    const QString words = tr("“%1” is not possible now.").arg(name);
    return tip == name ? words : words + u'\n' + tip;
  }
  return tr("Nothing is called “%1”.").arg(m_field->text());
}

void CommandPalette::step(int rows) {
  const int count = m_model->rowCount();
  if (count == 0) return;
  const int row = std::clamp(m_list->currentIndex().row() + rows, 0, count - 1);
  m_list->setCurrentIndex(m_model->index(row, 0));
}

void CommandPalette::runCurrent() {
  const QModelIndex index = m_list->currentIndex();
  if (!index.isValid()) return;
  const QPointer<QAction> action =
      m_commands[index.data(CommandDelegate::CommandRole).toLongLong()].action;
  leave();
  if (action) action->trigger();
}

void CommandPalette::leave() {
  hide();
  if (m_focusBefore) m_focusBefore->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut &&
      static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason) {
    hide();
  }
  // Esc means something to the window as well; here it only closes the palette.
  if (event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  constexpr int kPage = 8;
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      step(1);
      return true;
    case Qt::Key_Up:
      step(-1);
      return true;
    case Qt::Key_PageDown:
      step(kPage);
      return true;
    case Qt::Key_PageUp:
      step(-kPage);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      runCurrent();
      return true;
    case Qt::Key_Escape:
      leave();
      return true;
    default:
      return QFrame::eventFilter(watched, event);
  }
}

void CommandPalette::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintCard(painter, *this, Theme::of(palette()).surface, kCardRadius);
}

}  // namespace quantscope
