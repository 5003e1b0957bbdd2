#include "precision/edits/rule_name.h"

namespace quantscope {

const std::string& ruleName(const PrecisionConfig& config, const PrecisionRule& rule) {
  static const std::string none;
  switch (rule.kind) {
    case PrecisionRule::Kind::OpType:
      return config.opTypes[rule.index].first;
    case PrecisionRule::Kind::Pattern:
      return config.patterns[rule.index].match.expression();
    case PrecisionRule::Kind::Default:
    case PrecisionRule::Kind::Node:
      break;
  }
  return none;
}

}  // namespace quantscope
