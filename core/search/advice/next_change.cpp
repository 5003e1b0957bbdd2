#include "search/advice/next_change.h"

#include "base/number_text.h"

namespace quantscope {

std::vector<OutputChange> outputChanges(const std::vector<OutputResult>& before,
                                        const std::vector<OutputResult>& after) {
  std::vector<OutputChange> changes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    changes.push_back({before[i].value, before[i].error.sqnrDb, after[i].error.sqnrDb});
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

}  // namespace quantscope
