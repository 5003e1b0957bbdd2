#include "search/measured/goal_words.h"

#include <cmath>

#include "base/number_text.h"

namespace quantscope {
namespace {

using Kind = SearchGoal::Kind;

constexpr double kMicrosecondsPerMs = 1000;

std::string milliseconds(double microseconds) {
  return shortNumber(microseconds / kMicrosecondsPerMs) + " ms";
}

// What else is known of a point.
std::string figuresOf(Kind kind, const ParetoPoint& point) {
  std::string text;
  if (kind != Kind::Bytes) text += ", in " + fixedNumber(point.bytes, 0) + " bytes";
  if (point.sqnrDb) text += ", with " + decibelText(*point.sqnrDb) + " at the worst output";
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
         fixedNumber(floatTime / time, 4) + " times as fast";
}

}  // namespace

Error unreachableBudget(const SearchGoal& goal, double least, double floatTime) {
  std::string text;
  switch (goal.kind) {
    case Kind::Bits:
      text = "no configuration has " + shortestText(goal.limit) +
             " bits in the mean: with the types to choose from, all weights take at least " +
             fixedNumber(least, 3);
      break;
    case Kind::Bytes:
      text = "no configuration has " + shortestText(goal.limit) +
             " bytes: with the types to choose from, all constants take at least " +
             fixedNumber(least, 0);
      break;
    default:
      text =
          "no configuration is as fast: with the types to choose from, a sample takes at least " +
          milliseconds(least) + ", the sum of its fastest layers without conversions" +
          inFloat(least, floatTime);
  }
  return Error(ErrorCode::InvalidParameters, text, {}, remedy(goal.kind));
}

Error unmetGoal(const SearchGoal& goal, double least, double floatTime,
                const ParetoPoint& nearest) {
  std::string text;
  switch (goal.kind) {
    case Kind::Bits:
      text = "no configuration that was measured has at most " + shortestText(goal.limit) +
             " bits in the mean: the smallest one has " + fixedNumber(least, 3);
      break;
    case Kind::Bytes:
      text = "no configuration that was measured has at most " + shortestText(goal.limit) +
             " bytes: the smallest one has " + fixedNumber(least, 0);
      break;
    case Kind::MaxDrop:
      text = "no configuration loses as little as " + briefPercent(goal.limit) +
             ": the best one that was measured loses " + briefPercent(least);
      break;
    default:
      text = "no configuration that was measured is as fast: the fastest one takes " +
             milliseconds(least) + " for a sample" + inFloat(least, floatTime);
  }
  text += figuresOf(goal.kind, nearest);
  return Error(ErrorCode::InvalidParameters, text, {}, remedy(goal.kind));
}

Error unmeasurableDrop() {
  return {ErrorCode::InvalidParameters,
          "no output of the model gives class scores, so that no drop can be measured",
          {},
          "give a budget of bits or bytes instead"};
}

void requireWeights(const SearchGoal& goal, double elements) {
  if (goal.kind != Kind::Bits || elements > 0) return;
  throw Error(ErrorCode::InvalidParameters, "the model has no weights, whose bits could be fewer",
              {}, "give a budget of time or a drop instead");
}

std::vector<std::string> sampleNotices(const SearchGoal& goal, std::size_t samples) {
  if (goal.kind != Kind::MaxDrop) return {};
  const std::string have = counted(samples, "sample");
  if (goal.limit == 0) {
    return {have + " can show that none of them is lost, not that none of all is"};
  }
  // If none of n samples has lost its class, at most 3 / n of all do, with 95 % certainty.
  const double needed = std::ceil(3 / goal.limit);
  if (static_cast<double>(samples) >= needed) return {};
  return {have + " cannot show that at most " + briefPercent(goal.limit) +
          " are lost: that takes " + fixedNumber(needed, 0) + ", for a certainty of 95 %"};
}

}  // namespace quantscope
