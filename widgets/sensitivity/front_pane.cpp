#include "widgets/sensitivity/front_pane.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "base/number_text.h"
#include "search/measured/measured_search.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/costs_button.h"
#include "widgets/sensitivity/search_ways.h"
#include "widgets/tables/name_delegate.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// Rows that the table of reasons shows at least.
constexpr int kLeastReasons = 3;
// Lines of text that the chart is high at least; from the second on both axes have their titles.
constexpr int kLeastChartLines = 8;
constexpr int kTitledChartLines = 11;
constexpr int kLayerWidth = 120;
constexpr int kTypeWidth = 56;
constexpr int kGap = 8;
constexpr int kSteps = 100;
// To kB and ms.
constexpr double kPerThousand = 1e-3;

QString milliseconds(double microseconds) {
  return withUnit(microseconds * kPerThousand, QStringLiteral("ms"));
}

QString wordsOf(const ParetoPoint& point) {
  QStringList words{withUnit(point.sqnrDb, QStringLiteral("dB")), text(byteSize(point.bytes)),
                    FrontPane::tr("%1 bits in the mean").arg(shortText(point.bits))};
  if (point.microseconds) words << milliseconds(*point.microseconds);
  if (point.speedup) words << withUnit(point.speedup, QStringLiteral("×"));
  if (point.drop) words << FrontPane::tr("loses %1").arg(text(percent(*point.drop)));
  return words.join(QStringLiteral(" · "));
}

}  // namespace

FrontPane::FrontPane(QWidget* parent)
    : QWidget(parent),
      m_types(new TypesButton),
      m_goal(new BudgetField),
      m_costs(new CostsButton),
      m_search(new QPushButton),
      m_adopt(new QPushButton(tr("Adopt"))),
      m_chart(new CurveChart),
      m_budget(new QSlider(Qt::Horizontal)),
      m_budgetWords(new QLabel),
      m_words(new QLabel),
      m_status(new QLabel),
      m_reasons(new QTableWidget(0, 3)),
      m_found(new QScrollArea),
      m_ways(new SearchWays) {
  m_types->setToolTip(tr("The types that a layer may get"));
  m_types->setAccessibleName(tr("Allowed types"));
  m_types->setTypes(searchTypes());
  m_chart->setToolTip(tr("Click a point to compare with it as B"));
  m_budget->setRange(0, kSteps);
  m_budget->setValue(kSteps);
  m_words->setWordWrap(true);
  m_words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_status->setWordWrap(true);
  m_status->setForegroundRole(QPalette::PlaceholderText);
  m_reasons->setHorizontalHeaderLabels({tr("Layer"), tr("Type"), tr("Why")});
  m_reasons->setAccessibleName(tr("Why the layers have their types"));
  m_reasons->setEditTriggers(QAbstractItemView::NoEditTriggers);
  dressTable(*m_reasons);
  useSelectionTint(*m_reasons);
  m_reasons->horizontalHeader()->setStretchLastSection(true);
  m_reasons->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_reasons->setColumnWidth(0, kLayerWidth);
  m_reasons->setItemDelegateForColumn(0, new NameDelegate(m_reasons));
  m_reasons->setColumnWidth(1, kTypeWidth);
  // Reasons differ in their ends: they are whole, on as many lines as it takes.
  m_reasons->setWordWrap(true);
  m_reasons->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_reasons->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_reasons->verticalHeader()->setResizeContentsPrecision(kLeastReasons);
  m_reasons->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_reasons, QStringLiteral("reasons"));
  layOut();
  connect(m_types, &TypesButton::changed, this, &FrontPane::typesChanged);
  connect(m_goal, &BudgetField::changed, this, &FrontPane::budgetChanged);
  connect(m_goal, &BudgetField::kindChanged, this, &FrontPane::showCosts);
  connect(m_search, &QPushButton::clicked, this,
          [this] { m_running ? Q_EMIT stopRequested() : Q_EMIT searchRequested(); });
  connect(m_chart, &CurveChart::picked, this, &FrontPane::choose);
  connect(m_budget, &QSlider::valueChanged, this, &FrontPane::chooseWithin);
  connect(m_adopt, &QPushButton::clicked, this, [this] { Q_EMIT adoptRequested(m_current); });
  connect(m_reasons, &QTableWidget::itemSelectionChanged, this, [this] {
    const QList<QTableWidgetItem*> chosen = m_reasons->selectedItems();
    if (!chosen.isEmpty()) Q_EMIT nodeChosen(m_reasons->item(chosen.front()->row(), 0)->text());
  });
  showCosts();
  setStatus({}, false);
  setFront({}, FrontCost::Bytes);
}

void FrontPane::layOut() {
  // In a narrow pane what does not fit goes to the next line.
  auto* top = new FlowLayout(6);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_types, m_goal, m_costs, m_search}) {
    top->addWidget(widget);
  }
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(m_ways);
  auto* layout = new QVBoxLayout(&m_ways->measured());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(makeFound(), 1);
  layout->addWidget(m_status);
}

// In a low window what is found scrolls: its parts stay legible, and the button to search in sight.
QScrollArea* FrontPane::makeFound() {
  m_reasons->setMinimumHeight(m_reasons->horizontalHeader()->sizeHint().height() +
                              kLeastReasons * m_reasons->verticalHeader()->defaultSectionSize());
  auto* chosen = new QHBoxLayout;
  chosen->setSpacing(kGap);
  chosen->addWidget(m_words, 1);
  chosen->addWidget(m_adopt, 0, Qt::AlignTop);
  auto* budget = new QHBoxLayout;
  budget->setSpacing(8);
  budget->addWidget(m_budgetWords);
  budget->addWidget(m_budget, 1);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGap / 2);
  layout->addLayout(chosen);
  layout->addWidget(m_chart, 3);
  layout->addLayout(budget);
  layout->addWidget(m_reasons, 2);
  // Their least heights count, not those that they would like to have.
  for (QWidget* each : {static_cast<QWidget*>(m_chart), static_cast<QWidget*>(m_reasons)}) {
    each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  }
  m_found->viewport()->installEventFilter(this);
  m_found->setWidget(content);
  m_found->setWidgetResizable(true);
  m_found->setFrameShape(QFrame::NoFrame);
  m_found->setFocusPolicy(Qt::NoFocus);
  m_found->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return m_found;
}

bool FrontPane::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && watched == m_found->viewport()) fitFound();
  return QWidget::eventFilter(watched, event);
}

// All of the chart is seen before anything is scrolled.
void FrontPane::fitFound() {
  const QWidget& seen = *m_found->viewport();
  const QSize button = m_adopt->sizeHint();
  // By itself a layout counts words that wrap as one line.
  const int words = m_words->heightForWidth(seen.width() - button.width() - kGap);
  m_words->setMinimumHeight(words);
  const int line = fontMetrics().lineSpacing();
  const int room = seen.height() - std::max(words, button.height()) - kGap / 2;
  m_chart->setMinimumHeight(std::clamp(room, kLeastChartLines * line, kTitledChartLines * line));
}

void FrontPane::showCosts() {
  m_costs->setVisible(frontCost(m_goal->goal().kind) == FrontCost::Time);
}

void FrontPane::setStatus(const RunStatus& status, bool canSearch) {
  m_running = status.running;
  m_failed = status.failed;
  showAdoption();
  m_search->setText(status.running ? tr("Stop") : tr("Search"));
  m_search->setEnabled(status.running || canSearch);
  m_status->setText(status.words);
  m_status->setVisible(!status.words.isEmpty());
}

void FrontPane::setConfiguration(const Configuration& config) {
  m_config = config;
  showAdoption();
}

bool FrontPane::canAdopt() const {
  const bool chosen = m_current >= 0 && !m_failed;
  return chosen && m_front[static_cast<std::size_t>(m_current)].config != m_config;
}

void FrontPane::showAdoption() {
  m_adopt->setEnabled(canAdopt());
  m_adopt->setToolTip(
      canAdopt()      ? tr("Makes the chosen configuration that of the window, in one step")
      : m_failed      ? tr("The search has failed: these configurations do not answer it")
      : m_current < 0 ? tr("Choose a point of the chart first")
                      : tr("The chosen configuration is that of the window already"));
}

void FrontPane::setFront(const std::vector<FrontPoint>& front, FrontCost cost) {
  // What was chosen stays chosen where it is still there.
  int current = -1;
  for (std::size_t i = 0; m_current >= 0 && i < front.size(); ++i) {
    const bool same = front[i].config == m_front[static_cast<std::size_t>(m_current)].config;
    if (same) current = static_cast<int>(i);
  }
  m_front = front;
  m_cost = cost;
  m_current = current;
  m_previewed = current;
  showFront();
  // Alone, the words stand in the middle of the pane.
  m_status->setAlignment(front.empty() ? Qt::AlignCenter : Qt::AlignLeft);
  static_cast<QBoxLayout*>(m_ways->measured().layout())
      ->setStretchFactor(m_status, front.empty() ? 1 : 0);
  m_found->setVisible(!front.empty());
  showCurrent();
}

void FrontPane::markChosen() {
  const auto chosen = std::ranges::find(m_front, true, &FrontPoint::chosen);
  if (m_current >= 0 || chosen == m_front.end()) return;
  m_current = static_cast<int>(chosen - m_front.begin());
  showCurrent();
}

// An exact output has no place on an axis of decibels: it stands as high as the one before.
void FrontPane::showFront() {
  const bool ofTime = m_cost == FrontCost::Time;
  m_chart->setAccessibleName(ofTime ? tr("SQNR by time") : tr("SQNR by bytes"));
  m_budget->setAccessibleName(ofTime ? tr("Budget of time") : tr("Budget of bytes"));
  CurveChart::Content content;
  content.horizontal = ofTime ? tr("Time of a sample (ms)") : tr("Bytes of all constants (kB)");
  content.vertical = tr("Worst output (dB)");
  for (const FrontPoint& each : m_front) {
    const double sqnrDb = each.point.sqnrDb.value_or(0);
    const double before = content.points.empty() ? 0 : content.points.back().y();
    content.points.emplace_back(costOfPoint(each.point, m_cost) * kPerThousand,
                                std::isfinite(sqnrDb) ? sqnrDb : before);
  }
  m_chart->setContent(content);
}

double FrontPane::costOf(int point) const {
  return costOfPoint(m_front[static_cast<std::size_t>(point)].point, m_cost);
}

// Evenly in the ratio: what halves the cost is as far as what doubles it.
double FrontPane::budgetAt(int percent) const {
  const double least = std::max(1e-3, costOf(0));
  const double most = std::max(least, costOf(static_cast<int>(m_front.size()) - 1));
  return least * std::pow(most / least, static_cast<double>(percent) / kSteps);
}

double FrontPane::sqnrOf(int point) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  return m_front[static_cast<std::size_t>(point)].point.sqnrDb.value_or(kNone);
}

// What the search has chosen stands on the front even where another one beats it.
int FrontPane::unbeatenCount() const {
  const auto size = static_cast<int>(m_front.size());
  const auto beats = [this](int a, int b) {
    return costOf(a) <= costOf(b) && sqnrOf(a) >= sqnrOf(b) &&
           (costOf(a) < costOf(b) || sqnrOf(a) > sqnrOf(b));
  };
  int count = 0;
  for (int i = 0; i < size; ++i) {
    bool beaten = false;
    for (int j = 0; j < size && !beaten; ++j) beaten = beats(j, i);
    count += beaten ? 0 : 1;
  }
  return count;
}

// The best that costs at most as much.
void FrontPane::chooseWithin(int percent) {
  if (m_front.empty()) return;
  // The ends are exact.
  const int last = static_cast<int>(m_front.size()) - 1;
  const double budget = percent == kSteps ? costOf(last) : budgetAt(percent);
  int point = 0;
  for (int i = 0; i <= last; ++i) {
    if (costOf(i) <= budget && sqnrOf(i) > sqnrOf(point)) point = i;
  }
  choose(point);
}

void FrontPane::choose(int point) {
  m_current = point;
  showCurrent();
  if (point == m_previewed) return;
  m_previewed = point;
  Q_EMIT previewRequested(point);
}

void FrontPane::showCurrent() {
  m_chart->setCurrent(m_current);
  showAdoption();
  m_reasons->setVisible(m_current >= 0);
  const QSignalBlocker quiet(m_reasons);
  m_reasons->setRowCount(0);
  if (m_front.empty()) return;
  const double budget = budgetAt(m_budget->value());
  m_budgetWords->setText(
      tr("At most %1")
          .arg(m_cost == FrontCost::Time ? milliseconds(budget) : text(byteSize(budget))));
  m_chart->setLimit(m_budget->value() < kSteps ? budget * kPerThousand : -1);
  if (m_current < 0) {
    const int count = unbeatenCount();
    m_words->setText((count == 1 ? tr("%1 configuration that no other one beats.")
                                 : tr("%1 configurations that no other one beats."))
                         .arg(count) +
                     u' ' + tr("Choose one to compare with it as B."));
    fitFound();
    return;
  }
  const FrontPoint& chosen = m_front[static_cast<std::size_t>(m_current)];
  QString words = wordsOf(chosen.point);
  if (chosen.chosen) words += QStringLiteral(" · ") + tr("chosen by the search");
  if (chosen.worseOnPart) {
    words +=
        QStringLiteral("\n") +
        tr("Worse than the start on the samples that the search chose by, or on those held out.");
  }
  m_words->setText(words);
  fitFound();
  m_reasons->setRowCount(static_cast<int>(chosen.why.size()));
  for (std::size_t i = 0; i < chosen.why.size(); ++i) {
    const ChoiceReason& why = chosen.why[i];
    const auto row = static_cast<int>(i);
    const std::optional<QuantType> type = quantTypeFromName(why.scheme);
    auto* name = new QTableWidgetItem(text(why.node));
    name->setToolTip(text(why.node));
    m_reasons->setItem(row, 0, name);
    m_reasons->setItem(row, 1, new QTableWidgetItem(type ? typeTitle(*type) : text(why.scheme)));
    auto* reason = new QTableWidgetItem(text(why.text));
    reason->setToolTip(toolTipText(text(why.text)));
    m_reasons->setItem(row, 2, reason);
  }
}

}  // namespace quantscope
