#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;
class QVBoxLayout;

namespace quantscope {

/// The page without an open model: a place to drop one, and models to open with a click.
class StartPage : public QWidget {
  Q_OBJECT

 public:
  /// A model or project on offer.
  struct Entry {
    QString title;
    QString subtitle;
    QString path;
    bool missing = false;
  };

  explicit StartPage(QWidget* parent = nullptr);

  void setRecent(const std::vector<Entry>& recent);
  /// Work that has no name yet.
  void setUnsaved(const std::vector<Entry>& unsaved);
  void setSamples(const std::vector<Entry>& samples);
  /// While a file is held over the window.
  void setDropping(bool dropping);

 Q_SIGNALS:
  void openRequested();
  void pathChosen(const QString& path);

 private:
  void fill(QGridLayout* grid, const std::vector<Entry>& entries, const QString& drawing);

  class DropZone;
  DropZone* m_zone;
  QWidget* m_unsavedSection;
  QWidget* m_recentSection;
  QWidget* m_sampleSection;
  QGridLayout* m_unsaved;
  QGridLayout* m_recent;
  QGridLayout* m_samples;
};

}  // namespace quantscope
