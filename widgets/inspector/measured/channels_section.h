#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;
class ChannelLine;

/// The channels of a layer's output, the worst first; a click selects one.
class ChannelsSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit ChannelsSection(Selection* selection, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  Selection* m_selection;
  QLabel* m_caption;
  ChannelLine* m_strip;
  CellTable* m_table;
  QLabel* m_rest;
  std::vector<int> m_channels;  // by row of the table
};

/// The channels with the lowest SQNR, worst first, at most `most`; NaN = not computed is left out.
std::vector<int> worstChannels(const std::vector<double>& sqnrDb, std::size_t most);

}  // namespace quantscope
