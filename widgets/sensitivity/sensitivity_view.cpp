#include "widgets/sensitivity/sensitivity_view.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "widgets/look/text.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/costs_button.h"
#include "widgets/sensitivity/criteria_field.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/profile_pane.h"
#include "widgets/sensitivity/search_ways.h"
#include "widgets/sensitivity/sensitivity_bar.h"
#include "widgets/sensitivity/sensitivity_table.h"
#include "widgets/sensitivity/widening_pane.h"

namespace quantscope {
namespace {

const QString kTypes = QStringLiteral("types");
const QString kAround = QStringLiteral("around");
const QString kPart = QStringLiteral("part");
const QString kWider = QStringLiteral("wider");
const QString kAllowed = QStringLiteral("allowed");
const QString kBudget = QStringLiteral("budget");
const QString kLimit = QStringLiteral("limit");
const QString kCosts = QStringLiteral("costs");
const QString kCostsOf = QStringLiteral("costs_of");
const QString kPage = QStringLiteral("page");
const QString kWay = QStringLiteral("way");
const QString kCriteria = QStringLiteral("criteria");
const QString kLoss = QStringLiteral("loss");
const QString kSpeed = QStringLiteral("speed");
const QString kFloat = QStringLiteral("float");

QJsonArray namesOf(const std::vector<QuantType>& types) {
  QJsonArray names;
  for (const QuantType type : types) names << text(name(type));
  return names;
}

std::vector<QuantType> typesOf(const QJsonArray& names) {
  std::vector<QuantType> types;
  for (const QJsonValue& each : names) {
    const auto type = quantTypeFromName(each.toString().toStdString());
    if (type) types.push_back(*type);
  }
  return types;
}

}  // namespace

SensitivityView::SensitivityView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_bar(new SensitivityBar),
      m_table(new SensitivityTable(selection())),
      m_empty(new QLabel),
      m_rows(new QStackedWidget),
      m_widening(new WideningPane),
      m_front(new FrontPane),
      m_beside(new QTabWidget) {
  setFocusProxy(m_table);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_rows->addWidget(m_table);
  // In a small window the bar with Start comes first: the words take what is left.
  auto* words = new QScrollArea;
  words->setFrameShape(QFrame::NoFrame);
  words->setWidgetResizable(true);
  words->setWidget(m_empty);
  m_rows->addWidget(words);
  m_rows->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_rows, 1);
  m_beside->setDocumentMode(true);
  m_beside->addTab(m_widening, tr("Widen the worst"));
  m_beside->addTab(m_front, tr("Search"));
  auto* both = new QSplitter(Qt::Horizontal);
  both->addWidget(left);
  both->addWidget(m_beside);
  both->setChildrenCollapsible(false);
  both->setSizes({560, 440});  // what to try and its button fit one line of a wide window
  both->setStretchFactor(0, 1);
  both->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(both);
}

SensitivityRequest SensitivityView::request() const {
  return m_bar->request();
}

void SensitivityView::setState(const SensitivityStatePtr& state) {
  if (state == m_state) return;
  m_state = state;
  if (canBeSeen()) showState();
}

void SensitivityView::showState() {
  m_table->setState(snapshot(), m_state);
  const bool rows = snapshot() && m_state && m_state->rows.size() + m_state->waiting.size() > 0;
  m_rows->setCurrentIndex(rows ? 0 : 1);
  m_empty->setText(emptyWords());
}

QString SensitivityView::emptyWords() const {
  if (!snapshot()) return tr("Open a model to see which of its layers matter.");
  if (snapshot()->stage == AnalysisSnapshot::Stage::Structure) {
    return tr("Choose data first: what a layer does to the outputs is measured on samples.");
  }
  if (m_state && m_state->complete()) return tr("No layer of this model can be quantized.");
  return tr(
      "Which layers matter? Start tries each layer by itself in the chosen types and measures "
      "the outputs.");
}

void SensitivityView::showSnapshot() {
  const TypeChoices* choices = precision() != nullptr ? precision()->choices() : nullptr;
  m_bar->setChoices(choices);
  m_front->setChoices(choices);
  if (snapshot()) m_front->costs().setModel(text(snapshot()->model.file.string()));
  if (snapshot()) {
    m_front->ways().setSampled(snapshot()->stage != AnalysisSnapshot::Stage::Structure);
  }
  showState();
}

void SensitivityView::showSelection() {
  m_table->showSelection();
}

void SensitivityView::raiseFront() {
  m_beside->setCurrentWidget(m_front);
}

QByteArray SensitivityView::saveState() const {
  const SensitivityRequest asked = request();
  const bool alone = asked.around == SensitivityRequest::Around::Float;
  QJsonObject state{{kTypes, namesOf(m_bar->chosenTypes())},
                    {kAround, alone ? kFloat : QStringLiteral("config")},
                    {kPart, static_cast<int>(asked.part)},
                    {kWider, text(name(m_widening->type()))},
                    {kAllowed, namesOf(m_front->chosenTypes())},
                    {kBudget, static_cast<int>(m_front->budget().goal().kind)},
                    {kLimit, m_front->budget().goal().limit},
                    {kCosts, m_front->costs().chosenFile()},
                    {kCostsOf, m_front->costs().owner()},
                    {kPage, m_beside->currentIndex()}};
  SearchWays& ways = m_front->ways();
  if (ways.chosen()) state[kWay] = static_cast<int>(ways.way());
  const Criteria criteria = ways.profiles().criteria().criteria();
  state[kCriteria] = static_cast<int>(criteria.kind);
  if (criteria.kind == Criteria::Kind::Custom) {
    state[kLoss] = static_cast<double>(criteria.maxAccuracyLoss);
    state[kSpeed] = static_cast<double>(criteria.minSpeedup);
  }
  return QJsonDocument(state).toJson(QJsonDocument::Compact);
}

bool SensitivityView::restoreState(const QByteArray& state) {
  const QJsonObject from = QJsonDocument::fromJson(state).object();
  if (!from.contains(kTypes)) return false;
  using Around = SensitivityRequest::Around;
  const int part = from[kPart].toInt();
  const bool known = part >= 0 && part <= static_cast<int>(PrecisionPart::Activations);
  m_bar->setRequest({.types = typesOf(from[kTypes].toArray()),
                     .around = from[kAround] == kFloat ? Around::Float : Around::Configuration,
                     .part = known ? static_cast<PrecisionPart>(part) : PrecisionPart::Both});
  m_front->setTypes(typesOf(from[kAllowed].toArray()));
  const auto wider = quantTypeFromName(from[kWider].toString().toStdString());
  if (wider) m_widening->setType(*wider);
  // A budget of bytes is that of a model.
  using Kind = SearchGoal::Kind;
  for (const Kind kind : {Kind::Bits, Kind::Time, Kind::Speedup, Kind::MaxDrop}) {
    if (!from.contains(kLimit) || from[kBudget].toInt() != static_cast<int>(kind)) continue;
    m_front->budget().setGoal({kind, from[kLimit].toDouble()});
  }
  m_front->costs().restore(from[kCosts].toString(), from[kCostsOf].toString());
  m_beside->setCurrentIndex(from[kPage].toInt());
  restoreProfiles(from);
  return true;
}

void SensitivityView::restoreProfiles(const QJsonObject& from) {
  using Way = SearchWays::Way;
  SearchWays& ways = m_front->ways();
  for (const Way way : {Way::Measured, Way::Profiles}) {
    if (from[kWay].toInt(-1) == static_cast<int>(way)) ways.choose(way);
  }
  using Kind = Criteria::Kind;
  for (const Kind kind : {Kind::Performance, Kind::Balanced, Kind::Accuracy, Kind::Custom}) {
    if (from[kCriteria].toInt(-1) != static_cast<int>(kind)) continue;
    ways.profiles().criteria().setCriteria({kind, static_cast<float>(from[kLoss].toDouble()),
                                            static_cast<float>(from[kSpeed].toDouble())});
  }
}

}  // namespace quantscope
