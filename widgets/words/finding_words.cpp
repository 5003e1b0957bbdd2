#include "widgets/words/finding_words.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "detectors/detector.h"
#include "export/findings_text.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {
namespace {

constexpr std::size_t kMostSentences = 5;
constexpr std::size_t kMostOutputs = 4;
constexpr std::size_t kMostLayers = 12;
constexpr std::size_t kMostChannels = 6;

QString signedText(double gain) {
  const QString number = shortText(gain);
  return gain > 0 ? u'+' + number : number;
}

// "+1.2 kB"; nothing where it is not known, or the same.
QString suggestionBytes(const Suggestion& suggestion) {
  if (!suggestion.bytes || *suggestion.bytes == 0) return {};
  return (*suggestion.bytes > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
         text(byteSize(std::abs(*suggestion.bytes)));
}

}  // namespace

QString statisticWords(const Finding& finding) {
  const Detector* detector = findDetector(finding.detector);
  return detector == nullptr ? QString() : text(detector->figure);
}

QString figureWords(const Finding& finding) {
  const QString title = detectorTitle(finding.detector);
  const QString statistic = statisticWords(finding);
  return tr("%1: %2, threshold %3. Confidence %4.")
      .arg(statistic.isEmpty() ? title : tr("%1 (%2)").arg(title, statistic),
           shortText(finding.statistic), shortText(finding.threshold),
           text(percent(finding.confidence)));
}

bool canBeApplied(const Finding& finding) {
  return finding.suggestion && !finding.suggestion->changes.empty();
}

QString suggestionWords(const Finding& finding, bool pending) {
  if (!finding.suggestion) return {};
  QString words = text(finding.suggestion->text);
  if (finding.suggestion->gainDb && finding.suggestion->gainEstimated) {
    words += u' ' + tr("%1 dB at the network's output, estimated by gradients and not measured.")
                        .arg(text(estimateText(*finding.suggestion->gainDb)));
  } else if (finding.suggestion->gainDb) {
    const bool several = !finding.suggestion->outputGains.empty();
    words += u' ' + (several ? tr("%1 dB at the network's worst output, from running it so.")
                             : tr("%1 dB at the network's output, from running it so."))
                        .arg(signedText(*finding.suggestion->gainDb));
  } else if (pending && canBeApplied(finding)) {
    words += u' ' + tr("What it gains is being simulated…");
  }
  if (const QString bytes = suggestionBytes(*finding.suggestion); !bytes.isEmpty()) {
    words += u' ' + tr("It takes %1.").arg(bytes);
  }
  if (const QString outputs = outputGainsWords(finding); !outputs.isEmpty()) {
    words += u' ' + outputs;
  }
  return words;
}

QString outputGainsWords(const Finding& finding) {
  if (!finding.suggestion || finding.suggestion->outputGains.empty()) return {};
  std::vector<OutputGain> gains = finding.suggestion->outputGains;
  std::ranges::stable_sort(gains, {}, &OutputGain::gainDb);
  QStringList listed;
  for (std::size_t i = 0; i < std::min(gains.size(), kMostOutputs); ++i) {
    listed << tr("%1 %2 dB").arg(text(gains[i].output), signedText(gains[i].gainDb));
  }
  const QString words = listed.join(QStringLiteral(", "));
  if (gains.size() <= kMostOutputs) return tr("Of each output: %1.").arg(words);
  return tr("Of the outputs that gain least: %1, and %2 more.")
      .arg(words, QString::number(gains.size() - kMostOutputs));
}

QString gainText(const Finding& finding, bool pending) {
  if (finding.suggestion && finding.suggestion->gainDb) {
    return finding.suggestion->gainEstimated ? text(estimateText(*finding.suggestion->gainDb))
                                             : signedText(*finding.suggestion->gainDb);
  }
  return pending && canBeApplied(finding) ? QStringLiteral("…") : QStringLiteral("–");
}

std::vector<MemberChannels> channelsByLayer(const Finding& finding) {
  const bool differ = std::ranges::any_of(finding.memberChannels, [&](const MemberChannels& each) {
    return each.channels != finding.channels;
  });
  if (!differ) return {};
  std::vector<MemberChannels> layers{{finding.node, finding.channels}};
  layers.insert(layers.end(), finding.memberChannels.begin(), finding.memberChannels.end());
  return layers;
}

QString channelLinks(const std::vector<MemberChannels>& layers, const Graph& graph) {
  QStringList lines;
  for (std::size_t i = 0; i < std::min(layers.size(), kMostLayers); ++i) {
    QStringList channels;
    for (const std::int64_t each : layers[i].channels) {
      if (channels.size() == kMostChannels) break;
      channels << QString::number(each);
    }
    if (layers[i].channels.size() > kMostChannels) channels << QStringLiteral("…");
    lines << QStringLiteral("<a href=\"%1\">%2</a>: %3")
                 .arg(QString::number(i), text(graph[layers[i].node].name).toHtmlEscaped(),
                      channels.isEmpty()
                          ? tr("all channels")
                          : tr("channels %1").arg(channels.join(QStringLiteral(", "))));
  }
  if (layers.size() > kMostLayers) lines << tr("and %1 more").arg(layers.size() - kMostLayers);
  return lines.join(QStringLiteral("<br>"));
}

QString findingText(const Finding& finding, bool pending) {
  QStringList lines{text(finding.text), text(finding.why), figureWords(finding),
                    suggestionWords(finding, pending)};
  lines.removeAll(QString());
  return lines.join(u'\n');
}

QString sentencesOf(const std::vector<const Finding*>& findings) {
  QString page;
  for (std::size_t i = 0; i < std::min(findings.size(), kMostSentences); ++i) {
    page += QStringLiteral("<p><b>%1</b> %2</p>")
                .arg(wordOf(findings[i]->severity).toHtmlEscaped(),
                     text(findings[i]->text).toHtmlEscaped());
  }
  if (findings.size() > kMostSentences) {
    page +=
        QStringLiteral("<p>%1</p>").arg(tr("and %1 more").arg(findings.size() - kMostSentences));
  }
  return page;
}

}  // namespace quantscope
