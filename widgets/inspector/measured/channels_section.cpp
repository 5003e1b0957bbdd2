#include "widgets/inspector/measured/channels_section.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/inspector/measured/channel_line.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/changes.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kShown = 12;

std::optional<double> computed(double sqnrDb) {
  return std::isnan(sqnrDb) ? std::nullopt : std::optional(sqnrDb);
}

std::optional<double> channelOf(const LayerError& error, std::size_t channel) {
  return channel < error.channelSqnrDb.size() ? computed(error.channelSqnrDb[channel])
                                              : std::nullopt;
}

std::vector<Cell> rowOf(const InspectorSubject& subject, int channel) {
  const auto index = static_cast<std::size_t>(channel);
  const double sqnr = subject.shownError()->channelSqnrDb[index];
  std::optional<double> low;
  std::optional<double> high;
  const Observation* observed = subject.observation();
  if (observed != nullptr && index < observed->channels.size() &&
      !observed->channels[index].empty) {
    low = static_cast<double>(observed->channels[index].low);
    high = static_cast<double>(observed->channels[index].high);
  }
  Cell name = textCell(ChannelsSection::tr("channel %1").arg(channel));
  name.exact = channel;
  std::vector<Cell> cells{name, sqnrCell(sqnr, subject.sqnrScale)};
  if (const LayerError* compared = subject.comparedError()) {
    cells.push_back(mutedChange(computed(sqnr), channelOf(*compared, index), QStringLiteral("dB")));
  }
  cells.push_back(numberCell(low));
  cells.push_back(numberCell(high));
  return cells;
}

CellTableContent emptyTable(const InspectorSubject& subject) {
  CellTableContent table;
  const auto add = [&table](const QString& header, const QString& tip) {
    table.headers << header;
    table.headerTips << tip;
  };
  add(ChannelsSection::tr("Worst first"),
      ChannelsSection::tr("Index on the channel axis of the layer's output"));
  add(ChannelsSection::tr("SQNR dB"), text(metricCatalogue().front().definition));
  if (subject.comparedError() != nullptr) addChangeHeader(table, ChannelsSection::tr("SQNR"));
  add(ChannelsSection::tr("from"),
      ChannelsSection::tr("Smallest number of the channel over the calibration data"));
  add(ChannelsSection::tr("to"),
      ChannelsSection::tr("Largest number of the channel over the calibration data"));
  return table;
}

}  // namespace

std::vector<int> worstChannels(const std::vector<double>& sqnrDb, std::size_t most) {
  std::vector<int> channels;
  for (std::size_t i = 0; i < sqnrDb.size(); ++i) {
    if (!std::isnan(sqnrDb[i])) channels.push_back(static_cast<int>(i));
  }
  const std::size_t count = std::min(most, channels.size());
  const auto end = channels.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(channels.begin(), end, channels.end(), [&](int a, int b) {
    const double left = sqnrDb[static_cast<std::size_t>(a)];
    const double right = sqnrDb[static_cast<std::size_t>(b)];
    return left != right ? left < right : a < b;
  });
  channels.resize(count);
  return channels;
}

ChannelsSection::ChannelsSection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("channels"), tr("Channels"), parent),
      m_selection(selection),
      m_caption(wordLabel(this, true)),
      m_strip(new ChannelLine(this)),
      m_table(new CellTable(tr("Worst channels"), this)),
      m_rest(wordLabel(this, true)) {
  for (QWidget* widget : {static_cast<QWidget*>(m_caption), static_cast<QWidget*>(m_strip),
                          static_cast<QWidget*>(m_table), static_cast<QWidget*>(m_rest)}) {
    body()->addWidget(widget);
  }
  m_table->setRowsActive(true);
  connect(m_strip, &ChannelLine::picked, m_selection, &Selection::selectChannel);
  connect(m_table, &CellTable::rowActivated, this, [this](int row) {
    m_selection->selectChannel(m_channels[static_cast<std::size_t>(row)]);
  });
}

bool ChannelsSection::appliesTo(const InspectorSubject& subject) const {
  const LayerError* error = subject.shownError();
  return error != nullptr && !error->channelSqnrDb.empty();
}

void ChannelsSection::refresh() {
  const std::vector<double>& sqnrDb = subject().shownError()->channelSqnrDb;
  const int selected = subject().selected.channel;
  const bool known = selected >= 0 && selected < static_cast<int>(sqnrDb.size());
  m_channels = worstChannels(sqnrDb, kShown);
  if (known && std::ranges::find(m_channels, selected) == m_channels.end()) {
    m_channels.push_back(selected);
  }
  CellTableContent table = emptyTable(subject());
  for (std::size_t row = 0; row < m_channels.size(); ++row) {
    if (m_channels[row] == selected) table.marked = static_cast<int>(row);
    table.rows.push_back(rowOf(subject(), m_channels[row]));
  }
  setNote(QString::number(sqnrDb.size()));
  setWords(m_caption,
           tr("%1 of each channel, in their order:").arg(titleOf(subject().shownErrorKind())));
  m_strip->setContent(sqnrDb, subject().sqnrScale, known ? selected : -1);
  m_table->setContent(std::move(table));
  setWords(m_rest, sqnrDb.size() > kShown ? tr("All %1 are in the heatmap.").arg(sqnrDb.size())
                                          : QString());
}

QString ChannelsSection::asText() const {
  return m_table->asText();
}

}  // namespace quantscope
