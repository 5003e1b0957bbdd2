#include "widgets/repair/repair_heading.h"

#include <algorithm>

#include "analysis/errors/worst_output.h"
#include "export/repair_words.h"
#include "repair/output_judge.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

QString decibels(double number) {
  return fixedText(number, 2);
}

}  // namespace

QString repairHeading(const RepairResult& result) {
  const bool any = std::ranges::any_of(result.steps, &StepReport::kept);
  const QString figures =
      result.folds > 1
          ? tr("Worst output: %1 → %2 dB on all samples, %3 → %4 dB where each of the %5 is held "
               "out once.")
          : tr("Worst output: %1 → %2 dB on all samples, %3 → %4 dB on the %5 held-out ones.");
  QString words = any ? figures
                            .arg(decibels(worstDecibels(result.startAll)),
                                 decibels(worstDecibels(result.endAll)),
                                 decibels(worstDecibels(result.start.heldOut)),
                                 decibels(worstDecibels(result.end.heldOut)))
                            .arg(result.heldOutSamples)
                      : tr("No step stays: the model is as it was.");
  if (result.stopped) {
    words += tr(" It was stopped early.");
  } else if (result.outOfTime) {
    words += tr(" The time was over before everything was tried.");
  }
  for (const std::string& remark : remarksOf(result)) {
    words += u' ' + capitalized(text(remark)) + u'.';
  }
  return words;
}

}  // namespace quantscope
