// Compute pipelines from SPIR-V.
#include "runtime/Support/Failure.h"
#include "runtime/Vulkan/Commands.h"

namespace agt::rt {

VulkanKernel::~VulkanKernel() {
  device.vk.DestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.DestroyPipelineLayout(device.handle, layout, nullptr);
}

static VkShaderModule createModule(VulkanDevice &device,
                                   const agt_kernel_variant &variant) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = variant.code_bytes;
  info.pCode = variant.code;
  VkShaderModule module = VK_NULL_HANDLE;
  check(device.vk.CreateShaderModule(device.handle, &info, nullptr, &module),
        "create a shader module");
  return module;
}

std::unique_ptr<Kernel> VulkanDevice::load(const agt_kernel &code,
                                           uint32_t index,
                                           uint32_t pushConstants) {
  const agt_kernel_variant &variant = code.variants[index];
  auto kernel = std::make_unique<VulkanKernel>(*this);
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstants * 8};
  VkPipelineLayoutCreateInfo layoutInfo{};
  layoutInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layoutInfo.pushConstantRangeCount = pushConstants ? 1 : 0;
  layoutInfo.pPushConstantRanges = &range;
  check(vk.CreatePipelineLayout(handle, &layoutInfo, nullptr, &kernel->layout),
        "create a pipeline layout");

  // A kernel made for one subgroup size asks for it where the device can vary
  // it; where it cannot, the variant was chosen because the sizes agree.
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups{};
  subgroups.sType =
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroups.requiredSubgroupSize = variant.subgroup_size;
  bool require = variant.subgroup_size && physical.canRequireSubgroupSize;

  VkShaderModule module = createModule(*this, variant);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = require ? &subgroups : nullptr;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = kernel->layout;
  VkResult result = vk.CreateComputePipelines(handle, pipelineCache, 1, &info,
                                              nullptr, &kernel->pipeline);
  vk.DestroyShaderModule(handle, module, nullptr);
  check(result, (std::string("build the kernel '") + code.name + "'").c_str());
  return kernel;
}

} // namespace agt::rt
