#include "widgets/words/gain_words.h"

#include <cmath>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

QString signedNumber(double number) {
  if (std::isinf(number)) return number > 0 ? QStringLiteral("+∞") : QStringLiteral("−∞");
  const QString size = QString::number(std::abs(number), 'f', 1);
  if (size == QStringLiteral("0.0")) return QStringLiteral("±0");
  return (number > 0 ? QStringLiteral("+") : QStringLiteral("−")) + size;
}

QString listed(const std::vector<std::string>& names) {
  QStringList words;
  for (const std::string& name : names) words << text(name);
  return words.join(QStringLiteral(", "));
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

QString figureWords(const std::string& figures) {
  return text(figures).replace(u'-', u'−');
}

QString fittingSentence(const FittingGain& fitting) {
  if (!fitting.refusal.empty()) {
    return tr("The repairs that act on this fault cannot be tried: %1.").arg(text(fitting.refusal));
  }
  const QString time = fitting.outOfTime ? tr(" There was no time to try them all.") : QString();
  if (fitting.kept.empty()) {
    return tr("Measured: of the repairs that act on this fault (%1), none wins what held-out "
              "samples confirm.")
               .arg(listed(fitting.repair.steps)) +
           time + u' ' + fittingPlace(fitting.repair);
  }
  return tr("Measured: of the repairs that act on this fault, %1 win %2 at the worst output of all "
            "samples, at %3.")
             .arg(listed(fitting.kept), gainWords(fitting.gain), bytesWords(fitting.gain)) +
         time + u' ' + fittingPlace(fitting.repair);
}

QString fittingPlace(const FittingRepair& repair) {
  if (repair.only.size() == 1) return tr("Only %1 may change.").arg(text(repair.only.front()));
  if (!repair.only.empty()) {
    return tr("Only %1 layers may change.").arg(repair.only.size());
  }
  const std::string whole = wholeModelStep(repair.steps);
  if (whole.empty()) {
    return tr("All layers may change: what it is about cannot be repaired by itself.");
  }
  return tr("All layers may change: %1 has to do with all of the model.").arg(text(whole));
}

}  // namespace quantscope
