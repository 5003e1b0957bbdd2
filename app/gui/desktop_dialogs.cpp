#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QMessageBox>
#include <QUrl>

#include "data_of_model.h"
#include "dialogs.h"
#include "widgets/data/data_dialog.h"
#include "widgets/look/icons.h"

namespace quantscope {
namespace {

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
