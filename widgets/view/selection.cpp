#include "widgets/view/selection.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr std::size_t kMostRemembered = 200;

// Channels and samples are details of the same stop on the way back.
bool sameStop(const Selected& a, const Selected& b) {
  return a.node == b.node && a.scope == b.scope && a.value == b.value && a.more == b.more;
}

}  // namespace

std::vector<NodeId> Selected::nodes() const {
  std::vector<NodeId> all;
  if (node.valid()) all.push_back(node);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void Selection::selectNodes(const std::vector<NodeId>& nodes) {
  Selected selected;
  if (!nodes.empty()) {
    selected.node = nodes.front();
    selected.more.assign(nodes.begin() + 1, nodes.end());
  }
  select(selected);
}

void Selection::toggleNode(NodeId node) {
  std::vector<NodeId> nodes = m_current.nodes();
  const auto found = std::ranges::find(nodes, node);
  if (found != nodes.end()) {
    nodes.erase(found);
  } else {
    nodes.insert(nodes.begin(), node);
  }
  selectNodes(nodes);
}

void Selection::select(const Selected& selected) {
  if (selected == m_current) return;
  const bool details = sameStop(selected, m_current);
  m_current = selected;
  if (details) {
    m_history[m_position] = selected;
  } else {
    m_history.resize(m_position + 1);
    m_history.push_back(selected);
    if (m_history.size() > kMostRemembered) m_history.erase(m_history.begin());
    m_position = m_history.size() - 1;
  }
  Q_EMIT changed();
  if (!details) Q_EMIT historyChanged();
}

void Selection::selectChannel(int channel) {
  Selected selected = m_current;
  selected.channel = channel;
  select(selected);
}

void Selection::selectSample(int sample) {
  Selected selected = m_current;
  selected.sample = sample;
  select(selected);
}

void Selection::reset() {
  m_current = {};
  m_history = {Selected{}};
  m_position = 0;
  Q_EMIT changed();
  Q_EMIT historyChanged();
}

void Selection::goBack() {
  if (canGoBack()) goTo(m_position - 1);
}

void Selection::goForward() {
  if (canGoForward()) goTo(m_position + 1);
}

void Selection::goTo(std::size_t position) {
  m_position = position;
  m_current = m_history[position];
  Q_EMIT changed();
  Q_EMIT historyChanged();
}

}  // namespace quantscope
