#include "search/advice/next_change.h"

#include "base/number_text.h"

namespace quantscope {

std::string figuresText(const NextChange& change) {
  std::string text;
  if (change.fromDb && change.toDb) {
    text = fixedNumber(*change.fromDb, 1) + " → " + decibelText(*change.toDb) + ", ";
  }
  return text + signedNumber(change.bytes, 0) + " bytes";
}

}  // namespace quantscope
