#include <algorithm>

#include "detectors/findings/finding.h"

namespace quantscope {
namespace {

void addChannels(Finding& finding, NodeId node, const std::vector<std::int64_t>& channels) {
  if (channels.empty() || finding.node == node) return;
  const auto place =
      std::ranges::lower_bound(finding.memberChannels, node, {}, &MemberChannels::node);
  const bool known = place != finding.memberChannels.end() && place->node == node;
  if (!known) finding.memberChannels.insert(place, {node, channels});
}

}  // namespace

void addMember(Finding& finding, NodeId node) {
  const auto place = std::ranges::lower_bound(finding.members, node);
  const bool known = finding.node == node || (place != finding.members.end() && *place == node);
  if (!known) finding.members.insert(place, node);
}

void addMembers(Finding& finding, const Finding& other) {
  addMember(finding, other.node);
  for (const NodeId member : other.members) addMember(finding, member);
  addChannels(finding, other.node, other.channels);
  for (const auto& [node, channels] : other.memberChannels) addChannels(finding, node, channels);
}

}  // namespace quantscope
