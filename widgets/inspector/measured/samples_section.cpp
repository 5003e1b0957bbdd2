#include "widgets/inspector/measured/samples_section.h"

#include <QGridLayout>
#include <QLabel>
#include <QPixmap>
#include <algorithm>
#include <cmath>

#include "widgets/inspector/measured/sample_tiles.h"
#include "widgets/inspector/parts/changes.h"
#include "widgets/look/text.h"
#include "widgets/samples/sample_reader.h"

namespace quantscope {
namespace {

constexpr std::size_t kShownSamples = 6;
constexpr std::size_t kMostInputs = 8;
constexpr int kPicture = 128;

std::vector<float> samplesOf(const LayerError* error) {
  return error != nullptr ? error->sampleSqnrDb : std::vector<float>();
}

// The worst of the outputs.
std::vector<float> samplesOf(const AnalysisResult& result) {
  std::vector<float> worst;
  for (const OutputResult& output : result.outputs) {
    if (worst.empty()) worst = output.sampleSqnrDb;
    for (std::size_t i = 0; i < std::min(worst.size(), output.sampleSqnrDb.size()); ++i) {
      const float sqnr = output.sampleSqnrDb[i];
      if (std::isnan(worst[i]) || sqnr < worst[i]) worst[i] = sqnr;
    }
  }
  return worst;
}

// Of the layer or the model.
std::vector<float> sampleSqnrOf(const InspectorSubject& subject) {
  if (subject.isLayer()) return samplesOf(subject.shownError());
  return subject.kind == InspectorSubject::Kind::Model ? samplesOf(subject.result())
                                                       : std::vector<float>();
}

// The same under B; empty where there is none.
std::vector<float> comparedSqnrOf(const InspectorSubject& subject) {
  if (subject.isLayer()) return samplesOf(subject.comparedError());
  return subject.compared ? samplesOf(*subject.compared) : std::vector<float>();
}

std::optional<double> sqnrAt(const std::vector<float>& sqnrDb, int sample) {
  const auto index = static_cast<std::size_t>(sample);
  if (index >= sqnrDb.size() || std::isnan(sqnrDb[index])) return std::nullopt;
  return static_cast<double>(sqnrDb[index]);
}

std::vector<int> worstSamples(const std::vector<float>& sqnrDb) {
  std::vector<int> samples;
  for (std::size_t i = 0; i < sqnrDb.size(); ++i) {
    if (!std::isnan(sqnrDb[i])) samples.push_back(static_cast<int>(i));
  }
  std::ranges::stable_sort(samples, {}, [&](int i) { return sqnrDb[static_cast<std::size_t>(i)]; });
  samples.resize(std::min(samples.size(), kShownSamples));
  return samples;
}

QString inputWords(const InputPreview& input) {
  return SamplesSection::tr("%1\n%2 %3\n%4 … %5, mean %6%7")
      .arg(input.name, input.type, input.shape, shortText(input.min), shortText(input.max),
           shortText(input.mean),
           input.picture.isNull() ? QStringLiteral("\n") + input.numbers : QString());
}

}  // namespace

SamplesSection::SamplesSection(Selection* selection, SampleReader* reader, QWidget* parent)
    : InspectorSection(QStringLiteral("samples"), tr("Samples"), parent),
      m_selection(selection),
      m_reader(reader),
      m_caption(wordLabel(this, true)),
      m_tiles(new SampleTiles(this)),
      m_selectedWords(wordLabel(this)),
      m_inputs(new QGridLayout) {
  body()->addWidget(m_caption);
  body()->addWidget(m_tiles);
  body()->addWidget(m_selectedWords);
  body()->addLayout(m_inputs);
  m_inputs->setHorizontalSpacing(12);
  m_inputs->setColumnStretch(1, 1);
  connect(m_tiles, &SampleTiles::sampleActivated, m_selection, &Selection::selectSample);
  connect(m_reader, &SampleReader::ready, this, [this](int sample) {
    if (!isOpen() || isHidden()) return;
    if (std::ranges::find(m_worst, sample) != m_worst.end()) showTiles();
    if (sample == subject().selected.sample) showSelected();
  });
}

bool SamplesSection::appliesTo(const InspectorSubject& subject) const {
  return !sampleSqnrOf(subject).empty();
}

void SamplesSection::refresh() {
  const std::vector<float> sqnrDb = sampleSqnrOf(subject());
  m_worst = worstSamples(sqnrDb);
  setNote(QString::number(sqnrDb.size()));
  const QString kind =
      subject().isLayer() ? titleOf(subject().shownErrorKind()) : tr("Error at the outputs");
  setWords(m_caption, tr("%1, SQNR in dB, worst first:").arg(kind));
  std::vector<int> wanted = m_worst;
  if (subject().selected.sample >= 0) wanted.push_back(subject().selected.sample);
  m_reader->setSnapshot(subject().snapshot);
  m_reader->request(wanted);
  showTiles();
  showSelected();
}

void SamplesSection::showTiles() {
  const std::vector<float> sqnrDb = sampleSqnrOf(subject());
  const std::vector<float> compared = comparedSqnrOf(subject());
  std::vector<SampleTile> tiles;
  for (const int sample : m_worst) {
    SampleTile tile;
    tile.change = changeCell(sqnrAt(sqnrDb, sample), sqnrAt(compared, sample));
    tile.sample = sample;
    tile.sqnrDb = static_cast<double>(sqnrDb[static_cast<std::size_t>(sample)]);
    const SampleContent* content = m_reader->find(sample);
    tile.words = content == nullptr ? tr("…") : tr("not readable");
    if (content != nullptr && !content->inputs.empty()) {
      const InputPreview& first = content->inputs.front();
      tile.picture = first.picture;
      tile.words = tr("%1 … %2").arg(shortText(first.min), shortText(first.max));
    }
    tiles.push_back(std::move(tile));
  }
  m_tiles->setContent(std::move(tiles), subject().sqnrScale, subject().selected.sample);
}

void SamplesSection::showSelected() {
  const int sample = subject().selected.sample;
  const SampleContent* content = sample >= 0 ? m_reader->find(sample) : nullptr;
  QString words;
  if (sample >= 0) {
    words = tr("Sample %1").arg(sample);
    const std::vector<float> sqnrDb = sampleSqnrOf(subject());
    if (static_cast<std::size_t>(sample) < sqnrDb.size()) {
      const std::optional<double> sqnr = sqnrAt(sqnrDb, sample);
      words += tr(": %1").arg(sqnr ? withUnit(sqnr, tr("dB")) : tr("not computed")) +
               changeWords(sqnr, sqnrAt(comparedSqnrOf(subject()), sample));
    }
    if (content != nullptr && content->label) words += tr(", label %1").arg(*content->label);
    if (content != nullptr && !content->error.isEmpty()) words += u'\n' + content->error;
  }
  setWords(m_selectedWords, words);
  showInputs(content != nullptr ? *content : SampleContent());
}

void SamplesSection::showInputs(const SampleContent& content) {
  const std::size_t count = std::min(content.inputs.size(), kMostInputs);
  while (m_rows.size() < count) {
    InputRow row{new QLabel(this), wordLabel(this, true)};
    row.words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_inputs->addWidget(row.picture, static_cast<int>(m_rows.size()), 0, Qt::AlignTop);
    m_inputs->addWidget(row.words, static_cast<int>(m_rows.size()), 1);
    m_rows.push_back(row);
  }
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const bool used = i < count;
    const QImage picture = used ? content.inputs[i].picture : QImage();
    m_rows[i].picture->setVisible(!picture.isNull());
    if (!picture.isNull()) {
      const bool smaller = picture.width() > kPicture || picture.height() > kPicture;
      QPixmap pixmap = QPixmap::fromImage(
          picture.scaled(QSize(kPicture, kPicture) * devicePixelRatioF(), Qt::KeepAspectRatio,
                         smaller ? Qt::SmoothTransformation : Qt::FastTransformation));
      pixmap.setDevicePixelRatio(devicePixelRatioF());
      m_rows[i].picture->setPixmap(pixmap);
      m_rows[i].picture->setAccessibleName(content.inputs[i].name);
    }
    setWords(m_rows[i].words, used ? inputWords(content.inputs[i]) : QString());
  }
}

QString SamplesSection::asText() const {
  const bool compares = !comparedSqnrOf(subject()).empty();
  QString lines = compares ? tr("sample\tSQNR dB\tA − B\n") : tr("sample\tSQNR dB\n");
  for (const SampleTile& tile : m_tiles->tiles()) {
    lines += QString::number(tile.sample) + u'\t' + exactText(tile.sqnrDb);
    if (compares) lines += u'\t' + tile.change.exact.toString();
    lines += u'\n';
  }
  if (!m_selectedWords->text().isEmpty()) lines += m_selectedWords->text() + u'\n';
  for (const InputRow& row : m_rows) {
    if (!row.words->text().isEmpty()) lines += row.words->text() + u'\n';
  }
  return lines;
}

}  // namespace quantscope
