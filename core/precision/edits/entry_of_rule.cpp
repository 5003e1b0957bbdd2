#include "precision/edits/entry_of_rule.h"

namespace quantscope {

bool isEntryOf(const ConfigStep& step, const PrecisionConfig& config, const PrecisionRule& rule) {
  switch (rule.kind) {
    case PrecisionRule::Kind::OpType:
      return step.place == ConfigStep::Entry::OpType &&
             step.name == config.opTypes[rule.index].first;
    case PrecisionRule::Kind::Pattern:
      return step.place == ConfigStep::Entry::Pattern &&
             step.name == config.patterns[rule.index].match.expression();
    case PrecisionRule::Kind::Default:
    case PrecisionRule::Kind::Node:
      break;
  }
  return false;
}

}  // namespace quantscope
