#include "widgets/data/data_source_field.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace quantscope {
namespace {

constexpr auto kRandomProposal = "random:8";

}  // namespace

DataSourceField::DataSourceField(Kind kind, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), m_kind(kind), m_edit(new QLineEdit) {
  QWidget* field = m_edit;
  if (kind == Kind::Samples) field = makeChoice();
  field->setAccessibleName(accessibleName);
  m_edit->setPlaceholderText(kind == Kind::Samples ? tr("File, folder or random:N") : tr("None"));
  m_edit->setClearButtonEnabled(kind == Kind::Labels);
  // The field takes no drops, so that files can be dropped on the whole window.
  field->setAcceptDrops(false);
  m_edit->setAcceptDrops(false);
  connect(m_edit, &QLineEdit::textChanged, this, [this, field](const QString& source) {
    field->setToolTip(source);
    Q_EMIT changed();
  });

  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  const auto addButton = [&](const QString& name, const QString& toolTip, auto action) {
    auto* button = new QPushButton(name);
    button->setToolTip(toolTip);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, action);
    buttons->addWidget(button);
  };
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  if (kind == Kind::Labels) {
    addButton(tr("File…"), tr("Choose a .npy of class indices"), [this] { browseFile(); });
    buttons->insertWidget(0, field, 1);
    layout->addLayout(buttons);
    return;
  }
  addButton(tr("File…"), tr("Choose a .npz with an array per input, or a .npy"),
            [this] { browseFile(); });
  addButton(tr("Folder…"), tr("Choose a folder of images, or one with test_data_set_* folders"),
            [this] { browseFolder(); });
  addButton(tr("Random"), tr("Make numbers up: shows that the model runs, says little of errors"),
            [this] { setSource(QLatin1String(kRandomProposal)); });
  buttons->addStretch();
  layout->addWidget(field);
  layout->addLayout(buttons);
}

QWidget* DataSourceField::makeChoice() {
  m_choice = new QComboBox;
  m_choice->setEditable(true);
  m_choice->setLineEdit(m_edit);
  m_choice->setInsertPolicy(QComboBox::NoInsert);
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_choice->setMinimumContentsLength(12);
  return m_choice;
}

QString DataSourceField::source() const {
  return m_edit->text().trimmed();
}

void DataSourceField::setSource(const QString& source) {
  m_edit->setText(source);
}

void DataSourceField::setRecent(const QStringList& sources) {
  if (m_choice == nullptr) return;
  const QSignalBlocker quiet(m_edit);
  const QString kept = m_edit->text();
  m_choice->clear();
  m_choice->addItems(sources);
  m_edit->setText(kept);
}

QString DataSourceField::startFolder() const {
  const QFileInfo info(source());
  if (!info.exists()) return m_folder;
  return info.isDir() ? info.filePath() : info.path();
}

void DataSourceField::browseFile() {
  const QString filter = m_kind == Kind::Samples ? tr("Arrays (*.npz *.npy);;All files (*)")
                                                 : tr("NumPy arrays (*.npy);;All files (*)");
  const QString title = m_kind == Kind::Samples ? tr("Choose Samples") : tr("Choose Labels");
  const QString file = QFileDialog::getOpenFileName(this, title, startFolder(), filter);
  if (!file.isEmpty()) setSource(file);
}

void DataSourceField::browseFolder() {
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Choose a Folder"), startFolder());
  if (!folder.isEmpty()) setSource(folder);
}

}  // namespace quantscope
