#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/dumps/dump_folder.h"
#include "compare/matching/named_matches.h"
#include "engine/engine.h"

namespace quantscope {

/// A dump of a value of the model.
struct MatchedDump {
  const DumpedValue* dumped = nullptr;
  bool byHand = false;
};

/// Dumps by what the model computes; constants of the model do not count.
struct MatchedDumps {
  std::map<ValueId, MatchedDump> found;
  std::vector<std::string> unmatched;  ///< names of dumps that are no value of the model
};

/// Matches by name where `byHand` says nothing else. The dumps outlive the result. Throws
/// InvalidParameters where a name of `byHand` is neither of the model nor dumped.
MatchedDumps matchDumps(const Engine& engine, const DumpFolder& dumps, const NamedMatches& byHand);

}  // namespace quantscope
