#include "search/advice/next_change.h"

#include "base/number_text.h"
#include "search/advice/advice_budget.h"

namespace quantscope {

std::vector<OutputChange> outputChanges(const std::vector<OutputResult>& before,
                                        const std::vector<OutputResult>& after) {
  std::vector<OutputChange> changes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    changes.push_back({before[i].value, before[i].error.sqnrDb, after[i].error.sqnrDb,
                       before[i].top1Agreement, after[i].top1Agreement});
  }
  return changes;
}

std::string figuresText(const NextChange& change) {
  std::string text;
  if (change.fromDb && change.toDb) {
    text = fixedNumber(*change.fromDb, 1) + " → " + decibelText(*change.toDb) + ", ";
  }
  return text + signedNumber(change.bytes, 0) + " bytes";
}

std::string noChangeText() {
  const AdviceLimits limits;
  return "none that helps within " + fixedNumber(100 * (limits.bytes - 1), 0) +
         " % more bytes and " + fixedNumber(100 * limits.macsAbove8Bits, 0) +
         " % of the multiply-accumulates above 8 bits";
}

}  // namespace quantscope
