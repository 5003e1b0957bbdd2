#include "search/advice/next_change.h"

#include <iomanip>
#include <sstream>

namespace quantscope {

std::string figuresText(const NextChange& change) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  if (change.fromDb && change.toDb) text << *change.fromDb << " → " << *change.toDb << " dB, ";
  text << std::setprecision(0) << std::showpos << change.bytes << " bytes";
  return text.str();
}

}  // namespace quantscope
