#include "widgets/heatmap/heatmap_view.h"

#include <QAction>
#include <QActionGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/controls/segments.h"
#include "widgets/copy/picture_actions.h"
#include "widgets/heatmap/channel_strip.h"
#include "widgets/heatmap/heatmap_canvas.h"
#include "widgets/heatmap/heatmap_legend.h"
#include "widgets/heatmap/heatmap_readout.h"
#include "widgets/heatmap/heatmap_text.h"
#include "widgets/heatmap/layer_map_pane.h"
#include "widgets/look/text.h"
#include "widgets/precision/precision_menu.h"

namespace quantscope {
namespace {

// Least heights of the view for the parts above and below it.
constexpr int kLeastForStrip = 440;
constexpr int kLeastForReadout = 340;
constexpr int kLeastForLegend = 240;  // and for the filters
constexpr int kTitleHeight = 52;      // above a saved picture
constexpr char kStateTag[] = "heatmap1";

ErrorKind kindOf(MapKind kind) {
  return kind == MapKind::Local ? ErrorKind::Local : ErrorKind::Accumulated;
}

QString counted(std::size_t cells) {
  return cells == 1 ? QObject::tr("1 cell") : QObject::tr("%L1 cells").arg(cells);
}

}  // namespace

HeatmapView::HeatmapView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_modes(new QActionGroup(this)),
      m_dataMovers(new QCheckBox(tr("Data movers"))),
      m_withoutFigures(new QCheckBox(tr("Rows without figures"))),
      m_words(new ElidedLabel),
      m_canvas(new HeatmapCanvas),
      m_mapPane(new LayerMapPane),
      m_stripBox(new QWidget),
      m_stripTitle(new QLabel),
      m_stripSorted(new QCheckBox(tr("Worst first"))),
      m_strip(new ChannelStrip),
      m_readout(new HeatmapReadout),
      m_bottom(new QWidget),
      m_legend(new HeatmapLegend) {
  setFocusProxy(m_canvas);
  buildStrip();
  buildControls();
  addCopyActions();
  connect(m_canvas, &HeatmapCanvas::picked, this, &HeatmapView::select);
  connect(m_canvas, &HeatmapCanvas::toggled, this, [this](int row) {
    if (m_mode != HeatmapMode::Layer) {
      selection().toggleNode(m_canvas->scene().data->row(row).node);
    }
  });
  connect(m_canvas, &HeatmapCanvas::hovered, this, &HeatmapView::readOut);
  connect(m_canvas, &HeatmapCanvas::cleared, this, [this] { selection().clear(); });
  connect(m_canvas, &HeatmapCanvas::centreRequested, this, [this] { selection().requestGraph(); });
  connect(m_canvas, &HeatmapCanvas::arranged, this, &HeatmapView::showThreshold);
  connect(m_strip, &ChannelStrip::picked, this,
          [this](int channel) { selection().selectChannel(channel); });
  connect(m_legend, &HeatmapLegend::thresholdChanged, this, [this](double position) {
    m_canvas->setThreshold(position);
    m_strip->setThreshold(position);
    showThreshold();
  });
}

Segments* HeatmapView::buildModes() {
  auto* segments = new Segments;
  const auto add = [&](HeatmapMode mode, const QString& title, const QString& tip) {
    QAction* action = m_modes->addAction(title);
    action->setCheckable(true);
    action->setChecked(mode == m_mode);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [this, mode] { setMode(mode); });
    segments->addAction(action, title);
  };
  add(HeatmapMode::Metrics, tr("Metrics"),
      tr("Every metric of every layer and every kind of error, each column on its own scale."));
  add(HeatmapMode::Samples, tr("Samples"), tr("SQNR of every layer on every sample."));
  add(HeatmapMode::Channels, tr("Channels"), tr("SQNR of every channel of every layer."));
  add(HeatmapMode::Layer, tr("Layer"),
      tr("SQNR of every channel of the selected layer on every sample, and one channel of one "
         "sample place by place."));
  return segments;
}

void HeatmapView::buildControls() {
  auto* fit = new QToolButton;
  fit->setText(tr("Fit"));
  fit->setToolTip(tr("Show the whole table (F)"));
  fit->setAutoRaise(true);
  connect(fit, &QToolButton::clicked, m_canvas, &HeatmapCanvas::fit);
  m_dataMovers->setChecked(true);
  m_dataMovers->setToolTip(
      tr("Show layers that only move data (Reshape, Transpose, Concat, …) as rows."));
  m_withoutFigures->setChecked(true);
  m_withoutFigures->setToolTip(
      tr("Show layers of which nothing was quantized or computed here as rows."));
  for (QCheckBox* box : {m_dataMovers, m_withoutFigures}) {
    connect(box, &QCheckBox::toggled, this, [this] {
      m_canvas->setFilter({m_dataMovers->isChecked(), m_withoutFigures->isChecked()});
    });
  }
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 8, 8, 8);
  auto* controls = new FlowLayout(12);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{buildModes(), m_dataMovers, m_withoutFigures, fit})
    controls->addWidget(widget);
  top->addLayout(controls, 1);
  auto* bottom = new QHBoxLayout(m_bottom);
  bottom->setContentsMargins(8, 0, 8, 4);
  bottom->setSpacing(16);
  bottom->addWidget(m_words, 1);
  bottom->addWidget(m_legend);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(m_canvas, 3);
  middle->addWidget(m_mapPane, 2);
  m_mapPane->hide();
  layout->addLayout(middle, 1);
  layout->addWidget(m_stripBox);
  layout->addWidget(m_readout);
  layout->addWidget(m_bottom);
}

void HeatmapView::buildStrip() {
  m_stripSorted->setToolTip(tr("Sort the channels by their error instead of by their index."));
  connect(m_stripSorted, &QCheckBox::toggled, m_strip, &ChannelStrip::setWorstFirst);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 4, 8, 4);
  head->addWidget(m_stripTitle, 1);
  head->addWidget(m_stripSorted);
  auto* layout = new QVBoxLayout(m_stripBox);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(m_strip);
  m_stripTitle->setMinimumWidth(1);
  m_stripBox->hide();
}

void HeatmapView::addCopyActions() {
  m_canvas->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_canvas, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
    m_canvas->pickAt(position);
    QMenu menu(this);
    addPrecisionMenu(menu, precision());
    menu.addActions(m_canvas->actions());
    menu.exec(m_canvas->mapToGlobal(position));
  });
  auto* copy = new QAction(tr("Copy Table"), m_canvas);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QAction::triggered, this, [this] {
    const HeatmapScene& scene = m_canvas->scene();
    QGuiApplication::clipboard()->setText(heatmapText(*scene.data, scene.order));
  });
  m_canvas->addAction(copy);
  m_canvas->addActions(pictureActions(m_canvas, [this] { return picture(); }));
}

void HeatmapView::setMode(HeatmapMode mode) {
  if (mode == m_mode) return;
  m_mode = mode;
  m_modes->actions()[static_cast<qsizetype>(mode)]->setChecked(true);
  showOptions();
  showSelection();
}

QByteArray HeatmapView::saveState() const {
  QByteArray state = kStateTag;
  state += ' ' + QByteArray::number(static_cast<int>(m_mode));
  for (const QCheckBox* box : {m_dataMovers, m_withoutFigures, m_stripSorted}) {
    state += box->isChecked() ? " +" : " -";
  }
  return state;
}

bool HeatmapView::restoreState(const QByteArray& state) {
  const QList<QByteArray> words = state.split(' ');
  if (words.size() != 5 || words[0] != kStateTag) return false;
  const int mode = words[1].toInt();
  if (mode < 0 || mode >= m_modes->actions().size()) return false;
  setMode(static_cast<HeatmapMode>(mode));
  m_dataMovers->setChecked(words[2] == "+");
  m_withoutFigures->setChecked(words[3] == "+");
  m_stripSorted->setChecked(words[4] == "+");
  return true;
}

void HeatmapView::showSnapshot() {
  m_index = snapshot() ? LayerIndex(*snapshot()->result) : LayerIndex();
}

HeatmapData HeatmapView::table() const {
  if (!snapshot()) return {};
  if (m_mode != HeatmapMode::Layer) {
    return buildHeatmap(*snapshot()->result, m_mode, options().kind(), options().stretch(),
                        options().metricIndex(),
                        options().delta() ? options().other().get() : nullptr);
  }
  const LayerMaps* maps = layerMaps();
  if (maps == nullptr) return {};
  return buildLayerHeatmap(*maps, selection().current().node, kindOf(maps->asked.kind),
                           options().stretch());
}

void HeatmapView::showOptions() {
  m_dataMovers->setEnabled(m_mode != HeatmapMode::Layer);
  m_withoutFigures->setEnabled(m_mode != HeatmapMode::Layer);
  m_canvas->setMessage(message());
  m_canvas->setData(std::make_shared<HeatmapData>(table()));
  m_mapped = m_mode == HeatmapMode::Layer ? selection().current().node : NodeId();
  if (const HeatmapMeasure* measure = legendMeasure()) m_legend->setScale(measure->scale);
  showThreshold();
  showStrip();
}

QString HeatmapView::message() const {
  if (!snapshot())
    return tr("Open a model to see its layers against metrics, samples and channels.");
  if (m_mode == HeatmapMode::Layer) return layerMessage();
  if (m_mode == HeatmapMode::Samples) return tr("No sample has run yet.");
  if (m_mode == HeatmapMode::Channels) return tr("No channel has been compared yet.");
  return tr("The model has no layers.");
}

QString HeatmapView::layerMessage() const {
  if (selectedLayer() < 0) return tr("Select a layer to see its channels on every sample.");
  if (snapshot()->stage != AnalysisSnapshot::Stage::Complete) {
    return tr("The channels are compared when all samples have run.");
  }
  if (layerMaps() == nullptr) return tr("Comparing the channels of the layer…");
  if (!layerMaps()->failure.isEmpty()) return layerMaps()->failure;
  return mapRequest()->kind == MapKind::Local
             ? tr("The layer has no error of its own: it is not quantized, or not computed.")
             : tr("The layer could not be compared.");
}

int HeatmapView::selectedLayer() const {
  const std::optional<std::size_t> layer = m_index.find(selection().current().node);
  return layer ? static_cast<int>(*layer) : -1;
}

std::optional<LayerMapRequest> HeatmapView::mapRequest() const {
  const int layer = selectedLayer();
  const bool complete = snapshot() && snapshot()->stage == AnalysisSnapshot::Stage::Complete;
  if (m_mode != HeatmapMode::Layer || layer < 0 || !complete) return std::nullopt;
  const Selected& selected = selection().current();
  return LayerMapRequest{
      .layer = static_cast<std::size_t>(layer),
      .kind = options().kind() == ErrorKind::Accumulated ? MapKind::Accumulated : MapKind::Local,
      .channel = selected.channel,
      .sample = selected.sample,
      .against = options().delta() ? options().other() : nullptr};
}

const LayerMaps* HeatmapView::layerMaps() const {
  const auto request = mapRequest();
  const bool fits = request && m_maps && m_maps->of == snapshot()->result &&
                    m_maps->asked.layer == request->layer && m_maps->asked.kind == request->kind &&
                    m_maps->asked.against == request->against;
  return fits ? m_maps.get() : nullptr;
}

std::optional<LayerMapRequest> HeatmapView::mapsAsked() const {
  const auto request = canBeSeen() ? mapRequest() : std::nullopt;
  const LayerMaps* known = layerMaps();
  if (known != nullptr && known->asked == *request) return std::nullopt;
  return request;
}

void HeatmapView::setMaps(const LayerMapsPtr& maps) {
  m_maps = maps;
  refresh();
}

// The maps of the place that is selected.
void HeatmapView::showMaps() {
  const HeatmapMeasure* measure = legendMeasure();
  m_mapPane->setVisible(m_mode == HeatmapMode::Layer && measure != nullptr);
  if (!m_mapPane->isHidden()) m_mapPane->setMaps(m_maps, measure->scale);
}

// In mode Layer, rows are channels and columns samples.
void HeatmapView::showChannelCursor() {
  if (selection().current().node != m_mapped) showOptions();
  const LayerMaps* maps = layerMaps();
  const auto chosen = [](int selected, std::size_t count, int known) {
    return selected >= 0 && static_cast<std::size_t>(selected) < count ? selected : known;
  };
  if (maps == nullptr) {
    m_canvas->setCurrent(-1, -1);
  } else {
    const Selected& selected = selection().current();
    const ChannelMap& channels = maps->own.channels;
    m_canvas->setCurrent(chosen(selected.channel, channels.channels, maps->channel),
                         chosen(selected.sample, channels.samples, maps->sample));
  }
  showMaps();
  readOut(-1, -1, 0);
  if (mapsAsked()) Q_EMIT mapsWanted();
}

void HeatmapView::showSelection() {
  if (m_mode == HeatmapMode::Layer) return showChannelCursor();
  m_mapPane->hide();
  const Selected& selected = selection().current();
  const int layer = selectedLayer();
  int column = -1;
  if (m_mode == HeatmapMode::Samples) column = selected.sample;
  if (m_mode == HeatmapMode::Channels) column = selected.channel;
  // The cursor may stand on a column without a channel, or on a metric, which the selection does
  // not hold.
  if (column < 0 && layer >= 0 && layer == m_canvas->currentRow()) {
    column = m_canvas->currentColumn();
  }
  std::vector<int> more;
  for (const NodeId node : selected.more) {
    if (const auto also = m_index.find(node)) more.push_back(static_cast<int>(*also));
  }
  m_canvas->setCurrent(layer, column, std::move(more));
  showStrip();
  readOut(-1, -1, 0);
}

void HeatmapView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  m_readout->setVisible(height() >= kLeastForReadout);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_bottom, m_dataMovers, m_withoutFigures})
    widget->setVisible(height() >= kLeastForLegend);
  if (!snapshot()) return;
  showStrip();
  showMaps();
}

void HeatmapView::select(int row, int column) {
  const NodeId node = m_canvas->scene().data->row(row).node;
  Selected selected = selection().current();
  if (m_mode == HeatmapMode::Layer) {
    selected.channel = row;
    if (column >= 0) selected.sample = column;
    return selection().select(selected);
  }
  if (selectedLayer() != row) selected = {.node = node, .scope = {}, .value = {}};
  if (column >= 0 && m_canvas->scene().data->figure(row, column)) {
    if (m_mode == HeatmapMode::Samples) selected.sample = column;
    if (m_mode == HeatmapMode::Channels) selected.channel = column;
  }
  selection().select(selected);
  readOut(-1, -1, 0);
}

void HeatmapView::readOut(int row, int column, int cells) {
  const HeatmapData& table = *m_canvas->scene().data;
  if (row < 0 && column < 0) {
    row = m_canvas->currentRow();
    column = m_canvas->currentColumn();
    cells = 1;
  }
  const bool known = row < table.rows() && column < table.columns() && (row >= 0 || column >= 0);
  if (!known) {
    if (m_mode == HeatmapMode::Layer) return m_readout->setLines({}, {});
    m_readout->setLines({{}, tr("Drag zooms in, Esc out. Click a column to sort by it.")},
                        {{}, tr("Double click a cell to see its layer in the graph.")});
    return;
  }
  HeatmapReadout::Line first;
  HeatmapReadout::Line second;
  if (row >= 0) first = {table.row(row).tip, table.row(row).op};
  if (column >= 0) {
    const QString name = table.columnName(column);
    second.strong =
        row < 0 ? name : name + QStringLiteral(": ") + cellWords(table, row, column, Digits::Three);
    if (cells > 1 && row >= 0 && isFigure(table.heat(row, column)))
      second.strong += tr(" (the worst of %1 here)").arg(counted(static_cast<std::size_t>(cells)));
    second.quiet = table.measure(column).definition;
  }
  m_readout->setLines(first, second);
}

void HeatmapView::showStrip() {
  const HeatmapMeasure* measure = legendMeasure();
  // It stands there before a layer is selected, so that selecting one moves nothing.
  // A low view belongs to the table.
  m_stripBox->setVisible(m_mode == HeatmapMode::Channels && measure != nullptr &&
                         height() >= kLeastForStrip);
  if (m_stripBox->isHidden()) return;
  const int layer = selectedLayer();
  if (layer < 0) {
    m_stripTitle->setText(tr("Select a layer to see its channels."));
    m_strip->setChannels({}, measure->scale);
    return;
  }
  const LayerResult& result = snapshot()->result->layers[static_cast<std::size_t>(layer)];
  const LayerError* error = options().errorOf(result);
  const std::vector<Figure> channels =
      error == nullptr ? std::vector<Figure>() : channelFigures(*error);
  const QString words = channelWords(channels, measure->scale);
  m_stripTitle->setText(QStringLiteral("<b>%1</b> · %2")
                            .arg(text(shortName(result.name)).toHtmlEscaped(),
                                 words.isEmpty() ? tr("no channel was compared") : words));
  m_strip->setChannels(channels, measure->scale);
  m_strip->setCurrent(selection().current().channel);
}

const HeatmapMeasure* HeatmapView::legendMeasure() const {
  const HeatmapData& table = *m_canvas->scene().data;
  if (table.columns() == 0) return nullptr;
  return &table.measure(std::max(0, table.heading().key));
}

void HeatmapView::showThreshold() {
  const HeatmapMeasure* measure = legendMeasure();
  m_legend->setVisible(measure != nullptr);
  if (measure == nullptr) return m_words->setText({});
  const double position = m_legend->threshold();
  const HeatmapScene& scene = m_canvas->scene();
  const std::size_t count = countWorse(*scene.data, scene.order, position, *measure);
  m_words->setText(tr("%1 worse than %2: %L3")
                       .arg(capitalized(measure->name), measure->scale.textAt(position))
                       .arg(count));
}

ViewPicture HeatmapView::picture() const {
  const QSize table = m_canvas->wholeSize();
  ViewPicture result;
  if (table.isEmpty()) return result;
  const QString model = text(snapshot()->result->model);
  const QSize size(std::max(table.width(), m_legend->sizeHint().width() + 280),
                   table.height() + kTitleHeight);
  result.name = model.section(u'.', 0, 0) + QStringLiteral("-heatmap");
  result.size = size;
  result.paint = [this, size, model](QPainter& painter) {
    const Theme& theme = Theme::of(palette());
    painter.fillRect(QRect(QPoint(), size), theme.window);
    QFont bold(font());
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRect(12, 0, 260, kTitleHeight), Qt::AlignLeft | Qt::AlignVCenter, model);
    const QSize legend = m_legend->sizeHint();
    m_legend->paint(painter, QRect(QPoint(size.width() - legend.width() - 8, 4), legend), theme);
    painter.translate(0, kTitleHeight);
    m_canvas->paintWhole(painter, theme);
  };
  return result;
}

}  // namespace quantscope
