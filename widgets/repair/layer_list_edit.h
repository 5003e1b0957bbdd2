#pragma once

#include <QLineEdit>

class QCompleter;

namespace quantscope {

/// Names of layers, separated by commas; each is completed from those of the model.
class LayerListEdit : public QLineEdit {
  Q_OBJECT

 public:
  explicit LayerListEdit(const QStringList& layers, QWidget* parent = nullptr);

  QStringList names() const;
  /// Adds those that it does not have.
  void add(const QStringList& names);
  QCompleter& completion() const { return *m_completer; }

 private:
  void propose();
  /// In place of the last name.
  void take(const QString& name);

  QCompleter* m_completer;
};

}  // namespace quantscope
