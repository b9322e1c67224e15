// The header is a Python dict in text, padded so that data starts at a multiple
// of 64 bytes.
#include "tools/agtc/NpyDoubles.h"

#include "llvm/Support/Endian.h"

std::string agt::tool::npyOfDoubles(llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<double> values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    header += std::to_string(size) + ",";
  header += "), }";
  constexpr size_t prefix = 10; // magic, version, length
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  header += '\n';

  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  for (double value : values) {
    char bytes[sizeof value];
    llvm::support::endian::write<double, llvm::endianness::little>(bytes,
                                                                   value);
    file.append(bytes, sizeof bytes);
  }
  return file;
}
