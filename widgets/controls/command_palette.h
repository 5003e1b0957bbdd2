#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>

class QAction;
class QLabel;
class QLineEdit;
class QListView;
class QMenuBar;
class QStandardItemModel;

namespace quantscope {

/// A command with the menus that it stands in: "View › Theme".
struct PaletteCommand {
  QPointer<QAction> action;
  QString path;
};

/// All commands of a menu bar that can run now, sub-menus too, in their order.
QList<PaletteCommand> menuCommands(const QMenuBar& menus);
/// Those that cannot run now.
QList<PaletteCommand> blockedCommands(const QMenuBar& menus);

/// Finds a command by a few letters and runs it: arrows choose, Enter runs, Esc leaves. Lies over
/// the upper middle of its window.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  /// `invitation` stands in the empty field; "" = to find a command. `blocked`: commands that are
  /// told of where no other one matches.
  void open(const QList<PaletteCommand>& commands, const QString& invitation = {},
            const QList<PaletteCommand>& blocked = {});
  QLineEdit* field() const { return m_field; }
  QListView* list() const { return m_list; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void filter();
  QString noneWords() const;
  void step(int rows);
  void runCurrent();
  void leave();

  QLineEdit* m_field;
  QListView* m_list;
  QLabel* m_none;  // where nothing matches
  QStandardItemModel* m_model;
  QList<PaletteCommand> m_commands;
  QList<PaletteCommand> m_blocked;
  QPointer<QWidget> m_focusBefore;
};

}  // namespace quantscope
