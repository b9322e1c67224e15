// libcurl, opened at first use: a program that asks nothing over HTTP starts
// without it, and one that does says which package is missing.
#ifndef AGT_RUNTIME_HTTP_CURL_H
#define AGT_RUNTIME_HTTP_CURL_H

#include <curl/curl.h>

namespace agt::rt {

struct Curl {
  CURL *(*easyInit)();
  CURLcode (*easySetopt)(CURL *, CURLoption, ...);
  CURLcode (*easyPerform)(CURL *);
  CURLcode (*easyGetinfo)(CURL *, CURLINFO, ...);
  void (*easyCleanup)(CURL *);
  const char *(*easyStrerror)(CURLcode);
  curl_slist *(*slistAppend)(curl_slist *, const char *);
  void (*slistFreeAll)(curl_slist *);
};

/// Fails with AGT_MISSING when there is no libcurl.
const Curl &curl();

} // namespace agt::rt

#endif // AGT_RUNTIME_HTTP_CURL_H
