#include "layout/acyclic_parts.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

// Items are taken in an order that the edges allow, group by group; a part ends whenever the
// group changes. A group whose remaining items depend on no other group is taken completely, and
// first. If there is no such group, one is cut: the one of which the greatest share can be
// taken.

namespace quantscope {
namespace {

// Limit of the items visited to decide which group to cut; beyond it, the first group with an item
// to take is cut.
constexpr std::size_t kMaxTrials = 4'000'000;

class Partition {
 public:
  Partition(std::span<const std::size_t> groups, std::span<const LayoutEdge> edges)
      : m_successors(groups.size()), m_waitingFor(groups.size(), 0), m_part(groups.size(), 0) {
    numberGroups(groups);
    for (const LayoutEdge& edge : edges) {
      m_successors[edge.from].push_back(edge.to);
      ++m_waitingFor[edge.to];
      if (m_group[edge.from] != m_group[edge.to]) ++m_outsideWaits[m_group[edge.to]];
    }
    for (std::size_t item = 0; item < groups.size(); ++item) {
      if (m_waitingFor[item] == 0) m_ready[m_group[item]].push_back(item);
    }
  }

  std::vector<std::size_t> cut() {
    for (std::size_t group = 0; group < m_members.size(); ++group) queueIfFree(group);
    for (std::size_t left = m_group.size(); left > 0;) {
      const std::size_t group = nextGroup();
      const std::size_t taken = take(group);
      if (taken == 0) break;  // a cycle, which the caller has excluded
      left -= taken;
      ++m_parts;
    }
    return std::move(m_part);
  }

 private:
  void numberGroups(std::span<const std::size_t> groups) {
    std::unordered_map<std::size_t, std::size_t> number;
    for (std::size_t item = 0; item < groups.size(); ++item) {
      std::size_t group = m_members.size();
      if (groups[item] != kAlone) group = number.try_emplace(groups[item], group).first->second;
      if (group == m_members.size()) m_members.emplace_back();
      m_members[group].push_back(item);
      m_group.push_back(group);
    }
    m_outsideWaits.assign(m_members.size(), 0);
    m_ready.resize(m_members.size());
    m_left.resize(m_members.size());
    for (std::size_t i = 0; i < m_members.size(); ++i) m_left[i] = m_members[i].size();
  }

  void queueIfFree(std::size_t group) {
    if (m_outsideWaits[group] == 0 && m_left[group] > 0) m_free.push(group);
  }

  std::size_t nextGroup() {
    while (!m_free.empty()) {
      const std::size_t group = m_free.top();
      m_free.pop();
      if (m_left[group] > 0) return group;
    }
    return groupToCut();
  }

  std::size_t groupToCut() {
    std::size_t best = 0;
    double bestShare = -1;
    for (std::size_t group = 0; group < m_members.size(); ++group) {
      if (m_ready[group].empty()) continue;
      if (m_trials > kMaxTrials) return bestShare < 0 ? group : best;
      const double share =
          static_cast<double>(countReachable(group)) / static_cast<double>(m_left[group]);
      if (share <= bestShare) continue;
      best = group;
      bestShare = share;
    }
    return best;
  }

  // Number of items that can be taken from the group now.
  std::size_t countReachable(std::size_t group) {
    std::unordered_map<std::size_t, std::size_t> satisfied;
    std::vector<std::size_t> reached = m_ready[group];
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::size_t next : m_successors[reached[i]]) {
        ++m_trials;
        if (m_group[next] == group && ++satisfied[next] == m_waitingFor[next]) {
          reached.push_back(next);
        }
      }
    }
    return reached.size();
  }

  std::size_t take(std::size_t group) {
    std::vector<std::size_t> pending = std::move(m_ready[group]);
    m_ready[group].clear();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const std::size_t item = pending[i];
      m_part[item] = m_parts;
      for (const std::size_t next : m_successors[item]) {
        const std::size_t other = m_group[next];
        const bool ready = --m_waitingFor[next] == 0;
        if (ready) (other == group ? pending : m_ready[other]).push_back(next);
        if (other != group && --m_outsideWaits[other] == 0) queueIfFree(other);
      }
    }
    m_left[group] -= pending.size();
    return pending.size();
  }

  std::vector<std::vector<std::size_t>> m_successors;
  std::vector<std::size_t> m_waitingFor;  // edges from items that are not taken yet
  std::vector<std::size_t> m_group;
  std::vector<std::vector<std::size_t>> m_members;
  std::vector<std::size_t> m_outsideWaits;  // by group: edges from other groups' items, likewise
  std::vector<std::size_t> m_left;          // by group: items that are not taken yet
  std::vector<std::vector<std::size_t>> m_ready;  // by group: items that wait for nothing
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> m_free;
  std::vector<std::size_t> m_part;
  std::size_t m_parts = 0;
  std::size_t m_trials = 0;
};

}  // namespace

std::vector<std::size_t> acyclicParts(std::span<const std::size_t> groups,
                                      std::span<const LayoutEdge> edges) {
  return Partition(groups, edges).cut();
}

}  // namespace quantscope
