// What control code may read of the world, and what it says to it: recorded at
// once, with no intent, since nothing outside changes.
#include "runtime/Agent/Execution.h"
#include "runtime/Support/File.h"

#include <cstdlib>
#include <ctime>
#include <random>

namespace agt::rt {

namespace {

std::string readFile(const std::string &path) {
  try {
    MappedFile file(path);
    std::string text(reinterpret_cast<const char *>(file.data()), file.size());
    size_t bad = findInvalidUtf8(text);
    if (bad != std::string::npos)
      throw StepFailure("'" + path + "' is not UTF-8, at byte " +
                        std::to_string(bad));
    return text;
  } catch (Failure &failure) {
    throw StepFailure(failure.message);
  }
}

std::string makeUuid() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 32; ++i) {
    unsigned digit = random() & 15;
    if (i == 12)
      digit = 4;
    if (i == 16)
      digit = 8 | (digit & 3);
    if (i == 8 || i == 12 || i == 16 || i == 20)
      text += '-';
    text += "0123456789abcdef"[digit];
  }
  return text;
}

double unitRandom() {
  std::random_device random;
  uint64_t bits = uint64_t(random()) << 32 | random();
  return double(bits >> 11) * 0x1p-53;
}

Value readWorld(agt_scope *scope, int32_t reading, Value argument,
                uint32_t type) {
  Arena &arena = scope->arena();
  switch (reading) {
  case AGT_READ_NOW:
    return makeFloat(arena, double(Instant::wallNs()) / 1e9);
  case AGT_READ_RANDOM:
    return makeFloat(arena, unitRandom());
  case AGT_READ_UUID:
    return makeString(arena, makeUuid());
  case AGT_READ_ENV: {
    const char *value = std::getenv(std::string(textOf(argument)).c_str());
    return value ? makeString(arena, value) : nullptr;
  }
  case AGT_READ_FILE:
    return makeString(arena, readFile(std::string(textOf(argument))));
  case AGT_READ_HANDLE: {
    std::optional<std::string> content =
        scope->strand->run.log.blob(argument->bytes);
    if (!content)
      throw StepFailure(std::string("the handle ") + argument->bytes +
                        " stands for nothing in this step log");
    return readLogged(scope, *content, type);
  }
  default:
    fail(AGT_FAILED, "the program reads something unknown of the world");
  }
}

Value readStep(agt_scope *scope, const agt_site &site, int32_t reading,
               uint32_t type, Value argument) {
  Strand &strand = *scope->strand;
  std::string args = canonicalJson(argument);
  const PastStep *past = findPast(scope, site, args);
  if (past && past->state == PastState::Done) {
    strand.budget->countStep();
    // A handle's content is in the log once, as a blob that never changes.
    return reading == AGT_READ_HANDLE
               ? readWorld(scope, reading, argument, type)
               : readLogged(scope, past->result, type);
  }
  if (past && past->state == PastState::Failed)
    throw StepFailure(past->error);
  std::string path = scope->path(site.name);
  refuseNew(scope, path);
  strand.budget->openStep(strand.run.activeNs());
  if (reading == AGT_READ_HANDLE)
    strand.commit(); // the blob may be waiting with what is noted
  Event event = makeEvent(EventKind::Result, path);
  event.args = args;
  event.hash = site.hash ? site.hash : "";
  try {
    Value value = readWorld(scope, reading, argument, type);
    event.result = reading == AGT_READ_HANDLE ? "null" : canonicalJson(value);
    strand.note(std::move(event));
    return value;
  } catch (StepFailure &failure) {
    event.kind = EventKind::Failure;
    event.error = failure.message;
    event.info = "{\"final\":true}";
    strand.note(std::move(event));
    throw;
  }
}

void emitStep(agt_scope *scope, const agt_site &site, Value text) {
  Strand &strand = *scope->strand;
  std::string said;
  appendText(said, text);
  std::string args = jsonString(said);
  if (findPast(scope, site, args)) {
    strand.budget->countStep();
    return;
  }
  std::string path = scope->path(site.name);
  refuseNew(scope, path);
  strand.budget->openStep(strand.run.activeNs());
  Event event = makeEvent(EventKind::Result, path);
  event.args = args;
  event.hash = site.hash ? site.hash : "";
  event.result = "null";
  event.info = "{\"emit\":true}";
  strand.note(std::move(event));
  // Others may be watching: it is shown when it is said, not with the next
  // effect.
  strand.post();
  if (strand.run.options.onEmit)
    strand.run.options.onEmit(path, said);
}

} // namespace

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_read(agt_scope *scope, const agt_site *site, int32_t reading,
                      uint32_t type, const agt_value *argument,
                      const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = readStep(scope, at, reading, type, argument);
  });
}

int32_t agt_step_emit(agt_scope *scope, const agt_site *site,
                      const agt_value *text) {
  return guardSite(scope, site,
                   [&](const agt_site &at) { emitStep(scope, at, text); });
}
