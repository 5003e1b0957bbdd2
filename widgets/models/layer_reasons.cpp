#include "widgets/models/layer_reasons.h"

#include <QEvent>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/copy/table_actions.h"
#include "widgets/look/severity_sign.h"
#include "widgets/look/theme.h"
#include "widgets/models/name_tail.h"
#include "widgets/words/finding_groups.h"

namespace quantscope {
namespace {

constexpr int kSign = 10;

QIcon iconOf(Severity severity, const QWidget& widget) {
  QPixmap picture(QSize(kSign, kSign) * widget.devicePixelRatioF());
  picture.setDevicePixelRatio(widget.devicePixelRatioF());
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  drawSeverity(painter, QRectF(0, 0, kSign, kSign), severity, Theme::of(widget.palette()));
  return QIcon(picture);
}

QString titleOf(const ModelComparison& comparison, const ComparedLayer* layer) {
  if (!comparison.notDetected.empty()) {
    return LayerReasons::tr("No detector has looked at the layers: %1.")
        .arg(text(comparison.notDetected));
  }
  if (layer == nullptr) {
    return comparison.layers.empty()
               ? QString()
               : LayerReasons::tr("Select a layer to see what the detectors say of it.");
  }
  const QString name = nameTail(layer->isInput ? layer->firstValue : layer->firstLayer);
  if (layer->reasons.empty()) return LayerReasons::tr("No detector finds fault with %1.").arg(name);
  return LayerReasons::tr("What the detectors say of %1:").arg(name);
}

}  // namespace

LayerReasons::LayerReasons(QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_list(new QListWidget) {
  m_title->setMargin(8);
  m_title->setWordWrap(true);
  m_title->setTextFormat(Qt::PlainText);
  m_list->setWordWrap(true);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setSpacing(4);
  m_list->setIconSize({kSign, kSign});
  m_list->setAccessibleName(tr("What the detectors say"));
  m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_list, QStringLiteral("reasons"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_title);
  layout->addWidget(m_list, 1);
}

void LayerReasons::show(const ModelComparison& comparison, const ComparedLayer* layer) {
  m_title->setText(titleOf(comparison, layer));
  m_title->setToolTip(layer == nullptr ? QString() : toolTipText(text(layer->firstLayer)));
  m_reasons = layer == nullptr ? std::vector<DetectedReason>() : layer->reasons;
  fill();
}

void LayerReasons::fill() {
  m_list->clear();
  for (const DetectedReason& reason : m_reasons) {
    auto* item = new QListWidgetItem(iconOf(reason.severity, *this), text(reason.text), m_list);
    item->setToolTip(wordOf(reason.severity));
  }
  m_list->setVisible(!m_reasons.empty());
  // Without reasons the room is the suspects'.
  setSizePolicy(QSizePolicy::Preferred,
                m_reasons.empty() ? QSizePolicy::Maximum : QSizePolicy::Preferred);
}

QString LayerReasons::words() const {
  return m_title->text();
}

void LayerReasons::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) fill();
}

}  // namespace quantscope
