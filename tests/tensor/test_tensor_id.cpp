#include "tensor/tensor_id.h"

#include <QtTest>
#include <set>

#include "support/test_main.h"

using namespace quantscope;

class TensorIdTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLayoutDoesNotCount();
  void everythingElseCounts();
};

void TensorIdTest::theLayoutDoesNotCount() {
  Tensor plain(ElementType::Float32, Shape{2, 3, 2, 2});
  for (std::size_t i = 0; i < plain.elementCount(); ++i) {
    plain.mutableValues<float>()[i] = static_cast<float>(i);
  }
  const Tensor channelsLast = toLayout(plain, Layout::ChannelsLast);
  QVERIFY(contentId(channelsLast) == contentId(plain));
  QVERIFY(contentId(channelsLast.reinterpreted(Shape{2, 2, 2, 3}, Layout::Plain)) !=
          contentId(plain));
}

void TensorIdTest::everythingElseCounts() {
  const std::set<ContentId> ids{contentId(Tensor()),
                                contentId(Tensor::of<float>(Shape{2}, {0, 1})),
                                contentId(Tensor::of<float>(Shape{2}, {-0.0F, 1})),
                                contentId(Tensor::of<float>(Shape{2}, {0, 2})),
                                contentId(Tensor::of<float>(Shape{1, 2}, {0, 1})),
                                contentId(Tensor::of<float>(Shape{2, 1}, {0, 1})),
                                contentId(Tensor::of<std::int32_t>(Shape{2}, {0, 0x3f800000})),
                                contentId(Tensor(ElementType::Float32, Shape{0}))};
  QCOMPARE(ids.size(), std::size_t{8});
}

QUANTSCOPE_TEST(TensorIdTest)
#include "test_tensor_id.moc"
