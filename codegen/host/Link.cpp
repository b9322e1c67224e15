//===- Link.cpp - From LLVM IR to files a person runs ---------------------===//

#include "codegen/host/Link.h"
#include "codegen/host/GraphLowering.h"
#include "codegen/host/OutputPlace.h"
#include "codegen/host/agents/AgentModule.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace agt;
using namespace agt::host;

static llvm::Error failure(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<Toolchain> agt::host::findToolchain(llvm::StringRef agtcPath) {
  llvm::StringRef prefix =
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(agtcPath));
  llvm::SmallString<128> archive(prefix), include(prefix);
  llvm::sys::path::append(archive, "lib", "libagt_runtime.a");
  llvm::sys::path::append(include, "include");
  if (!llvm::sys::fs::exists(archive))
    return failure("the runtime '" + archive +
                   "' is missing; it belongs beside agtc, under '" + prefix +
                   "/lib'");
  return Toolchain{archive.str().str(), include.str().str()};
}

void agt::host::keepNamesInside(llvm::Module &program) {
  for (llvm::GlobalObject &object : program.global_objects())
    if (!object.isDeclaration() && object.getName() != "main")
      object.setLinkage(llvm::GlobalValue::InternalLinkage);
}

llvm::Expected<std::string> agt::host::objectCode(llvm::Module &module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return failure(error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", {}, llvm::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());

  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream out(code);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return failure("this LLVM cannot write object files");
  passes.run(module);
  return std::string(code.begin(), code.end());
}

/// What agents and local llms need besides: static archives of Debian's
/// packages. They are named only for objects that call for them, so that
/// programs of graphs alone can be linked where they are missing.
static std::vector<llvm::StringRef> furtherLibraries(llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file) {
    llvm::consumeError(file.takeError()); // the linker says what is wrong
    return {};
  }
  for (const llvm::object::SymbolRef &symbol : file->getBinary()->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == "agt_main_agents" || *name == "agt_agent_start")
      return {"-l:libsqlite3.a", "-l:libpcre2-8.a", "-l:libcrypto.a",
              "-l:libseccomp.a", "-l:libhttp_parser.a"};
    else if (*name == "agt_main_models")
      return {"-l:libpcre2-8.a", "-l:libcrypto.a", "-l:libhttp_parser.a"};
  }
  return {};
}

/// Runs the C compiler; the output appears whole or not at all.
static llvm::Error runLinker(llvm::ArrayRef<llvm::StringRef> arguments,
                             llvm::StringRef path) {
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName("cc");
  if (!compiler)
    return failure("no C compiler 'cc' on the PATH to link with; install the "
                   "package gcc");
  // Renaming would put the program in the place of a device.
  llvm::sys::fs::file_status existing;
  if (!llvm::sys::fs::status(path, existing) &&
      llvm::sys::fs::is_other(existing))
    return failure("cannot write '" + path + "': it is not a regular file");
  auto unwritten = [&](std::error_code code) {
    return failure("cannot write '" + path + "': " + code.message());
  };
  llvm::ErrorOr<std::string> place = placeOfOutput(path);
  if (!place)
    return unwritten(place.getError());
  llvm::SmallString<128> partial;
  if (std::error_code code =
          llvm::sys::fs::createUniqueFile(*place + ".%%%%%%.part", partial))
    return unwritten(code);
  llvm::SmallVector<llvm::StringRef> command{*compiler, "-o", partial.str()};
  command.append(arguments.begin(), arguments.end());
  // Threads, dlopen and mathematics of the C library; the C++ one is linked in.
  for (llvm::StringRef library :
       {"-static-libgcc", "-l:libstdc++.a", "-lm", "-ldl", "-lpthread"})
    command.push_back(library);
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*compiler, command, std::nullopt, {},
                                         0, 0, &error);
  if (status != 0) {
    llvm::sys::fs::remove(partial);
    return failure("linking '" + path + "' failed" +
                   (error.empty() ? "" : ": " + error));
  }
  if (std::error_code code = llvm::sys::fs::rename(partial, *place)) {
    llvm::sys::fs::remove(partial);
    return unwritten(code);
  }
  return llvm::Error::success();
}

llvm::Error agt::host::linkExecutable(const Toolchain &toolchain,
                                      llvm::StringRef object,
                                      llvm::StringRef path) {
  std::vector<llvm::StringRef> arguments = {object, toolchain.runtimeArchive,
                                            "-pie", "-Wl,--gc-sections",
                                            "-Wl,-z,relro,-z,now"};
  llvm::append_range(arguments, furtherLibraries(object));
  return runLinker(arguments, path);
}

llvm::Error agt::host::linkLibrary(const Toolchain &toolchain,
                                   llvm::StringRef object,
                                   llvm::StringRef path) {
  // The embedder's half of the ABI is exported beside the graphs.
  std::vector<llvm::StringRef> arguments = {
      object, "-shared", "-Wl,-Bsymbolic", "-Wl,-u,agt_context_create",
      "-Wl,-u,agt_context_destroy", "-Wl,-u,agt_tensor_release",
      "-Wl,-u,agt_status_code", "-Wl,-u,agt_status_message",
      "-Wl,-u,agt_status_place", "-Wl,-u,agt_status_release",
      // Other libraries' functions are
      // not for others to find here.
      "-Wl,--exclude-libs,"
      "libstdc++.a:libgcc.a:"
      "libgcc_eh.a:libsqlite3.a:"
      "libpcre2-8.a:libcrypto.a:"
      "libseccomp.a:libhttp_parser.a",
      toolchain.runtimeArchive, "-Wl,--gc-sections"};
  std::vector<llvm::StringRef> libraries = furtherLibraries(object);
  if (!libraries.empty())
    llvm::append_range(
        arguments, llvm::ArrayRef<llvm::StringRef>(
                       {"-Wl,-u,agt_text_release", "-Wl,-u,agt_library_entry",
                        "-Wl,-e,agt_library_entry"}));
  llvm::append_range(arguments, libraries);
  return runLinker(arguments, path);
}

/// Text of the author's inside a C comment, which it must neither end nor open
/// again.
static std::string inComment(llvm::StringRef text) {
  std::string safe;
  for (char letter : text) {
    bool closes = letter == '/' && llvm::StringRef(safe).ends_with("*");
    bool opens = letter == '*' && llvm::StringRef(safe).ends_with("/");
    if (closes || opens)
      safe += ' ';
    safe += letter;
  }
  return safe;
}

static void printParams(llvm::raw_ostream &os, llvm::StringRef title,
                        const std::vector<ParamInfo> &params) {
  for (auto [index, param] : llvm::enumerate(params))
    os << " *   " << title << "[" << index << "]  " << param.name << ": "
       << inComment(param.type) << "\n";
}

/// The beginning of a comment: the author's own, or the name.
static void printDoc(llvm::raw_ostream &os, llvm::StringRef name,
                     llvm::StringRef doc) {
  os << "\n/* ";
  llvm::SmallVector<llvm::StringRef> lines;
  (doc.empty() ? name : doc).split(lines, '\n');
  for (llvm::StringRef line : lines)
    os << inComment(line.trim()) << "\n * ";
}

static void printAgent(llvm::raw_ostream &os, const AgentsInfo::Agent &agent) {
  printDoc(os, agent.name, agent.doc);
  std::string members;
  for (const std::string &param : agent.params)
    members += (members.empty() ? "\"" : ", \"") + param + "\": ...";
  os << "\n *   args_json  {" << inComment(members) << "}\n */\nagt_status "
     << startSymbol(agent.name)
     << "(agt_context *context, const char *run_id,\n"
        "    const char *args_json, char **result_json);\n";
}

std::string agt::host::headerText(const Manifest &manifest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard =
      "AGT_PROGRAM_" + llvm::StringRef(manifest.program).upper() + "_H";
  for (char &letter : guard)
    if (!llvm::isAlnum(letter))
      letter = '_';
  os << "/* " << manifest.program << ".h - written by agtc.\n"
     << " *\n"
     << " * Make a context with agt_context_create, call a graph with its\n"
     << " * inputs, free each output with agt_tensor_release. A status that "
        "is\n"
     << " * not NULL says what is wrong (agt/runtime.h) and is released with\n"
     << " * agt_status_release.\n"
     << " */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include <agt/"
     << (manifest.agents.agents.empty() ? "runtime" : "agent") << ".h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const GraphInfo &graph : manifest.graphs) {
    if (graph.hidden)
      continue;
    printDoc(os, graph.name, graph.doc);
    os << "\n";
    printParams(os, "in", graph.params);
    printParams(os, "out", graph.results);
    os << " */\nagt_status " << graphSymbol(graph.name)
       << "(agt_context *context, const agt_tensor *in, size_t n_in,\n"
       << "    agt_tensor *out, size_t n_out);\n";
  }
  if (!manifest.agents.agents.empty())
    os << "\n/* Agents run on the step log that the variable AGT_DB names "
          "(sqlite:agt.db).\n"
       << " * `run_id` may be NULL for a new run; the same one again goes on "
          "with it. The\n"
       << " * code of a status is the exit code of a program: 3 while the run "
          "waits for\n"
       << " * an answer or a time. Free *result_json with agt_text_release; "
          "`context` may\n"
       << " * be NULL. */\n";
  for (const AgentsInfo::Agent &agent : manifest.agents.agents)
    printAgent(os, agent);
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
