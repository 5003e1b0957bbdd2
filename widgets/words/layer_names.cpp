#include "widgets/words/layer_names.h"

#include <QStringList>
#include <algorithm>

#include "export/pictures/scope_bands.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr QChar kQuote = u'\'';
constexpr qsizetype kLeastParts = 2;  // "0" alone is no name

// "/layer3/conv1/Conv" is named after its operator: what stands before it tells more.
QStringList tellingParts(const LayerResult& layer) {
  QStringList parts;
  for (const std::string& part : scopeParts(layer.name)) parts << text(part);
  while (parts.size() > 1 && parts.last().compare(text(layer.op), Qt::CaseInsensitive) == 0) {
    parts.removeLast();
  }
  return parts;
}

QString endOf(const QStringList& parts, qsizetype count, QChar separator) {
  return parts.mid(parts.size() - count).join(separator);
}

}  // namespace

LayerNames::LayerNames(const AnalysisResult& result) {
  QHash<QString, int> ends;  // how many layers have it
  const auto separatorOf = [](const LayerResult& layer) {
    return layer.name.find('/') != std::string::npos ? u'/' : u'.';
  };
  for (const LayerResult& layer : result.layers) {
    const QStringList parts = tellingParts(layer);
    for (qsizetype i = 1; i <= parts.size(); ++i) ++ends[endOf(parts, i, separatorOf(layer))];
  }
  for (const LayerResult& layer : result.layers) {
    const QStringList parts = tellingParts(layer);
    for (qsizetype i = std::min(kLeastParts, parts.size()); i <= parts.size(); ++i) {
      const QString end = endOf(parts, i, separatorOf(layer));
      if (ends.value(end) > 1) continue;
      m_short.insert(text(layer.name), end);
      break;
    }
  }
}

// Other marks of that kind are apostrophes.
QString LayerNames::shortened(const QString& sentence) const {
  QString words = sentence;
  for (qsizetype open = words.indexOf(kQuote); open >= 0; open = words.indexOf(kQuote, open + 1)) {
    const qsizetype close = words.indexOf(kQuote, open + 1);
    if (close < 0) break;
    const auto known = m_short.constFind(words.sliced(open + 1, close - open - 1));
    if (known == m_short.constEnd()) continue;
    words.replace(open + 1, close - open - 1, *known);
    open += known->size() + 1;
  }
  return words;
}

}  // namespace quantscope
