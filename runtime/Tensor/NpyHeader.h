// The text in the header of an .npy file: a Python dict literal with the keys
// 'descr', 'fortran_order' and 'shape'.
#ifndef AGT_RUNTIME_TENSOR_NPYHEADER_H
#define AGT_RUNTIME_TENSOR_NPYHEADER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

struct NpyHeader {
  std::string descr; // "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Fails with AGT_BAD_INPUT; the text is a clause about the file ("its header
/// ..."), to be put behind the file's name.
NpyHeader parseNpyHeader(std::string_view text);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_NPYHEADER_H
