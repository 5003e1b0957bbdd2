#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QMessageBox>
#include <QUrl>
#include <algorithm>

#include "dialogs.h"
#include "settings.h"
#include "widgets/data/data_dialog.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

const QString kRecentData = QStringLiteral("recentData");
constexpr qsizetype kMostRecentData = 12;

QStringList recentData() {
  return openSettings().value(kRecentData).toStringList();
}

void rememberRecent(const AnalysisRequest& request) {
  QStringList recent = recentData();
  for (const std::string& source : {request.calibration, request.data}) {
    if (source.empty()) continue;
    recent.removeAll(text(source));
    recent.prepend(text(source));
  }
  openSettings().setValue(kRecentData, recent.first(std::min(recent.size(), kMostRecentData)));
}

class DesktopDialogs : public Dialogs {
 public:
  QString chooseModel(QWidget* parent, const QString& folder) override {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Open Model"), folder,
                                        QObject::tr("ONNX models (*.onnx);;All files (*)"));
  }

  std::optional<AnalysisRequest> chooseData(QWidget* parent, const LoadedModel& model,
                                            const AnalysisRequest& start) override {
    DataDialog dialog(model, start, parent);
    dialog.setRecentData(recentData());
    if (dialog.exec() != QDialog::Accepted) return std::nullopt;
    rememberRecent(dialog.request());
    return dialog.request();
  }

  void showAbout(QWidget* parent) override {
    QMessageBox box(parent);
    box.setWindowTitle(QObject::tr("About Quantscope"));
    box.setIconPixmap(programIcon().pixmap(QSize(64, 64), box.devicePixelRatioF()));
    box.setText(QStringLiteral("<h3>Quantscope %1</h3>").arg(QApplication::applicationVersion()));
    box.setInformativeText(
        QObject::tr("Shows where quantization hurts a neural network, and why.\n\n"
                    "Free software under the GNU General Public License, version 3 or later. "
                    "It comes without any warranty.\n\nBuilt with Qt %1.")
            .arg(QString::fromLatin1(qVersion())));
    box.exec();
  }

  void openFolder(const QString& folder) override {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  }
};

}  // namespace

std::shared_ptr<Dialogs> desktopDialogs() {
  return std::make_shared<DesktopDialogs>();
}

}  // namespace quantscope
