#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tensor/npy.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Writes one value of all samples: stacked on a new axis 0 into STEM.npy while the shapes agree,
/// else STEM.0.npy, STEM.1.npy, … The files appear at close(); without it nothing is left behind.
class ValueWriter {
 public:
  ValueWriter(std::filesystem::path folder, std::string stem);
  ~ValueWriter();
  ValueWriter(const ValueWriter&) = delete;
  ValueWriter& operator=(const ValueWriter&) = delete;

  /// Throws Error(Io).
  void append(const Tensor& sample);
  bool empty() const { return m_count == 0; }
  /// Gives the files their names and returns them, without the folder. Throws Error(Io).
  std::vector<std::string> close();

  /// [samples, …] of the stacked array; empty where the shapes differ.
  std::vector<std::int64_t> stackedShape() const;
  ElementType type() const { return m_type; }

 private:
  void split();
  void addSampleFile(const Tensor& sample);

  std::filesystem::path m_folder;
  std::string m_stem;
  std::filesystem::path m_stackPart;  ///< the stack under a name of its own until all is written
  ElementType m_type = ElementType::Float32;
  Shape m_shape;
  std::size_t m_count = 0;
  std::unique_ptr<NpyStackWriter> m_stack;  ///< while all shapes agree
  std::vector<std::filesystem::path>
      m_parts;  ///< temporary files, one per sample, once they do not
};

}  // namespace quantscope
