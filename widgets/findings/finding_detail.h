#pragma once

#include <QWidget>
#include <optional>

#include "detectors/findings/finding.h"
#include "graph/graph.h"
#include "jobs/repair/fitting_gain.h"
#include "repair/fitting_steps.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace quantscope {

class LayerNames;

/// One finding in words, with what can be done about it always in sight below them.
class FindingDetail : public QWidget {
  Q_OBJECT

 public:
  explicit FindingDetail(QWidget* parent = nullptr);

  struct About {
    const Finding* finding = nullptr;  ///< none is chosen
    bool dismissed = false;
    bool pending = false;                   ///< its gain, where absent, is being found out
    std::optional<FittingRepair> repair{};  ///< what acts on it, where that can be tried now
    const FittingGain* fitting = nullptr;   ///< what that wins; none: not known
    std::size_t alike = 0;  ///< listed findings of the same detector with a change to apply, this
                            ///< one among them
    const Graph* graph = nullptr;       ///< of the finding
    const LayerNames* names = nullptr;  ///< of its layers; null = whole names
  };
  void show(const About& about);

 Q_SIGNALS:
  void applyClicked();
  void applyAlikeClicked();
  void dismissClicked();
  void repairClicked();
  /// One of its layers, with its first channel; −1 = none.
  void layerClicked(quantscope::NodeId node, int channel);

 private:
  QScrollArea* buildWords();
  QWidget* buildButtons();
  void showRepair(const About& about);
  void clickLayer(const QString& link);
  QPushButton* addButton(const QString& title, const QString& toolTip);

  QLabel* m_sentence;
  QLabel* m_why;
  QLabel* m_figures;
  QLabel* m_suggestion;
  QLabel* m_layers;                            // with the channels of each, where they differ
  std::vector<MemberChannels> m_channelsOf{};  // these layers
  QPushButton* m_apply;
  QPushButton* m_applyAlike;
  QPushButton* m_repair;
  QPushButton* m_dismiss;
  QLabel* m_nothing;
  QWidget* m_words;
  QWidget* m_buttons;
};

}  // namespace quantscope
