#pragma once

#include <cstdint>
#include <vector>

#include "compare/compared_model.h"
#include "compare/matching/value_prints.h"

namespace quantscope {

/// What a match rests on most.
enum class MatchReason : std::uint8_t {
  Hand,       ///< somebody said so
  Name,       ///< both have it
  Structure,  ///< the same operator on values that match
  Values,     ///< both compute the same
};
std::string_view name(MatchReason reason);

/// A value of either model, by their indexes in ComparedModel::values().
struct ValueMatch {
  std::size_t first = 0;
  std::size_t second = 0;
  double confidence = 0;  ///< 0 … 1
  MatchReason reason = MatchReason::Values;
};

/// Corrections by hand.
struct HandMatches {
  std::vector<std::pair<std::size_t, std::size_t>> matched;
  std::vector<std::size_t> firstAlone;  ///< have no match
  std::vector<std::size_t> secondAlone;
};

/// Matches the values of two models one to one: by name, by what they are made of and what is made
/// of them, and by the elements of their prints. Values whose numbers of elements differ never
/// match. In the order of `second`. The same for any number of threads.
///
/// Each value of `second` has candidates: values of that name, values near the matches of what it
/// reads and of its readers, and those whose prints are most like its own. The candidates are
/// rated again and again while the neighbours' matches settle; then the best pairs are taken first.
std::vector<ValueMatch> matchValues(const ComparedModel& first,
                                    const std::vector<ValuePrint>& firstPrints,
                                    const ComparedModel& second,
                                    const std::vector<ValuePrint>& secondPrints,
                                    const HandMatches& byHand = {});

/// The part of a name that quantizers leave alone: without "_quantized", "_QuantizeLinear_Output",
/// "_DequantizeLinear_Output" and the like.
std::string_view plainName(std::string_view name);

}  // namespace quantscope
