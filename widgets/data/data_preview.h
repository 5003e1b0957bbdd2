#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "widgets/data/data_reader.h"

class QHBoxLayout;
class QLabel;
class QListWidget;
class QToolButton;
class QTreeWidget;

namespace quantscope {

/// Samples to look at: one large, with numbers, and the first ones small.
class DataPreview : public QWidget {
  Q_OBJECT

 public:
  explicit DataPreview(QWidget* parent = nullptr);

  /// Starts anew on other data; the sample on screen stays the same where there is one.
  void setSamples(std::size_t count, std::vector<std::int64_t> labels);
  void addThumbnail(const SamplePreview& preview);
  void showSample(const SamplePreview& preview);
  std::size_t sample() const { return m_sample; }

 Q_SIGNALS:
  /// showSample() is asked for, with this one.
  void sampleWanted(std::size_t sample);

 private:
  QWidget* makeNavigation();
  void goTo(std::size_t sample);
  void showNavigation();
  void showPictures(const SamplePreview& preview);
  void showNumbers(const SamplePreview& preview);
  QString labelText(std::size_t sample) const;

  std::size_t m_count = 0;
  std::size_t m_sample = 0;
  std::vector<std::int64_t> m_labels;
  QToolButton* m_previous;
  QToolButton* m_next;
  QLabel* m_position;
  QLabel* m_error;
  QLabel* m_empty;
  QHBoxLayout* m_pictures;
  QTreeWidget* m_numbers;
  QListWidget* m_thumbnails;
};

/// The error of a sample that cannot be shown.
QString sampleErrorText(const SamplePreview& preview);

}  // namespace quantscope
