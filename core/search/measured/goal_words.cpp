#include "search/measured/goal_words.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace quantscope {
namespace {

using Kind = SearchGoal::Kind;

// With fewer hardly any are held out.
constexpr std::size_t kLeastSamples = 8;
constexpr double kMicrosecondsPerMs = 1000;

std::string digits(double number, int count) {
  std::ostringstream text;
  text << std::setprecision(count) << number;
  return text.str();
}

std::string whole(double number) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << number;
  return text.str();
}

std::string percent(double share) {
  return digits(100 * share, 3) + " %";
}

std::string milliseconds(double microseconds) {
  return digits(microseconds / kMicrosecondsPerMs, 4) + " ms";
}

// What else is known of a point.
std::string figuresOf(Kind kind, const ParetoPoint& point) {
  std::string text;
  if (kind != Kind::Bytes) text += ", in " + whole(point.bytes) + " bytes";
  if (point.sqnrDb) text += ", with " + digits(*point.sqnrDb, 3) + " dB at the worst output";
  return text;
}

std::string remedy(Kind kind) {
  switch (kind) {
    case Kind::Bits:
      return "allow more bits, or name narrower types that the backend runs";
    case Kind::Bytes:
      return "allow more bytes, or name narrower types that the backend runs";
    case Kind::Time:
    case Kind::Speedup:
      return "allow more time, or name narrower types that the backend runs";
    case Kind::MaxDrop:
      break;
  }
  return "allow a larger drop, or name wider types that the backend runs";
}

std::string inFloat(double time, double floatTime) {
  return ", in float32 " + milliseconds(floatTime) + ", which makes it " +
         digits(floatTime / time, 3) + " times as fast";
}

}  // namespace

Error unreachableBudget(const SearchGoal& goal, double least, double floatTime) {
  std::string text;
  switch (goal.kind) {
    case Kind::Bits:
      text = "no configuration has " + digits(goal.limit, 6) +
             " bits in the mean: with the types to choose from, all weights take at least " +
             digits(least, 4);
      break;
    case Kind::Bytes:
      text = "no configuration has " + whole(goal.limit) +
             " bytes: with the types to choose from, all constants take at least " + whole(least);
      break;
    default:
      text =
          "no configuration is as fast: with the types to choose from, a sample takes at least " +
          milliseconds(least) + inFloat(least, floatTime);
  }
  return Error(ErrorCode::InvalidParameters, text, {}, remedy(goal.kind));
}

Error unmetGoal(const SearchGoal& goal, double least, double floatTime,
                const ParetoPoint& nearest) {
  std::string text;
  switch (goal.kind) {
    case Kind::Bits:
      text = "no configuration that was measured has at most " + digits(goal.limit, 6) +
             " bits in the mean and is no worse than the start: the smallest one has " +
             digits(least, 4);
      break;
    case Kind::Bytes:
      text = "no configuration that was measured has at most " + whole(goal.limit) +
             " bytes and is no worse than the start: the smallest one has " + whole(least);
      break;
    case Kind::MaxDrop:
      text = "no configuration loses as little as " + percent(goal.limit) +
             ": the best one that was measured loses " + percent(least);
      break;
    default:
      text = "no configuration that was measured is as fast: the fastest one takes " +
             milliseconds(least) + " for a sample" + inFloat(least, floatTime);
  }
  text += figuresOf(goal.kind, nearest);
  return Error(ErrorCode::InvalidParameters, text, {}, remedy(goal.kind));
}

std::vector<std::string> sampleNotices(const SearchGoal& goal, std::size_t samples) {
  std::vector<std::string> notices;
  const std::string have = std::to_string(samples) + (samples == 1 ? " sample" : " samples");
  if (samples < kLeastSamples) {
    notices.push_back(have + (samples == 1 ? " is" : " are") +
                      " too few to try a choice on others than those it was made by, so what it "
                      "promises may not hold for other data: give at least " +
                      std::to_string(kLeastSamples));
  }
  // If none of n samples has lost its class, at most 3 / n of all do, with 95 % certainty.
  const double needed =
      goal.kind == Kind::MaxDrop && goal.limit > 0 ? std::ceil(3 / goal.limit) : 0;
  if (static_cast<double>(samples) < needed) {
    notices.push_back(have + " cannot show that at most " + percent(goal.limit) +
                      " are lost: that takes " + whole(needed) + ", for a certainty of 95 %");
  }
  return notices;
}

}  // namespace quantscope
