#include "widgets/precision/tensor_precision_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

#include "widgets/controls/form_fields.h"
#include "widgets/controls/range_fields.h"
#include "widgets/look/text.h"
#include "widgets/precision/tensor_parts.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

using Kind = ObserverSpec::Kind;

// No weight has more axes; the step below the lowest one stands for that of the output channels.
constexpr int kMostAxes = 8;
constexpr int kOutputChannels = -kMostAxes - 1;
constexpr int kMostInAGroup = 65536;
constexpr int kMostBins = 65536;

template <class Value>
void choose(QComboBox* box, Value value) {
  const QSignalBlocker silent(box);
  box->setCurrentIndex(box->findData(static_cast<int>(value)));
}

template <class Value>
Value chosen(const QComboBox* box) {
  return static_cast<Value>(box->currentData().toInt());
}

void setSilently(QSpinBox* box, int value) {
  const QSignalBlocker silent(box);
  box->setValue(value);
}

void setSilently(QDoubleSpinBox* box, double value) {
  const QSignalBlocker silent(box);
  box->setValue(value);
}

template <class Value>
void addItem(QComboBox* box, const QString& title, Value value, const QString& tip) {
  box->addItem(title, static_cast<int>(value));
  box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
}

}  // namespace

TensorPrecisionForm::TensorPrecisionForm(Role role, QWidget* parent)
    : QWidget(parent),
      m_role(role),
      m_layout(new QFormLayout(this)),
      m_type(makeChoice()),
      m_symmetry(makeChoice()),
      m_observer(makeChoice()) {
  dressForm(m_layout);
  auto* heading = new QLabel(title());
  QFont bold(heading->font());
  bold.setWeight(QFont::DemiBold);
  heading->setFont(bold);
  m_layout->addRow(heading);
  buildFields();
  connectFields();
  showFields();
}

QString TensorPrecisionForm::title() const {
  switch (m_role) {
    case Role::Weights:
      return tr("Weights");
    case Role::Inputs:
      return tr("Input");
    case Role::Output:
      return tr("Output");
    default:
      return tr("Activations");
  }
}

QString TensorPrecisionForm::subject() const {
  return title().toLower();
}

void TensorPrecisionForm::add(const QString& label, QWidget* field, const QString& tip) {
  addField(m_layout, subject(), label, field, tip);
}

QDoubleSpinBox* TensorPrecisionForm::addPercent(const QString& label, const QString& tip) {
  auto* box = new QDoubleSpinBox;
  box->setDecimals(3);
  box->setRange(0, 100);
  box->setSingleStep(0.05);
  box->setSuffix(tr(" %"));
  box->setKeyboardTracking(false);
  add(label, box, tip);
  return box;
}

QSpinBox* TensorPrecisionForm::addNumber(const QString& label, int lowest, int highest,
                                         const QString& tip) {
  auto* box = new QSpinBox;
  box->setRange(lowest, highest);
  box->setKeyboardTracking(false);
  add(label, box, tip);
  return box;
}

void TensorPrecisionForm::buildFields() {
  for (const QuantType type : tensorTypes()) {
    addItem(m_type, typeTitle(type), type, typeDefinition(type));
  }
  add(tr("Type"), m_type,
      tr("What a number is stored as; FP32 leaves the %1 as they are.").arg(subject()));

  addItem(m_symmetry, tr("Symmetric"), true, tr("Zero is the middle code: simpler hardware."));
  addItem(m_symmetry, tr("Asymmetric"), false,
          tr("A zero point moves the codes to where the values are."));
  add(tr("Symmetry"), m_symmetry,
      tr("Whether the codes lie evenly around zero, or a zero point moves them to where the "
         "values are."));

  if (ofWeights()) {
    m_granularity = makeChoice();
    addItem(m_granularity, tr("Per tensor"), Granularity::Kind::PerTensor,
            tr("One scale for the whole weight."));
    addItem(m_granularity, tr("Per channel"), Granularity::Kind::PerChannel,
            tr("One scale for each index of an axis, mostly the output channels."));
    addItem(m_granularity, tr("Per group"), Granularity::Kind::PerGroup,
            tr("One scale for some neighbours along an axis, at each index of the others."));
    add(tr("Granularity"), m_granularity,
        tr("How many numbers share a scale: with one for the whole tensor, the widest channel "
           "sets the step of all others."));
    m_axis =
        addNumber(tr("Axis"), kOutputChannels, kMostAxes - 1,
                  tr("The axis of the weight that scales follow; from the end where negative."));
    m_axis->setSpecialValueText(tr("Output channels"));
    m_groupSize = addNumber(tr("Group size"), 1, kMostInAGroup,
                            tr("How many neighbours share a scale; the last group may be short."));
  } else {
    m_mode = makeChoice();
    addItem(m_mode, tr("Static"), false, tr("From the calibration data, fixed afterwards."));
    addItem(m_mode, tr("Dynamic"), true, tr("From each sample by itself, while it runs."));
    add(tr("Ranges"), m_mode,
        tr("Whether ranges are fixed by the calibration, or taken from each sample while it "
           "runs."));
  }

  for (const Kind kind : observersOf(ofWeights())) {
    addItem(m_observer, observerTitle(kind), kind, observerDefinition(kind));
  }
  add(tr("Observer"), m_observer,
      tr("The rule that turns the values seen into the range that the codes cover."));
  m_bins = addNumber(tr("Bins"), 2, kMostBins,
                     tr("Equal bins between the smallest and the largest value, that the search "
                        "looks at."));
  if (!ofWeights()) {
    m_constant = new QDoubleSpinBox;
    m_constant->setDecimals(4);
    m_constant->setRange(0.0001, 1);
    m_constant->setSingleStep(0.01);
    m_constant->setKeyboardTracking(false);
    add(tr("Constant"), m_constant,
        tr("The share c of each new batch: m ← m + c · (m of the batch − m)."));
  }
  m_low = addPercent(tr("Lower end"), tr("This share of the values lies below the range."));
  m_high = addPercent(tr("Upper end"), tr("This share of the values lies below its upper end."));
}

void TensorPrecisionForm::connectFields() {
  connect(m_type, &QComboBox::currentIndexChanged, this, [this] {
    const auto type = chosen<QuantType>(m_type);
    TensorFields fields{.type = type};
    // The core observes the magnitudes of activations per tensor, and floats have no scale.
    if (!ofWeights() && (isSignCode(type) || !hasScale(type))) fields.granularity = Granularity();
    edit(fields, tr("Set %1 to %2").arg(subject(), typeTitle(type)));
  });
  connect(m_symmetry, &QComboBox::currentIndexChanged, this, [this] {
    const bool symmetric = chosen<bool>(m_symmetry);
    edit({.symmetric = symmetric},
         tr("Set %1 to %2").arg(subject(), symmetric ? tr("symmetric") : tr("asymmetric")));
  });
  if (m_granularity != nullptr) {
    connect(m_granularity, &QComboBox::currentIndexChanged, this, [this] {
      Granularity next{chosen<Granularity::Kind>(m_granularity), {}, 0};
      if (next.kind == Granularity::Kind::PerGroup) {
        next.axis = m_precision.granularity.axis.value_or(0);
        next.groupSize = kUsualGroup;
      }
      editGranularity(next);
    });
    connect(m_axis, &QSpinBox::valueChanged, this, [this](int axis) {
      Granularity next = m_precision.granularity;
      next.axis = axis == kOutputChannels ? std::nullopt : std::optional(axis);
      editGranularity(next);
    });
    connect(m_groupSize, &QSpinBox::valueChanged, this, [this](int size) {
      Granularity next = m_precision.granularity;
      next.groupSize = size;
      editGranularity(next);
    });
  }
  if (m_mode != nullptr) {
    connect(m_mode, &QComboBox::currentIndexChanged, this, [this] {
      const bool dynamic = chosen<bool>(m_mode);
      edit(modeFields(dynamic),
           tr("Set %1 to %2 ranges").arg(subject(), dynamic ? tr("dynamic") : tr("static")));
    });
  }
  connect(m_observer, &QComboBox::currentIndexChanged, this,
          [this] { editObserver({.kind = chosen<Kind>(m_observer)}); });
  if (m_constant != nullptr) {
    connect(m_constant, &QDoubleSpinBox::valueChanged, this, [this](double value) {
      ObserverSpec observer = m_precision.observer;
      observer.averagingConstant = value;
      editObserver(observer);
    });
  }
  connect(m_bins, &QSpinBox::valueChanged, this, [this](int bins) {
    ObserverSpec observer = m_precision.observer;
    observer.bins = bins;
    editObserver(observer);
  });
  // The lower end stays below the upper one.
  connect(m_low, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    ObserverSpec observer = m_precision.observer;
    observer.lowPercent = value;
    editObserver(observer);
  });
  connect(m_high, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    ObserverSpec observer = m_precision.observer;
    observer.highPercent = value;
    editObserver(observer);
  });
}

void TensorPrecisionForm::offerTypes(const Refusal& refusal) {
  for (int i = 0; i < m_type->count(); ++i) {
    const auto type = static_cast<QuantType>(m_type->itemData(i).toInt());
    setChoice(*m_type, i, typeDefinition(type),
              type == m_precision.type ? QString() : refusal(type));
  }
}

void TensorPrecisionForm::addRange() {
  m_range = new RangeFields(subject());
  add(tr("Range"), m_range,
      tr("The numbers that the codes of the %1 cover, where they are set by hand.").arg(subject()));
  connect(m_range, &RangeFields::chosen, this, [this](double low, double high) {
    edit({.range = Range{static_cast<float>(low), static_cast<float>(high), false}},
         tr("Set the range of %1 to %2 … %3").arg(subject(), shortText(low), shortText(high)));
  });
  connect(m_range, &RangeFields::cleared, this, [this] {
    edit({.range = std::optional<Range>()},
         tr("Take the range of %1 from the observer").arg(subject()));
  });
}

void TensorPrecisionForm::editGranularity(const Granularity& granularity) {
  edit({.granularity = granularity},
       tr("Set %1 to %2").arg(subject(), granularityWords(granularity)));
}

void TensorPrecisionForm::editObserver(const ObserverSpec& observer) {
  // An observer that is chosen takes the place of a range set by hand.
  edit({.observer = observer, .range = std::optional<Range>()},
       tr("Set the observer of %1 to %2").arg(subject(), observerWords(observer)));
}

void TensorPrecisionForm::edit(const TensorFields& fields, const QString& what) {
  const TensorPrecision changed = withFields(m_precision, fields);
  if (changed == m_precision && m_mixed.empty()) return;
  m_precision = changed;
  m_mixed = {};
  showFields();
  Q_EMIT edited(fields, what);
}

void TensorPrecisionForm::setPrecision(const TensorPrecision& precision,
                                       const TensorFields& mixed) {
  m_precision = precision;
  m_mixed = mixed;
  showFields();
  if (!mixed.empty()) showMixed();
}

// What differs is not chosen in its box, which says so; anything can be.
void TensorPrecisionForm::showMixed() {
  const auto show = [](QComboBox* box, bool mixed) {
    if (!mixed || box == nullptr) return;
    const QSignalBlocker silent(box);
    box->setPlaceholderText(tr("Mixed"));
    box->setCurrentIndex(-1);
  };
  show(m_type, m_mixed.type.has_value());
  show(m_symmetry, m_mixed.symmetric.has_value());
  show(m_granularity, m_mixed.granularity.has_value());
  show(m_mode, m_mixed.dynamic.has_value());
  show(m_observer, m_mixed.observer.has_value());
  if (m_range != nullptr && m_mixed.range) {
    m_range->setByHand(true);
    m_range->setUnknown();
  }
  // What belongs to one granularity or observer only means nothing where they differ.
  for (QWidget* field : {static_cast<QWidget*>(m_axis), static_cast<QWidget*>(m_groupSize)}) {
    if (field != nullptr && m_mixed.granularity) m_layout->setRowVisible(field, false);
  }
  if (!m_mixed.observer) return;
  for (QWidget* field : {static_cast<QWidget*>(m_bins), static_cast<QWidget*>(m_constant),
                         static_cast<QWidget*>(m_low), static_cast<QWidget*>(m_high)}) {
    if (field != nullptr) m_layout->setRowVisible(field, false);
  }
}

void TensorPrecisionForm::showFields() {
  choose(m_type, m_precision.type);
  choose(m_symmetry, m_precision.symmetric);
  choose(m_observer, m_precision.observer.kind);
  // What a file asks for beyond the choices is shown in words.
  m_observer->setPlaceholderText(observerWords(m_precision.observer));
  if (m_granularity != nullptr) showGranularity();
  if (m_mode != nullptr) choose(m_mode, m_precision.dynamic);
  const ObserverSpec& observer = m_precision.observer;
  if (m_constant != nullptr) setSilently(m_constant, observer.averagingConstant);
  setSilently(m_bins, observer.bins);
  const QSignalBlocker silentLow(m_low);
  const QSignalBlocker silentHigh(m_high);
  m_low->setMaximum(observer.highPercent - 0.001);
  m_high->setMinimum(observer.lowPercent + 0.001);
  m_low->setValue(observer.lowPercent);
  m_high->setValue(observer.highPercent);
  if (m_range != nullptr) showRange();
  showRows();
}

void TensorPrecisionForm::showRange() {
  m_range->setByHand(m_precision.range.has_value());
  if (!m_precision.range) return m_range->setUnknown();
  m_range->setRange(m_precision.range->low, m_precision.range->high);
}

void TensorPrecisionForm::showGranularity() {
  const Granularity& granularity = m_precision.granularity;
  choose(m_granularity, granularity.kind);
  const QSignalBlocker silent(m_axis);
  // Groups need an axis; without one they lie along the first.
  const bool perGroup = granularity.kind == Granularity::Kind::PerGroup;
  m_axis->setMinimum(perGroup ? kOutputChannels + 1 : kOutputChannels);
  m_axis->setSpecialValueText(perGroup ? QString() : tr("Output channels"));
  m_axis->setValue(granularity.axis.value_or(perGroup ? 0 : kOutputChannels));
  setSilently(m_groupSize, granularity.groupSize);
}

void TensorPrecisionForm::showRows() {
  const QuantType type = m_precision.type;
  const bool scaled = isQuantized(type) && hasScale(type);
  const bool observed = scaled && !isSignCode(type) && !m_precision.dynamic;
  const Kind kind = m_precision.observer.kind;
  m_layout->setRowVisible(m_symmetry, canBeAsymmetric(type));
  if (m_granularity != nullptr) {
    const Granularity::Kind kindOfScales = m_precision.granularity.kind;
    m_layout->setRowVisible(m_granularity, scaled);
    m_layout->setRowVisible(m_axis, scaled && kindOfScales != Granularity::Kind::PerTensor);
    m_layout->setRowVisible(m_groupSize, scaled && kindOfScales == Granularity::Kind::PerGroup);
  }
  if (m_mode != nullptr) m_layout->setRowVisible(m_mode, scaled);
  m_layout->setRowVisible(m_observer, observed);
  if (m_constant != nullptr) {
    m_layout->setRowVisible(m_constant, observed && kind == Kind::MovingAverage);
  }
  m_layout->setRowVisible(m_bins, observed && kind == Kind::Histogram);
  if (m_range != nullptr) m_layout->setRowVisible(m_range, scaled && !m_precision.dynamic);
  m_layout->setRowVisible(m_low, observed && kind == Kind::Percentile);
  m_layout->setRowVisible(m_high, observed && kind == Kind::Percentile);
}

}  // namespace quantscope
