#include "precision/edits/config_edit.h"

#include <algorithm>
#include <unordered_map>

namespace quantscope {
namespace {

/// A list of named entries under a series of changes. Names are looked up in an index, as an edit
/// may set thousands of them.
template <class Entry, class Key>
class EntryList {
 public:
  EntryList(std::vector<Entry>& entries, Key key) : m_entries(entries), m_key(key) {}

  template <class Name>
  std::optional<std::size_t> find(const Name& name) {
    if (m_places.empty()) {
      for (std::size_t i = 0; i < m_entries.size(); ++i) m_places.emplace(m_key(m_entries[i]), i);
    }
    const auto found = m_places.find(m_key(name));
    if (found == m_places.end()) return std::nullopt;
    return found->second;
  }

  void remove(std::size_t index) {
    m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(index));
    m_places.clear();
  }

  void insert(Entry entry, std::optional<std::size_t> position) {
    const std::size_t index = std::min(position.value_or(m_entries.size()), m_entries.size());
    if (index == m_entries.size()) {
      if (!m_places.empty()) m_places.emplace(m_key(entry), index);
      m_entries.push_back(std::move(entry));
      return;
    }
    m_entries.insert(m_entries.begin() + static_cast<std::ptrdiff_t>(index), std::move(entry));
    m_places.clear();
  }

 private:
  std::vector<Entry>& m_entries;
  Key m_key;
  std::unordered_map<std::string, std::size_t> m_places;  // empty: to be made again
};

// A text for each name; entries and names alike.
struct EntryKey {
  const std::string& operator()(const std::string& name) const { return name; }
  std::string operator()(const PointName& point) const {
    return point.producer + '\0' + point.consumer;
  }
  const std::string& operator()(const PatternPrecision& entry) const {
    return entry.match.expression();
  }
  template <class Name, class Of>
  auto operator()(const std::pair<Name, Of>& entry) const {
    return std::string((*this)(entry.first));
  }
};

/// A configuration under edit.
class Draft {
 public:
  explicit Draft(const Configuration& config)
      : m_config(config), m_precision(*config.precision), m_repairs(*config.repairs) {}

  /// Carries a step out and returns the one that leads back.
  ConfigStep carryOut(const ConfigStep& step) {
    ConfigStep back{step.place, step.name, step.point};
    switch (step.place) {
      case ConfigStep::Entry::Backend:
        exchange(step, back, m_precision.backend);
        break;
      case ConfigStep::Entry::Convention:
        exchange(step, back, m_precision.convention);
        break;
      case ConfigStep::Entry::Bias:
        if (m_precision.bias) back.value = *m_precision.bias;
        m_precision.bias.reset();
        if (const auto* rule = std::get_if<BiasRule>(&step.value)) m_precision.bias = *rule;
        break;
      case ConfigStep::Entry::CalibrationSamples:
        exchange(step, back, m_precision.calibrationSamples);
        break;
      case ConfigStep::Entry::Detectors:
        back.value = *m_config.detectors;
        m_config.detectors = std::get<DetectorThresholds>(step.value);
        break;
      case ConfigStep::Entry::Default:
        exchange(step, back, m_precision.defaults);
        break;
      case ConfigStep::Entry::OpType:
        setEntry<NodePrecision>(m_opTypes, m_precision.opTypes, step.name, step, back);
        break;
      case ConfigStep::Entry::Pattern:
        setPattern(step, back);
        break;
      case ConfigStep::Entry::Node:
        setEntry<NodePrecision>(m_nodes, m_precision.nodes, step.name, step, back);
        break;
      case ConfigStep::Entry::Groups:
        exchange(step, back, m_precision.groups);
        break;
      case ConfigStep::Entry::Encoding:
        copyEncodings();
        setEntry<Encoding>(*m_points, m_encodings.entries, step.point, step, back);
        break;
      case ConfigStep::Entry::Equalize:
        setEntry<std::vector<float>>(m_equalized, m_repairs.equalize, step.name, step, back);
        break;
    }
    return back;
  }

  Configuration take() {
    if (m_precision != *m_config.precision) m_config.precision = std::move(m_precision);
    const bool encodes = m_points && m_encodings != *m_config.encodings;
    if (encodes) m_config.encodings = std::move(m_encodings);
    if (m_repairs != *m_config.repairs) m_config.repairs = std::move(m_repairs);
    return std::move(m_config);
  }

 private:
  template <class Entry>
  using List = EntryList<Entry, EntryKey>;
  template <class Of>
  using Named = std::pair<std::string, Of>;

  template <class Of>
  static void exchange(const ConfigStep& step, ConfigStep& back, Of& place) {
    back.value = std::exchange(place, std::get<Of>(step.value));
  }

  template <class Of, class Entry, class Name>
  static void setEntry(List<Entry>& list, std::vector<Entry>& entries, const Name& name,
                       const ConfigStep& step, ConfigStep& back) {
    const std::optional<std::size_t> found = list.find(name);
    if (found) back.value = entries[*found].second;
    if (found) back.position = *found;
    const Of* value = std::get_if<Of>(&step.value);
    if (value == nullptr) {
      if (found) list.remove(*found);
    } else if (found) {
      entries[*found].second = *value;
    } else {
      list.insert({name, *value}, step.position);
    }
  }

  void copyEncodings() {
    if (m_points) return;
    m_encodings = *m_config.encodings;
    m_points.emplace(m_encodings.entries, EntryKey());
  }

  void setPattern(const ConfigStep& step, ConfigStep& back) {
    const std::optional<std::size_t> found = m_patterns.find(step.name);
    if (found) back.value = m_precision.patterns[*found].use;
    if (found) back.position = *found;
    const auto* use = std::get_if<NodePrecision>(&step.value);
    if (use == nullptr) {
      if (found) m_patterns.remove(*found);
    } else if (found) {
      m_precision.patterns[*found].use = *use;
    } else {
      m_patterns.insert({NamePattern(step.name), *use}, step.position);
    }
  }

  Configuration m_config;
  PrecisionConfig m_precision;
  Encodings m_encodings;  // copied where they change: there may be many millions of scales
  Repairs m_repairs;
  List<Named<NodePrecision>> m_opTypes{m_precision.opTypes, {}};
  List<PatternPrecision> m_patterns{m_precision.patterns, {}};
  List<Named<NodePrecision>> m_nodes{m_precision.nodes, {}};
  std::optional<List<std::pair<PointName, Encoding>>> m_points;
  List<Named<std::vector<float>>> m_equalized{m_repairs.equalize, {}};
};

// What was removed would come back at another position.
bool canGoOn(const ConfigStep& first, const ConfigStep& next) {
  const bool removes = std::holds_alternative<std::monostate>(first.value);
  return first.place == next.place && first.name == next.name && first.point == next.point &&
         (!removes || first.place == ConfigStep::Entry::Bias);
}

}  // namespace

EditedConfiguration ConfigEdit::carryOut(const Configuration& config) const {
  Draft draft(config);
  ConfigEdit back{"undo: " + sentence, {}};
  for (const ConfigStep& step : steps) back.steps.push_back(draft.carryOut(step));
  std::ranges::reverse(back.steps);
  return {draft.take(), std::move(back)};
}

Configuration ConfigEdit::apply(const Configuration& config) const {
  return carryOut(config).config;
}

ConfigEdit ConfigEdit::inverse(const Configuration& before) const {
  return carryOut(before).inverse;
}

std::optional<ConfigEdit> mergedEdit(const ConfigEdit& first, const ConfigEdit& next) {
  if (!std::ranges::equal(first.steps, next.steps, canGoOn)) return std::nullopt;
  ConfigEdit merged = next;
  for (std::size_t i = 0; i < merged.steps.size(); ++i) {
    merged.steps[i].position = first.steps[i].position;
  }
  return merged;
}

}  // namespace quantscope
