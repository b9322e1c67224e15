// See Sharded.h. An index is a JSON object whose "weight_map" is an object too:
// {tensor: file}. Files are named from the folder of the index and lie in it.
#include "runtime/Weights/Sharded.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace agt::rt {

using Json = nlohmann::json;

// No header is so long that no byte of its length is 0, and JSON has no 0.
bool isSafetensorsIndex(const MappedFile &file) {
  const unsigned char *data = file.data();
  size_t size = std::min<size_t>(file.size(), 8);
  if (std::find(data, data + size, 0) != data + size)
    return false;
  const unsigned char *first = std::find_if(data, data + size, [](char c) {
    return c != ' ' && c != '\n' && c != '\r' && c != '\t';
  });
  return first != data + size && *first == '{';
}

namespace {

/// The names at depth 2, those of tensors, which JSON itself lets stand there
/// twice.
Json parseIndex(const MappedFile &file) {
  std::set<std::string> names;
  std::string twice, section;
  auto look = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event != Json::parse_event_t::key)
      return true;
    std::string key = parsed.get<std::string>();
    if (depth == 1)
      section = key;
    else if (depth == 2 && section == "weight_map" && !names.insert(key).second)
      twice = key;
    return true;
  };
  Json json;
  try {
    auto *text = reinterpret_cast<const char *>(file.data());
    json = Json::parse(text, text + file.size(), look);
  } catch (const Json::exception &) {
    fail(AGT_BAD_INPUT, "it is not JSON");
  }
  if (!twice.empty())
    fail(AGT_BAD_INPUT, "it names tensor '" + twice + "' twice");
  return json;
}

/// Whether a path stays in the folder that it is relative to.
bool isInside(const std::string &path) {
  if (path.empty() || path[0] == '/')
    return false;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    if (part == ".." || part.empty())
      return false;
    begin = end + 1;
  }
  return path.find('\0') == std::string::npos;
}

/// Names of tensors by file.
using Wanted = std::vector<std::pair<std::string, std::vector<std::string>>>;

Wanted readMap(const MappedFile &index) {
  Json json = parseIndex(index);
  if (!json.is_object() || !json.contains("weight_map") ||
      !json["weight_map"].is_object())
    fail(AGT_BAD_INPUT, "it has no object 'weight_map'");
  Wanted wanted;
  std::map<std::string, size_t> numbers;
  for (const auto &[tensor, file] : json["weight_map"].items()) {
    if (!file.is_string())
      fail(AGT_BAD_INPUT, "it names no file for tensor '" + tensor + "'");
    std::string name = file.get<std::string>();
    if (!isInside(name))
      fail(AGT_BAD_INPUT, "the file '" + name + "' of its tensor '" + tensor +
                              "' is not in its folder");
    auto [number, isNew] = numbers.try_emplace(name, wanted.size());
    if (isNew)
      wanted.push_back({name, {}});
    wanted[number->second].second.push_back(tensor);
  }
  return wanted;
}

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

} // namespace

std::vector<NamedStored>
readSharded(const MappedFile &index, const std::string &path,
            std::vector<std::unique_ptr<MappedFile>> &files) {
  auto refuse = [&](const std::string &why) {
    fail(AGT_BAD_INPUT, "cannot read '" + path + "': " + why);
  };
  Wanted wanted;
  try {
    wanted = readMap(index);
  } catch (const Failure &failure) {
    refuse(failure.message);
  }
  std::vector<NamedStored> tensors;
  std::map<std::string, std::string> places; // the file of each tensor there is
  for (const auto &[name, names] : wanted) {
    std::string file = folderOf(path) + name;
    files.push_back(std::make_unique<MappedFile>(file));
    std::map<std::string, StoredTensor> found;
    for (NamedStored &entry :
         readSafetensors(files.back()->data(), files.back()->size(), file)) {
      auto [place, isNew] = places.try_emplace(entry.name, name);
      if (!isNew)
        refuse("tensor '" + entry.name + "' is in both '" + place->second +
               "' and '" + name + "'");
      found.emplace(entry.name, std::move(entry.tensor));
    }
    std::vector<std::string> missing;
    for (const std::string &tensor : names)
      if (auto entry = found.find(tensor); entry != found.end())
        tensors.push_back({tensor, std::move(entry->second)});
      else
        missing.push_back("'" + tensor + "'");
    if (!missing.empty())
      refuse("'" + file + "' lacks " + std::to_string(missing.size()) +
             (missing.size() == 1 ? " tensor" : " tensors") +
             " that should be in it: " + listText(missing));
  }
  return tensors;
}

} // namespace agt::rt
