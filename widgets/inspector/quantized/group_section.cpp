#include "widgets/inspector/quantized/group_section.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "precision/config/precision_words.h"
#include "widgets/controls/command_palette.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/controls/form_fields.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"
#include "widgets/words/group_words.h"

namespace quantscope {
namespace {

constexpr std::size_t kMostMembers = 16;

// Outputs first, then the edges in the order of the inputs.
std::vector<std::size_t> pointsOf(const InspectorSubject& subject) {
  std::vector<std::size_t> outputs;
  std::vector<std::size_t> edges;
  if (!subject.snapshot || !subject.snapshot->quantized) return outputs;
  const std::vector<QuantizationPoint>& points = subject.snapshot->quantized->groups.points;
  const bool ofLayer = subject.isLayer();
  const auto isMember = [&](NodeId node) {
    const std::vector<NodeId>& members = subject.layer().members;
    return std::ranges::find(members, node) != members.end();
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const QuantizationPoint& point = points[i];
    if (subject.kind == InspectorSubject::Kind::Value) {
      if (point.value == subject.selected.value) edges.push_back(i);
    } else if (ofLayer && point.isOutput()) {
      if (isMember(subject.graph()[point.value].producer)) outputs.push_back(i);
    } else if (ofLayer && isMember(point.consumer)) {
      edges.push_back(i);
    }
  }
  outputs.insert(outputs.end(), edges.begin(), edges.end());
  return outputs;
}

QString placeTitle(const InspectorSubject& subject, const QuantizationPoint& point) {
  const PointName name = pointName(subject.graph(), point);
  if (point.isOutput()) return GroupSection::tr("Output");
  return subject.isLayer() ? GroupSection::tr("Edge from %1").arg(text(name.producer))
                           : GroupSection::tr("Edge to %1").arg(text(name.consumer));
}

// The observed range of all members together.
QString observedText(const AnalysisSnapshot& snapshot, std::size_t group) {
  const ObserverGroups& groups = snapshot.quantized->groups;
  Range range;
  for (const std::size_t member : groups.members[group]) {
    const ValueId value = groups.points[member].value;
    if (snapshot.observations && snapshot.observations->observed(value)) {
      range.include(snapshot.observations->find(value)->range);
    }
  }
  if (range.empty) return {};
  return GroupSection::tr("%1 … %2").arg(shortText(range.low), shortText(range.high));
}

void addGrids(const QuantParams& params, Facts& facts) {
  if (params.grids.empty() || !hasScale(params.type)) return;
  const Grid& grid = params.grids.front();
  if (params.grids.size() > 1) {
    facts.add(GroupSection::tr("scales"), params.grids.size());
    return;
  }
  facts.add(GroupSection::tr("scale"), shortText(grid.scale), exactText(grid.scale));
  if (isInteger(params.type)) {
    facts.add(GroupSection::tr("zero point"), QString::number(grid.zeroPoint));
  }
}

CellTableContent gridFacts(const AnalysisSnapshot& snapshot, std::size_t group) {
  const QuantizedModel& model = *snapshot.quantized;
  const QuantizationPoint& first = model.groups.points[model.groups.members[group].front()];
  Facts facts;
  TensorPrecision type = first.precision;
  type.observer = {};  // stands in a row of its own
  facts.add(GroupSection::tr("type"), text(words(type, TensorRole::Output)));
  facts.add(GroupSection::tr("range found by"), rangeSourceWords(snapshot, group),
            GroupSection::tr("The observer, or what stands in for it"));
  facts.add(GroupSection::tr("observed"), observedText(snapshot, group),
            GroupSection::tr("Smallest and largest number of all members over the calibration "
                             "data"));
  facts.add(GroupSection::tr("representable"), gridRangeText(model, group),
            GroupSection::tr("Smallest and largest number of the grid"));
  if (const std::optional<QuantParams>& params = model.groupParams[group]) {
    addGrids(*params, facts);
  }
  return facts.take();
}

// Value by value, an output before the edges that read it.
std::vector<std::size_t> orderedMembers(const ObserverGroups& groups, std::size_t group) {
  std::vector<std::size_t> members = groups.members[group];
  std::map<ValueId, std::size_t> first;
  for (const std::size_t member : members) first.try_emplace(groups.points[member].value, member);
  std::ranges::stable_sort(members, {}, [&](std::size_t member) {
    const QuantizationPoint& point = groups.points[member];
    return std::pair(first.at(point.value), !point.isOutput());
  });
  return members;
}

// How much of the names all members have in common: whole scopes.
std::size_t sharedPrefix(const std::vector<PointName>& names) {
  std::string prefix = names.front().producer;
  const auto keep = [&](const std::string& name) {
    const auto end = std::ranges::mismatch(prefix, name).in1;
    prefix.erase(end, prefix.end());
  };
  for (const PointName& name : names) {
    keep(name.producer);
    if (!name.isOutput()) keep(name.consumer);
  }
  const std::size_t scope = prefix.rfind('/');
  return scope == std::string::npos ? 0 : scope + 1;
}

// The shortest title below the member before it.
QString memberTitle(const PointName& name, bool sameValue, std::size_t prefix) {
  const QString producer = text(name.producer.substr(prefix));
  if (name.isOutput()) return GroupSection::tr("output of %1").arg(producer);
  const QString consumer = text(name.consumer.substr(prefix));
  return sameValue ? GroupSection::tr("→ %1").arg(consumer)
                   : GroupSection::tr("%1 → %2").arg(producer, consumer);
}

Selected selectionOf(const InspectorSubject& subject, const QuantizationPoint& point) {
  if (point.isOutput()) return quantscope::selectionOf(subject, point.value);
  Selected selected = quantscope::selectionOf(subject, point.consumer);
  selected.value = point.value;
  return selected;
}

}  // namespace

GroupSection::GroupSection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("group"), tr("Observer group"), parent),
      m_selection(selection),
      m_place(makeChoice()),
      m_why(wordLabel(this)),
      m_grid(new CellTable(tr("Grid"), this)),
      m_members(new CellTable(tr("Members"), this)),
      m_rest(wordLabel(this, true)),
      m_buttons(new QWidget(this)) {
  m_place->setAccessibleName(tr("Place"));
  m_place->setToolTip(tr("Where the layer's values are quantized: its output and its edges"));
  ignoreWheelWithoutFocus(m_place);
  for (QWidget* widget :
       {static_cast<QWidget*>(m_place), static_cast<QWidget*>(m_why), static_cast<QWidget*>(m_grid),
        static_cast<QWidget*>(m_members), static_cast<QWidget*>(m_rest), m_buttons}) {
    body()->addWidget(widget);
  }
  m_grid->setHeaderShown(false);
  addButtons();
  connect(m_place, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_current = static_cast<std::size_t>(index);
    m_chosen = namesOf(*subject().snapshot, point()).front();
    showGroup();
  });
  connect(m_members, &CellTable::rowActivated, this, [this](int row) {
    m_selection->select(Selected(m_targets[static_cast<std::size_t>(row)]));
  });
}

void GroupSection::addButtons() {
  auto* row = new FlowLayout(6, m_buttons);
  const auto add = [&](const QString& title, const QString& tip) {
    auto* button = new QPushButton(title, m_buttons);
    button->setToolTip(tip);
    row->addWidget(button);
    return button;
  };
  m_join = add(tr("Merge with…"), {});
  m_part = add(tr("Split from Group"), {});
  m_unjoin = add(tr("Undo Merge"), tr("Takes this place out of its manual merge"));
  m_unpart = add(tr("Undo Split"), tr("Lets this place share by itself again"));
  connect(m_join, &QPushButton::clicked, this, &GroupSection::chooseOther);
  connect(m_part, &QPushButton::clicked, this,
          [this] { request(partingOf(*subject().snapshot, m_sharing, point())); });
  connect(m_unjoin, &QPushButton::clicked, this,
          [this] { request(unjoiningOf(*subject().snapshot, m_sharing, point())); });
  connect(m_unpart, &QPushButton::clicked, this,
          [this] { request(unpartingOf(*subject().snapshot, m_sharing, point())); });
}

void GroupSection::setSharing(const HandSharing& sharing) {
  m_sharing = sharing;
  if (isVisible() && isOpen() && !m_points.empty()) showButtons();
}

bool GroupSection::appliesTo(const InspectorSubject& subject) const {
  return !pointsOf(subject).empty();
}

void GroupSection::refresh() {
  m_model = subject().snapshot->quantized;
  m_points = pointsOf(subject());
  fillPlaces();
  showGroup();
}

// The chosen place stays over another result; another selection begins with the edge that was
// selected, else with the output.
void GroupSection::fillPlaces() {
  const std::vector<QuantizationPoint>& points = m_model->groups.points;
  const Selected& selected = subject().selected;
  if (selected != m_placesOf) m_chosen.reset();
  m_placesOf = selected;
  m_current = 0;
  const QSignalBlocker silent(m_place);
  m_place->clear();
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const QuantizationPoint& place = points[m_points[i]];
    const bool edge = !place.isOutput() && place.value == selected.value && subject().isLayer();
    if (m_chosen ? pointName(subject().graph(), place) == *m_chosen : edge) m_current = i;
    m_place->addItem(placeTitle(subject(), place));
    m_place->setItemData(m_place->count() - 1, pointTitle(subject().graph(), place),
                         Qt::ToolTipRole);
  }
  m_place->setCurrentIndex(static_cast<int>(m_current));
  m_place->setVisible(m_points.size() > 1);
}

std::size_t GroupSection::group() const {
  return m_model->groups.points[point()].group;
}

void GroupSection::showGroup() {
  const std::size_t size = m_model->groups.members[group()].size();
  setNote(size > 1 ? tr("%1 members").arg(size) : QString());
  QStringList reasons = sharingReasons(*subject().snapshot, group());
  if (unpartingOf(*subject().snapshot, subject().snapshot->request.config.precision->groups,
                  point())) {
    reasons << tr("Split by hand from the group that it would share a grid with.");
  }
  setWords(m_why, reasons.join(u'\n'));
  m_grid->setContent(gridFacts(*subject().snapshot, group()), 1);
  showMembers();
  showButtons();
}

void GroupSection::showMembers() {
  const Graph& graph = subject().graph();
  const ObserverGroups& groups = m_model->groups;
  const std::vector<std::size_t> members = orderedMembers(groups, group());
  std::vector<PointName> names;
  for (const std::size_t member : members) names.push_back(pointName(graph, groups.points[member]));
  const std::size_t prefix = members.size() > 1 ? sharedPrefix(names) : 0;
  CellTableContent table;
  table.headers = {members.size() > 1 ? tr("Shares this grid") : tr("Place"), tr("Observer")};
  table.headerTips = {{}, tr("Where the observer sits, and which places reuse it")};
  m_targets.clear();
  for (std::size_t i = 0; i < std::min(members.size(), kMostMembers); ++i) {
    const QuantizationPoint& place = groups.points[members[i]];
    const bool sameValue = i > 0 && place.value == groups.points[members[i - 1]].value;
    const QString title = memberTitle(names[i], sameValue, prefix);
    const QString tip = pointTitle(graph, place);
    const bool leads = members[i] != point();
    if (!leads) table.marked = static_cast<int>(i);
    table.rows.push_back({leads ? linkCell(title, tip) : textCell(title, tip),
                          mutedCell(seatWords(m_model->seats[members[i]]))});
    m_targets.push_back(selectionOf(subject(), place));
  }
  m_members->setContent(std::move(table));
  setWords(m_rest, members.size() > kMostMembers
                       ? tr("and %1 more").arg(members.size() - kMostMembers)
                       : QString());
}

void GroupSection::showButtons() {
  const AnalysisSnapshot& snapshot = *subject().snapshot;
  const bool joinable = !joinablePoints(snapshot, point()).empty();
  m_join->setEnabled(joinable);
  m_join->setToolTip(joinable ? tr("Lets this place and another one, with all that shares with "
                                   "them, have one grid")
                              : tr("No other group has the same type and settings and a range that "
                                   "was observed."));
  const bool alone = m_model->groups.members[group()].size() == 1;
  const bool separable = !alone && partingOf(snapshot, m_sharing, point()).has_value();
  m_part->setEnabled(separable);
  m_part->setToolTip(separable ? tr("Gives this place an observer of its own; what the backend "
                                    "forces still holds")
                     : alone   ? tr("It shares with nothing.")
                               : tr("Backend %1 forces this sharing. What brings a value into the "
                                      "group, or takes one from it, can be split instead.")
                                   .arg(text(snapshot.request.config.precision->backend)));
  m_unjoin->setVisible(unjoiningOf(snapshot, m_sharing, point()).has_value());
  m_unpart->setVisible(unpartingOf(snapshot, m_sharing, point()).has_value());
}

void GroupSection::chooseOther() {
  if (m_palette == nullptr) {
    m_palette = new CommandPalette(window());
    m_palette->setObjectName(QStringLiteral("points"));
    m_palette->setAccessibleName(tr("Places to merge with"));
  }
  delete m_choices;
  m_choices = new QObject(this);
  const SnapshotPtr snapshot = subject().snapshot;
  const std::size_t here = point();
  QList<PaletteCommand> commands;
  for (const std::size_t other : joinablePoints(*snapshot, here)) {
    const QuantizationPoint& place = snapshot->quantized->groups.points[other];
    auto* action = new QAction(pointTitle(snapshot->graph(), place), m_choices);
    connect(action, &QAction::triggered, this, [this, snapshot, here, other] {
      request(joiningOf(*snapshot, m_sharing, here, other));
    });
    commands.push_back({action, gridRangeText(*snapshot->quantized, place.group)});
  }
  m_palette->open(
      commands, tr("Merge %1 with")
                    .arg(pointTitle(snapshot->graph(), snapshot->quantized->groups.points[here])));
}

void GroupSection::request(const std::optional<ConfigEdit>& edit) {
  if (edit) Q_EMIT editRequested(*edit);
}

QString GroupSection::asText() const {
  const QString place = pointTitle(subject().graph(), m_model->groups.points[point()]);
  return place + u'\n' + m_why->text() + u'\n' + m_grid->asText() + m_members->asText();
}

}  // namespace quantscope
