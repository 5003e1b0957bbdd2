#include "precision/edits/target_match.h"

#include <algorithm>

namespace quantscope {

TargetMatch::TargetMatch(const PrecisionTarget& target) : m_target(target) {
  using Kind = PrecisionTarget::Kind;
  if (target.kind == Kind::Pattern) m_pattern.emplace(target.names.at(0));
  if (target.kind == Kind::Scope) m_pattern.emplace(scopeExpression(target.names.at(0)));
}

bool TargetMatch::operator()(const Node& node) const {
  if (m_pattern) return m_pattern->matches(node.name);
  if (m_target.kind == PrecisionTarget::Kind::Default) return true;
  const std::string& name = m_target.kind == PrecisionTarget::Kind::OpType ? node.op : node.name;
  return std::ranges::find(m_target.names, name) != m_target.names.end();
}

}  // namespace quantscope
