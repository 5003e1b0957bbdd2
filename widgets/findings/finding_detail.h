#pragma once

#include <QScrollArea>
#include <optional>

#include "detectors/finding.h"

class QLabel;
class QPushButton;

namespace quantscope {

/// One finding in words, with what can be done about it.
class FindingDetail : public QScrollArea {
  Q_OBJECT

 public:
  explicit FindingDetail(QWidget* parent = nullptr);

  /// nullptr = none is selected. `alike`: listed findings of the same detector with a change to
  /// apply, this one among them.
  void show(const Finding* finding, bool dismissed, std::size_t alike);
  /// All that it says, for the clipboard.
  QString asText() const;

 Q_SIGNALS:
  void applyClicked();
  void applyAlikeClicked();
  void dismissClicked();

 private:
  QPushButton* addButton(QLayout* layout, const QString& title, const QString& toolTip);

  QLabel* m_sentence;
  QLabel* m_why;
  QLabel* m_figures;
  QLabel* m_suggestion;
  QPushButton* m_apply;
  QPushButton* m_applyAlike;
  QPushButton* m_dismiss;
  QLabel* m_nothing;
  QWidget* m_words;
};

/// "+2.3 dB at the network's output, from running it"; empty where nothing was run.
QString gainWords(const Finding& finding);

}  // namespace quantscope
