#include "widgets/words/gain_words.h"

#include <cmath>

#include "export/number_text.h"
#include "widgets/look/text.h"
#include "widgets/words/translate.h"

namespace quantscope {
namespace {

QString signedNumber(double number) {
  if (std::isinf(number)) return number > 0 ? QStringLiteral("+∞") : QStringLiteral("−∞");
  const QString size = QString::number(std::abs(number), 'f', 1);
  if (size == QStringLiteral("0.0")) return QStringLiteral("±0");
  return (number > 0 ? QStringLiteral("+") : QStringLiteral("−")) + size;
}

}  // namespace

QString gainWords(const ConfigGain& gain) {
  if (!gain.gainDb || std::isnan(*gain.gainDb)) return {};
  return (gain.measured ? QString() : QStringLiteral("≈ ")) + signedNumber(*gain.gainDb) +
         QStringLiteral(" dB");
}

QString bytesWords(const ConfigGain& gain) {
  if (gain.bytes == 0) return QStringLiteral("±0 B");
  return (gain.bytes > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
         text(byteSize(std::abs(gain.bytes)));
}

QString gainSentence(const ConfigGain& gain) {
  const QString db =
      gain.gainDb ? signedNumber(*gain.gainDb) + QStringLiteral(" dB") : tr("nothing");
  return (gain.measured ? tr("Measured on all samples: %1 at the output, %2.")
                        : tr("Estimated, not measured yet: %1 at the output, %2."))
      .arg(db, bytesWords(gain));
}

}  // namespace quantscope
