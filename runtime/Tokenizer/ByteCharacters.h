// GPT-2's way to write bytes as characters: printable ones of Latin-1 stand for
// themselves, the others in order for U+0100 and what follows.
#ifndef AGT_RUNTIME_TOKENIZER_BYTECHARACTERS_H
#define AGT_RUNTIME_TOKENIZER_BYTECHARACTERS_H

#include <optional>
#include <string>
#include <string_view>

namespace agt::rt {

/// The bytes that a text written so stands for; nothing where a character of it
/// stands for none.
std::optional<std::string> bytesOfCharacters(std::string_view text);

/// `text` with blanks in the place of U+2581, which tokenizers of characters
/// write for them.
std::string withBlanks(std::string_view text);

/// The byte of a token "<0x0A>"; nothing for other texts.
std::optional<unsigned char> byteOfName(std::string_view name);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_BYTECHARACTERS_H
