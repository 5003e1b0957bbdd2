#include "widgets/data/data_inputs.h"

#include <QGridLayout>
#include <QLabel>
#include <filesystem>

#include "widgets/data/data_labels.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

enum InputColumn { kMark, kInputName, kWanted, kHeld, kInputColumns };

Mark markOf(InputCheck::State state) {
  switch (state) {
    case InputCheck::State::Fits:
      return Mark::Good;
    case InputCheck::State::Fails:
      return Mark::Bad;
    case InputCheck::State::Unknown:
      break;
  }
  return Mark::Open;
}

QString wordOf(InputCheck::State state) {
  switch (state) {
    case InputCheck::State::Fits:
      return DataInputs::tr("fits");
    case InputCheck::State::Fails:
      return DataInputs::tr("does not fit");
    case InputCheck::State::Unknown:
      break;
  }
  return DataInputs::tr("not checked");
}

QLabel* cell(const QString& content) {
  auto* label = new QLabel(content.isEmpty() ? QStringLiteral("–") : content);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setToolTip(content);
  return label;
}

QString capitalized(const QString& sentence) {
  return sentence.left(1).toUpper() + sentence.mid(1);
}

}  // namespace

QString sentences(const Error& error, const std::string& data) {
  QString result = capitalized(text(error.sentence()));
  const std::filesystem::path file(error.place().file);
  if (!file.empty() && file != data)
    result += QStringLiteral(" (%1)").arg(text(file.filename().string()));
  result += u'.';
  if (!error.remedy().empty()) result += u' ' + capitalized(text(error.remedy())) + u'.';
  return result;
}

DataInputs::DataInputs(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(16);
  m_grid->setVerticalSpacing(4);
  m_grid->setColumnStretch(kHeld, 1);
}

void DataInputs::clear() {
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  m_rows = 1;
  const QStringList titles{{}, tr("Input"), tr("The model wants"), tr("The data holds")};
  for (int column = kInputName; column < kInputColumns; ++column) {
    QLabel* title = mutedLabel(titles[column], this);
    title->setWordWrap(false);
    place(title, 0, column);
  }
}

// Shown at once: a layout does not count hidden widgets, and the dialog needs its height.
void DataInputs::place(QWidget* widget, int row, int column, int columns) {
  m_grid->addWidget(widget, row, column, 1, columns);
  widget->show();
}

void DataInputs::addRow(const InputCheck& check, const std::string& source) {
  const int row = m_rows++;
  auto* mark = new QLabel;
  mark->setPixmap(markPixmap(markOf(check.state), palette(), devicePixelRatioF()));
  mark->setToolTip(wordOf(check.state));
  mark->setAccessibleName(text(check.input.name) + u' ' + wordOf(check.state));
  place(mark, row, kMark);
  place(cell(text(check.input.name)), row, kInputName);
  const std::string wanted =
      std::string(name(check.input.type)) + " " + toString(check.input.shape);
  place(cell(text(wanted)), row, kWanted);
  place(cell(text(check.held)), row, kHeld);
  if (!check.error) return;
  auto* sentence = new QLabel(sentences(*check.error, source));
  sentence->setWordWrap(true);
  sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setCritical(sentence);
  place(sentence, m_rows++, kInputName, kInputColumns - kInputName);
}

void DataInputs::showWanted(const Graph& graph) {
  DataReport report;
  for (const ModelInput& input : modelInputs(graph)) {
    report.inputs.push_back({input, InputCheck::State::Unknown, {}, {}});
  }
  showReport(report);
}

void DataInputs::showReport(const DataReport& report) {
  clear();
  for (const InputCheck& check : report.inputs) addRow(check, report.data);
}

}  // namespace quantscope
