// See Curl.h.
#include "runtime/Http/Curl.h"

#include "runtime/Support/Failure.h"

#include <dlfcn.h>

namespace agt::rt {

static Curl load() {
  void *library = nullptr;
  for (const char *name :
       {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"})
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
      break;
  if (!library)
    fail(AGT_MISSING, "libcurl.so.4 is missing, which calls over HTTP need; "
                      "install the package libcurl4");
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, name));
    if (!function)
      fail(AGT_MISSING, std::string("libcurl has no function ") + name);
  };
  CURLcode (*globalInit)(long);
  find(globalInit, "curl_global_init");
  Curl functions;
  find(functions.easyInit, "curl_easy_init");
  find(functions.easySetopt, "curl_easy_setopt");
  find(functions.easyPerform, "curl_easy_perform");
  find(functions.easyGetinfo, "curl_easy_getinfo");
  find(functions.easyCleanup, "curl_easy_cleanup");
  find(functions.easyStrerror, "curl_easy_strerror");
  find(functions.slistAppend, "curl_slist_append");
  find(functions.slistFreeAll, "curl_slist_free_all");
  globalInit(CURL_GLOBAL_DEFAULT);
  return functions;
}

const Curl &curl() {
  static const Curl functions = load();
  return functions;
}

} // namespace agt::rt
