// See Context.h.
#include "runtime/Plan/Context.h"

#include <algorithm>
#include <chrono>

double agt::rt::monotonicSeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

agt_context::agt_context(agt::rt::DeviceChoice choice) {
  devices.push_back(std::make_unique<agt::rt::OpenDevice>(choice));
}

agt_context::agt_context(std::unique_ptr<agt::rt::Device> device) {
  devices.push_back(std::make_unique<agt::rt::OpenDevice>(std::move(device)));
}

agt_context::agt_context(const std::vector<agt::rt::DeviceChoice> &choices) {
  for (agt::rt::DeviceChoice choice : choices)
    devices.push_back(std::make_unique<agt::rt::OpenDevice>(choice));
}

agt_context::agt_context(std::vector<std::unique_ptr<agt::rt::Device>> opened) {
  for (auto &device : opened)
    devices.push_back(std::make_unique<agt::rt::OpenDevice>(std::move(device)));
}

agt::rt::Device &agt_context::device() {
  if (!devices.front()->isOpen())
    step("open the device", [&] { devices.front()->get(); });
  return devices.front()->get();
}

agt::rt::OpenDevice &agt_context::openDeviceFor(const agt_run &plan) {
  device();
  devices.front()->openFor(plan);
  return *devices.front();
}

std::vector<agt::rt::OpenDevice *> agt_context::devicesFor(size_t positions) {
  while (devices.size() < positions)
    devices.push_back(
        std::make_unique<agt::rt::OpenDevice>(devices.front()->choice));
  std::vector<agt::rt::OpenDevice *> result;
  for (size_t i = 0; i < positions; ++i)
    result.push_back(devices[i].get());
  return result;
}

void agt_context::tellRepeat(uint32_t repeat) const {
  if (!settings.progress)
    return;
  std::string text = "compute";
  if (settings.repeat > 1)
    text += ", " + std::to_string(repeat + 1) + " of " +
            std::to_string(settings.repeat);
  settings.progress(text);
}

std::unique_ptr<agt_run> agt_context::take(agt_run *plan) {
  for (std::unique_ptr<agt_run> &entry : plans)
    if (entry.get() == plan) {
      std::unique_ptr<agt_run> taken = std::move(entry);
      plans.erase(plans.begin() + (&entry - plans.data()));
      return taken;
    }
  return nullptr;
}

void agt_context::drop(agt_run *plan) {
  plans.erase(
      std::remove_if(plans.begin(), plans.end(),
                     [&](const auto &entry) { return entry.get() == plan; }),
      plans.end());
}

void agt_context::dropFailed() {
  plans.erase(std::remove_if(plans.begin(), plans.end(),
                             [](const auto &plan) { return plan->failed; }),
              plans.end());
}
