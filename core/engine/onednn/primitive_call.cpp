#include "engine/onednn/primitive_call.h"

#include <utility>

namespace quantscope::onednn {

struct PrimitiveCall::Bindings {
  explicit Bindings(const std::vector<Argument>& arguments) : stream(cpuEngine()) {
    for (const Argument& argument : arguments) {
      memories.emplace_back(argument.descriptor, cpuEngine(), nullptr);
      executeArguments.push_back({argument.role, memories.back().get()});
    }
  }

  void bind(std::size_t index, const void* buffer) {
    memories[index].set_data_handle(const_cast<void*>(buffer));
  }

  dnnl::stream stream;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> executeArguments;
};

PrimitiveCall::PrimitiveCall(dnnl::primitive primitive, std::vector<Argument> arguments,
                             const dnnl::memory::desc& scratchpad)
    : m_primitive(std::move(primitive)),
      m_arguments(std::move(arguments)),
      m_scratchpadBytes(scratchpad.get_size()) {
  if (m_scratchpadBytes > 0) m_arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
}

PrimitiveCall::~PrimitiveCall() = default;

void PrimitiveCall::run(std::initializer_list<const void*> buffers) const {
  translated([&] {
    std::unique_ptr<Bindings>* mine = m_bindings.mine();
    if (mine == nullptr) {
      Bindings bindings(m_arguments);
      return runOn(bindings, buffers);
    }
    if (*mine == nullptr) *mine = std::make_unique<Bindings>(m_arguments);
    runOn(**mine, buffers);
  });
}

void PrimitiveCall::runOn(Bindings& bindings, std::initializer_list<const void*> buffers) const {
  std::size_t index = 0;
  for (const void* buffer : buffers) bindings.bind(index++, buffer);
  Tensor scratchpad;
  if (m_scratchpadBytes > 0) {
    scratchpad = Tensor(ElementType::UInt8, Shape{static_cast<std::int64_t>(m_scratchpadBytes)});
    bindings.bind(index, scratchpad.bytes());
  }
  const dnnl_status_t status = dnnl_primitive_execute(
      m_primitive.get(), bindings.stream.get(), static_cast<int>(bindings.executeArguments.size()),
      bindings.executeArguments.data());
  dnnl::error::wrap_c_api(status, "could not execute a primitive");
}

}  // namespace quantscope::onednn
