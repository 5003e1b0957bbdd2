#include "widgets/repair/layer_list_edit.h"

#include <QAbstractItemView>
#include <QCompleter>

namespace quantscope {
namespace {

const QString kBetweenLayers = QStringLiteral(", ");

}  // namespace

LayerListEdit::LayerListEdit(const QStringList& layers, QWidget* parent)
    : QLineEdit(parent), m_completer(new QCompleter(layers, this)) {
  setPlaceholderText(tr("layers, separated by commas"));
  m_completer->setFilterMode(Qt::MatchContains);
  m_completer->setCaseSensitivity(Qt::CaseInsensitive);
  m_completer->setWidget(this);
  connect(this, &QLineEdit::textEdited, this, &LayerListEdit::propose);
  connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this,
          &LayerListEdit::take);
}

QStringList LayerListEdit::names() const {
  QStringList names;
  for (const QString& each : text().split(u',')) {
    if (const QString name = each.trimmed(); !name.isEmpty()) names << name;
  }
  return names;
}

void LayerListEdit::add(const QStringList& more) {
  QStringList all = names();
  for (const QString& name : more) {
    if (!all.contains(name)) all << name;
  }
  setText(all.join(kBetweenLayers));
}

void LayerListEdit::propose() {
  const QString begun = text().section(u',', -1).trimmed();
  m_completer->setCompletionPrefix(begun);
  const bool helps = !begun.isEmpty() && m_completer->currentCompletion() != begun;
  helps ? m_completer->complete() : m_completer->popup()->hide();
}

void LayerListEdit::take(const QString& name) {
  QStringList all = text().split(u',');
  all.removeLast();
  setText(all.join(u','));
  add({name});
}

}  // namespace quantscope
