#include "widgets/sensitivity/costs_button.h"

#include <QMenu>

#include "widgets/look/text.h"

namespace quantscope {

CostsButton::CostsButton(QWidget* parent) : QToolButton(parent) {
  auto* menu = new QMenu(this);
  connect(menu->addAction(tr("Times from a File…")), &QAction::triggered, this,
          &CostsButton::fileRequested);
  m_clear = menu->addAction(tr("Times of This Machine"));
  connect(m_clear, &QAction::triggered, this, [this] {
    setFile({});
    Q_EMIT cleared();
  });
  setMenu(menu);
  setPopupMode(QToolButton::InstantPopup);
  setAccessibleName(tr("Times of layers"));
  showFile();
}

void CostsButton::setModel(const QString& model) {
  m_model = model;
  showFile();
}

void CostsButton::setFile(const QString& file) {
  restore(file, m_model);
}

void CostsButton::restore(const QString& file, const QString& owner) {
  m_file = file;
  m_owner = owner;
  showFile();
}

void CostsButton::showFile() {
  const QString path = file();
  setText(path.isEmpty() ? tr("This machine") : menuText(fileName(path.toStdString())));
  setToolTip(path.isEmpty() ? tr("The times of layers are measured on this machine; a cost table "
                                 "of 'bench layers' has those of another one")
                            : toolTipText(tr("The times of layers are those of %1").arg(path)));
  m_clear->setEnabled(!path.isEmpty());
}

}  // namespace quantscope
