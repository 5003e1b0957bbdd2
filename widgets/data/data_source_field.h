#pragma once

#include <QComboBox>
#include <QStringList>
#include <QWidget>

class QPushButton;

namespace quantscope {

/// A path to type, to browse for or to pick from recent ones, or "random:N".
class DataSourceField : public QWidget {
  Q_OBJECT

 public:
  enum class Kind {
    Samples,  ///< files, folders and random:N
    Labels,   ///< a .npy file; may be empty
  };
  DataSourceField(Kind kind, const QString& accessibleName, QWidget* parent = nullptr);

  QString source() const;
  void setSource(const QString& source);
  /// Proposed in the list that the field opens.
  void setRecent(const QStringList& sources);
  QLineEdit* edit() const { return m_edit->lineEdit(); }

 Q_SIGNALS:
  void changed();

 private:
  void browseFile();
  void browseFolder();
  QString startFolder() const;

  Kind m_kind;
  QComboBox* m_edit;
};

}  // namespace quantscope
