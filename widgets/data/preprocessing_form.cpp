#include "widgets/data/preprocessing_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSpinBox>

#include "base/files/atomic_file.h"
#include "widgets/data/data_labels.h"
#include "widgets/data/number_list.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kMaxSide = 16384;
constexpr int kUsualSide = 224;

QSpinBox* makeSide(const QString& name) {
  auto* side = new QSpinBox;
  side->setRange(1, kMaxSide);
  side->setValue(kUsualSide);
  side->setAlignment(Qt::AlignRight);
  side->setAccessibleName(name);
  return side;
}

std::optional<double> singleNumber(const QString& text) {
  const auto numbers = parseNumbers(text);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

}  // namespace

PreprocessingForm::PreprocessingForm(std::vector<PreprocessingPreset> presets, QWidget* parent)
    : QWidget(parent), m_presets(std::move(presets)) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 0, 0, 0);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setVerticalSpacing(8);
  form->addRow(tr("Like"), makePresets());
  m_explanation = mutedLabel(QString(), this);
  form->addRow(m_explanation);
  form->addRow(tr("Resize"),
               m_resize = makeChoice(tr("Resize"),
                                     {tr("Stretch to size"), tr("Cover size, keep proportions"),
                                      tr("Fit into size, black around")},
                                     tr("How a picture is brought to the size below")));
  form->addRow(tr("Size"), makeSize(m_size, tr("Size"), tr("Off: pictures keep their own size")));
  form->addRow(tr("Crop"), makeSize(m_crop, tr("Crop"), tr("Cuts the centre after resizing")));
  form->addRow(tr("Colour"), m_color = makeChoice(tr("Colour"), {tr("RGB"), tr("BGR"), tr("Gray")},
                                                  tr("The order of the channels")));
  form->addRow(tr("Scale"), m_scale = makeNumbers(tr("Scale"), tr("Codes 0 … 255 are multiplied "
                                                                  "by it; may be written 1/255")));
  form->addRow(tr("Mean"), m_mean = makeNumbers(tr("Mean"), tr("Subtracted after scaling: a number "
                                                               "per channel, or one for all")));
  form->addRow(tr("Std"), m_std = makeNumbers(tr("Std"), tr("Divided by at the end: a number per "
                                                            "channel, or one for all")));
  form->addRow(
      tr("Layout"),
      m_layout = makeChoice(tr("Layout"), {tr("NCHW, channels first"), tr("NHWC, channels last")},
                            tr("The order of the tensor's axes")));
  m_problem = new QLabel;
  m_problem->setWordWrap(true);
  m_problem->hide();
  form->addRow(m_problem);
  form->addRow(makeButtons());
  m_scale->setPlaceholderText(QStringLiteral("1/255"));
  m_mean->setPlaceholderText(QStringLiteral("0"));
  m_std->setPlaceholderText(QStringLiteral("1"));
  if (!m_presets.empty()) setPreprocessing(m_presets.front().preprocessing);
}

QWidget* PreprocessingForm::makePresets() {
  m_preset = new QComboBox;
  m_preset->setAccessibleName(tr("Preset"));
  m_preset->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_preset->setMinimumContentsLength(12);
  m_preset->setToolTip(
      tr("Usual ways to prepare pictures. The model's shape tells size and layout; "
         "the range of the numbers is for you to know."));
  for (const PreprocessingPreset& preset : m_presets) {
    m_preset->addItem(preset.name);
    m_preset->setItemData(m_preset->count() - 1, preset.explanation, Qt::ToolTipRole);
  }
  m_preset->addItem(tr("My own"));
  connect(m_preset, &QComboBox::activated, this, [this](int index) {
    if (index >= static_cast<int>(m_presets.size())) return;
    setPreprocessing(m_presets[static_cast<std::size_t>(index)].preprocessing);
  });
  return m_preset;
}

QWidget* PreprocessingForm::makeButtons() {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  const auto addButton = [&](const QString& name, const QString& toolTip, auto action) {
    auto* button = new QPushButton(name);
    button->setToolTip(toolTip);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, action);
    layout->addWidget(button);
  };
  addButton(tr("Load…"), tr("Read a preprocessing file (JSON)"), [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Load Preprocessing"), QString(),
                                                      tr("Preprocessing (*.json)"));
    if (!file.isEmpty()) load(file);
  });
  addButton(tr("Save…"), tr("Write it for the command line: --preprocess FILE"), [this] {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save Preprocessing"),
                                                      QStringLiteral("preprocess.json"),
                                                      tr("Preprocessing (*.json)"));
    if (!file.isEmpty()) save(file);
  });
  layout->addStretch();
  return row;
}

QWidget* PreprocessingForm::makeSize(SizeFields& fields, const QString& name,
                                     const QString& explanation) {
  fields = {new QCheckBox, makeSide(tr("%1: height").arg(name)),
            makeSide(tr("%1: width").arg(name))};
  fields.given->setAccessibleName(name);
  auto* row = new QWidget;
  row->setToolTip(explanation);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(fields.given);
  layout->addWidget(fields.height, 1);
  layout->addWidget(new QLabel(QStringLiteral("×")));
  layout->addWidget(fields.width, 1);
  layout->addWidget(mutedLabel(tr("px (H × W)"), row));
  const auto enable = [fields](bool given) {
    fields.height->setEnabled(given);
    fields.width->setEnabled(given);
  };
  enable(false);
  connect(fields.given, &QCheckBox::toggled, row, enable);
  connect(fields.given, &QCheckBox::toggled, this, &PreprocessingForm::edited);
  connect(fields.height, &QSpinBox::valueChanged, this, &PreprocessingForm::edited);
  connect(fields.width, &QSpinBox::valueChanged, this, &PreprocessingForm::edited);
  return row;
}

QLineEdit* PreprocessingForm::makeNumbers(const QString& name, const QString& explanation) {
  auto* edit = new QLineEdit;
  edit->setAccessibleName(name);
  edit->setToolTip(explanation);
  connect(edit, &QLineEdit::textEdited, this, &PreprocessingForm::edited);
  return edit;
}

QComboBox* PreprocessingForm::makeChoice(const QString& name, const QStringList& choices,
                                         const QString& explanation) {
  auto* choice = new QComboBox;
  choice->addItems(choices);
  choice->setAccessibleName(name);
  choice->setToolTip(explanation);
  connect(choice, &QComboBox::currentIndexChanged, this, &PreprocessingForm::edited);
  return choice;
}

std::optional<Preprocessing> PreprocessingForm::preprocessing() const {
  const auto size = [](const SizeFields& fields) -> std::optional<PictureSize> {
    if (!fields.given->isChecked()) return {};
    return PictureSize{.height = fields.height->value(), .width = fields.width->value()};
  };
  const auto scale = singleNumber(m_scale->text());
  const auto mean = parseNumbers(m_mean->text());
  const auto std = parseNumbers(m_std->text());
  if (!scale || !mean || !std) return {};
  Preprocessing result;
  result.size = size(m_size);
  result.resize = static_cast<Preprocessing::Resize>(m_resize->currentIndex());
  result.crop = size(m_crop);
  result.color = static_cast<Preprocessing::Color>(m_color->currentIndex());
  result.scale = *scale;
  result.mean = *mean;
  result.std = *std;
  result.order = static_cast<Preprocessing::Order>(m_layout->currentIndex());
  try {
    // parsePreprocessing() checks which settings go together.
    return parsePreprocessing(toJson(result));
  } catch (const Error&) {
    return {};
  }
}

QString PreprocessingForm::problem() const {
  if (preprocessing()) return {};
  if (!singleNumber(m_scale->text())) return tr("Scale takes one number, like 1/255.");
  const auto mean = parseNumbers(m_mean->text());
  if (!mean) return tr("Mean takes numbers, like 0.485, 0.456, 0.406.");
  const auto std = parseNumbers(m_std->text());
  if (!std) return tr("Std takes numbers, like 0.229, 0.224, 0.225.");
  const std::size_t channels =
      static_cast<Preprocessing::Color>(m_color->currentIndex()) == Preprocessing::Color::Gray ? 1
                                                                                               : 3;
  for (const auto& [name, numbers] : {std::pair(tr("Mean"), *mean), std::pair(tr("Std"), *std)}) {
    if (numbers.size() > 1 && numbers.size() != channels) {
      return tr("%1 takes one number for all channels, or one for each of the %2.")
          .arg(name)
          .arg(channels);
    }
  }
  if (std::ranges::any_of(*std, [](double deviation) { return deviation <= 0; })) {
    return tr("Std takes numbers above 0.");
  }
  return tr("Size or crop is too large.");
}

void PreprocessingForm::setPreprocessing(const Preprocessing& preprocessing) {
  {
    const QScopedValueRollback filling(m_filling, true);
    const auto fill = [](const SizeFields& fields, const std::optional<PictureSize>& size) {
      fields.given->setChecked(size.has_value());
      if (!size) return;
      fields.height->setValue(size->height);
      fields.width->setValue(size->width);
    };
    fill(m_size, preprocessing.size);
    fill(m_crop, preprocessing.crop);
    m_resize->setCurrentIndex(static_cast<int>(preprocessing.resize));
    m_color->setCurrentIndex(static_cast<int>(preprocessing.color));
    m_scale->setText(numbersText({preprocessing.scale}));
    m_mean->setText(numbersText(preprocessing.mean));
    m_std->setText(numbersText(preprocessing.std));
    m_layout->setCurrentIndex(static_cast<int>(preprocessing.order));
  }
  edited();
}

void PreprocessingForm::edited() {
  if (m_filling) return;
  showPreset();
  showProblem(problem());
  Q_EMIT changed();
}

void PreprocessingForm::showPreset() {
  const std::optional<Preprocessing> current = preprocessing();
  std::size_t index = 0;
  while (index < m_presets.size() && m_presets[index].preprocessing != current) ++index;
  m_preset->setCurrentIndex(static_cast<int>(index));
  m_explanation->setText(index < m_presets.size() ? m_presets[index].explanation
                                                  : tr("(code × scale − mean) / std"));
}

void PreprocessingForm::showProblem(const QString& problem) {
  m_problem->setText(problem);
  setCritical(m_problem);
  m_problem->setVisible(!problem.isEmpty());
}

void PreprocessingForm::load(const QString& file) {
  try {
    setPreprocessing(readPreprocessing(file.toStdString()));
  } catch (const Error& error) {
    showProblem(text(error.what()));
  }
}

void PreprocessingForm::save(const QString& file) {
  const std::optional<Preprocessing> current = preprocessing();
  if (!current) return;
  try {
    writeFileAtomically(file.toStdString(), toJson(*current) + "\n");
  } catch (const Error& error) {
    showProblem(text(error.what()));
  }
}

}  // namespace quantscope
