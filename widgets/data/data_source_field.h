#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLineEdit;

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
  /// Where browsing starts while nothing is chosen.
  void setFolder(const QString& folder) { m_folder = folder; }
  /// Proposed in the list that the field opens.
  void setRecent(const QStringList& sources);

 Q_SIGNALS:
  void changed();

 private:
  QWidget* makeChoice();
  void browseFile();
  void browseFolder();
  QString startFolder() const;

  Kind m_kind;
  QComboBox* m_choice = nullptr;  ///< of samples
  QLineEdit* m_edit;
  QString m_folder;
};

}  // namespace quantscope
