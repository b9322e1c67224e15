// See Token.h. libcrypto's plain SHA256_* functions: the newer ones look their
// algorithms up at run time and bring the whole library into every program.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "runtime/Log/Token.h"

#include <cstdint>
#include <openssl/sha.h>

namespace agt::rt {

static std::string finish(SHA256_CTX &context) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, &context);
  std::string text;
  for (unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256Hex(std::string_view text) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, text.data(), text.size());
  return finish(context);
}

std::string digestFields(std::initializer_list<std::string_view> fields) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (std::string_view field : fields) {
    unsigned char length[8];
    for (int i = 0; i < 8; ++i)
      length[i] = (unsigned char)(uint64_t(field.size()) >> (8 * i));
    SHA256_Update(&context, length, sizeof length);
    SHA256_Update(&context, field.data(), field.size());
  }
  return finish(context);
}

std::string stepToken(std::string_view run, std::string_view path,
                      std::string_view args) {
  return digestFields({"agt1", run, path, args});
}

} // namespace agt::rt
