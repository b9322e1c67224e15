// Inputs that stay on the device from plan to plan: weights, which are uploaded
// once, and caches, which plans write into. A plan knows them by the address of
// their data.
#ifndef AGT_RUNTIME_PLAN_RESIDENT_H
#define AGT_RUNTIME_PLAN_RESIDENT_H

#include "agt/runtime.h"

#include "runtime/Device/Device.h"

#include <map>

namespace agt::rt {

class Residents {
public:
  enum class Content {
    Uploaded, // the tensor's own, when a plan first uses it. AGT_CPU_SLACK
              // bytes behind it can be read: a device that can reads it in
              // place where it has no room for a copy
    Written   // what plans write; the host's data is no more than a name
  };
  struct Entry {
    Content content;
    uint64_t bytes;
    std::unique_ptr<Buffer> buffer; // on the device, once a plan uses it
    bool filled = false;            // holds what it has to
  };

  void add(const agt_tensor &tensor, Content content);
  /// Null for a tensor that is none.
  Entry *find(const agt_tensor &tensor);
  void clear() { entries.clear(); }

private:
  std::map<const void *, Entry> entries;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_RESIDENT_H
