// See AttentionRunner.h.
#include "unittests/SPIRV/AttentionRunner.h"

#include "codegen/kernels/attention/AttentionAbi.h"

#include <chrono>
#include <cmath>
#include <cstring>

namespace agt::test {

using namespace kernels::attention;

// ---- tensors ---------------------------------------------------------------

static int64_t bytesOf(agt_dtype dtype) { return dtype == AGT_F32 ? 4 : 2; }

RowTensor::RowTensor(agt_dtype dtype, int64_t batches, int64_t heads,
                     int64_t tokens, int64_t dims, bool tokensFirst,
                     int64_t pad)
    : dtype(dtype), batches(batches), heads(heads), tokens(tokens), dims(dims) {
  int64_t row = dims + pad;
  tokenStride = tokensFirst ? heads * row : row;
  headStride = tokensFirst ? row : tokens * row;
  batchStride = heads * tokens * row;
  bytes.resize(batches * batchStride * bytesOf(dtype));
  for (int64_t i = 0; i < elements(); ++i)
    set(i, NAN);
}

int64_t RowTensor::elements() const { return batches * batchStride; }

double RowTensor::get(int64_t index) const {
  const char *p = bytes.data() + index * bytesOf(dtype);
  if (dtype == AGT_F32) {
    float f;
    std::memcpy(&f, p, 4);
    return f;
  }
  if (dtype == AGT_F16) {
    _Float16 h;
    std::memcpy(&h, p, 2);
    return static_cast<float>(h);
  }
  uint32_t bits = 0;
  std::memcpy(reinterpret_cast<char *>(&bits) + 2, p, 2);
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

void RowTensor::set(int64_t index, double value) {
  char *p = bytes.data() + index * bytesOf(dtype);
  float f = static_cast<float>(value);
  if (dtype == AGT_F32) {
    std::memcpy(p, &f, 4);
  } else if (dtype == AGT_F16) {
    _Float16 h = static_cast<_Float16>(f);
    std::memcpy(p, &h, 2);
  } else {
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    if (!std::isnan(f))
      bits += 0x7fff + (bits >> 16 & 1);
    std::memcpy(p, reinterpret_cast<char *>(&bits) + 2, 2);
  }
}

// ---- cases -----------------------------------------------------------------

int64_t AttentionCase::visibleEnd(int64_t query) const {
  if (!spec.terms.causal)
    return keys;
  return std::max<int64_t>(0, std::min(keys, query + causalOffset() + 1));
}

std::string AttentionCase::text() const {
  auto n = [](int64_t x) { return std::to_string(x); };
  return "batch " + n(batch) + ", heads " + n(kvHeads) + " x " + n(group) +
         ", " + n(queries) + " queries, " + n(keys) + " keys, dims " +
         n(headDim) + " and " + n(valueDim) + ", types " + n(spec.q) + " " +
         n(spec.k) + " " + n(spec.v) + " " + n(spec.o) +
         (spec.terms.causal ? topLeft ? ", causal top left" : ", causal" : "") +
         (tokensFirst ? ", tokens first" : "") + ", pad " + n(pad);
}

AttentionData::AttentionData(const AttentionCase &c)
    : q(c.spec.q, c.batch, c.kvHeads * c.group, c.queries, c.headDim,
        c.tokensFirst, c.pad),
      k(c.spec.k, c.batch, c.kvHeads, c.keys, c.headDim, c.tokensFirst, c.pad),
      v(c.spec.v, c.batch, c.kvHeads, c.keys, c.valueDim, c.tokensFirst, c.pad),
      o(c.spec.o, c.batch, c.kvHeads * c.group, c.queries, c.valueDim,
        c.tokensFirst, c.pad) {}

void AttentionData::fill(std::mt19937 &random, double size) {
  std::normal_distribution<double> normal(0, size);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (RowTensor *tensor : {&q, &k, &v})
    for (int64_t b = 0; b < tensor->batches; ++b)
      for (int64_t h = 0; h < tensor->heads; ++h)
        for (int64_t t = 0; t < tensor->tokens; ++t)
          for (int64_t d = 0; d < tensor->dims; ++d)
            tensor->set(tensor->at(b, h, t, d),
                        tensor == &v ? uniform(random) : normal(random));
}

// ---- the device ------------------------------------------------------------

static std::string take(agt_status status) {
  if (!status)
    return "";
  std::string text = agt_status_message(status);
  agt_status_release(status);
  return text.empty() ? "failed" : text;
}

HostKernel::HostKernel(const spirv::KernelCode &code,
                       const std::string &profile) {
  for (const spirv::KernelBinary &v : code.variants) {
    if (!profile.empty() && v.profile != profile)
      continue;
    agt_kernel_variant variant = {};
    words.push_back(v.words);
    variant.code = words.back().data();
    variant.code_bytes = v.words.size() * 4;
    variant.subgroup_size = v.subgroupSize;
    variant.features = v.features;
    variant.min_flops = v.minFlops;
    variant.min_rows = v.minRows;
    std::copy(v.tile.begin(), v.tile.end(), variant.tile);
    variants.push_back(variant);
  }
  kernel.name = "attention";
  kernel.variants = variants.data();
  kernel.n_variants = variants.size();
}

const HostKernel &AttentionDevice::keep(const spirv::KernelCode &code,
                                        const std::string &profile) {
  return kernels.emplace_back(code, profile);
}

AttentionDevice::AttentionDevice() {
  trouble = take(agt_context_create("vulkan", &context));
}
AttentionDevice::~AttentionDevice() { agt_context_destroy(context); }

namespace {

// A plan being recorded: the first thing that goes wrong is kept.
struct Plan {
  agt_run *run = nullptr;
  std::string problem;

  bool ok(agt_status status) {
    std::string text = take(status);
    if (problem.empty())
      problem = text;
    return problem.empty();
  }
  agt_buffer *constant(const std::vector<char> &bytes) {
    agt_buffer *buffer = nullptr;
    ok(agt_graph_constant(run, bytes.data(), bytes.size(), &buffer));
    return buffer;
  }
};

} // namespace

// Runs a plan with one result of `bytes` bytes, whatever they are.
static std::string finish(agt_context *context, agt_dtype dtype,
                          int64_t elements,
                          llvm::function_ref<agt_buffer *(Plan &)> record,
                          std::vector<char> *out, double *seconds) {
  agt_param result = {"o", dtype, 1};
  agt_graph graph = {};
  graph.name = "attention";
  graph.place = "test";
  graph.results = &result;
  graph.n_results = 1;
  Plan plan;
  if (!plan.ok(agt_graph_begin(context, &graph, nullptr, 0, 1, &plan.run)))
    return plan.problem;
  agt_buffer *o = record(plan);
  plan.ok(agt_graph_output(plan.run, 0, o, &elements));
  agt_tensor tensor = {};
  auto start = std::chrono::steady_clock::now();
  if (!plan.ok(agt_graph_end(plan.run, &tensor)))
    return plan.problem;
  if (seconds)
    *seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  if (out && !out->empty())
    std::memcpy(out->data(), tensor.data, out->size());
  agt_tensor_release(&tensor);
  return "";
}

static std::vector<int64_t> scalarsOf(const AttentionCase &c,
                                      const AttentionData &d) {
  int32_t scale;
  std::memcpy(&scale, &c.scale, 4);
  std::vector<int64_t> s(kScalarCount);
  s[kBatch] = c.batch;
  s[kKvHeads] = c.kvHeads;
  s[kGroup] = c.group;
  s[kQueries] = c.queries;
  s[kKeys] = c.keys;
  s[kHeadDim] = c.headDim;
  s[kValueDim] = c.valueDim;
  int64_t at = kQBatchStride;
  for (const RowTensor *t : {&d.q, &d.k, &d.v, &d.o}) {
    s[at++] = t->batchStride;
    s[at++] = t->headStride;
    s[at++] = t->tokenStride;
  }
  s[kScale] = scale;
  s[kOffset] = c.causalOffset();
  return s;
}

std::string AttentionDevice::run(const HostKernel &kernel,
                                 const AttentionCase &c, AttentionData &data,
                                 double flops, double *seconds, int launches) {
  std::vector<int64_t> scalars = scalarsOf(c, data);
  const int64_t work[4] = {c.queries, c.batch * c.kvHeads * c.group,
                           c.batch * c.kvHeads, c.group * c.queries};
  auto record = [&](Plan &plan) {
    agt_buffer *buffers[] = {
        plan.constant(data.q.bytes), plan.constant(data.k.bytes),
        plan.constant(data.v.bytes), plan.constant(data.o.bytes)};
    for (int i = 0; i < launches; ++i)
      plan.ok(agt_graph_launch(plan.run, &kernel.kernel, buffers,
                               c.spec.buffers(), scalars.data(), scalars.size(),
                               work, flops, "attention", "test"));
    return buffers[kO];
  };
  return finish(context, c.spec.o, data.o.elements(), record, &data.o.bytes,
                seconds);
}

std::string AttentionDevice::run(const HostKernel &kernel,
                                 const std::vector<int64_t> &scalars,
                                 int64_t groups, int64_t bytes,
                                 double *seconds) {
  const int64_t work[4] = {groups, 1, 1, 1};
  auto record = [&](Plan &plan) {
    agt_buffer *buffer = nullptr;
    plan.ok(agt_graph_alloc(plan.run, bytes, &buffer));
    plan.ok(agt_graph_launch(plan.run, &kernel.kernel, &buffer, 1,
                             scalars.data(), scalars.size(), work, 0, "peak",
                             "test"));
    return buffer;
  };
  return finish(context, AGT_F32, bytes / 4, record, nullptr, seconds);
}

// ---- the reference ---------------------------------------------------------

// Distance between neighbours of the type around x.
static double lastPlace(agt_dtype dtype, double x) {
  int exponent;
  std::frexp(x, &exponent);
  return dtype == AGT_F16 ? std::ldexp(1, std::max(exponent - 11, -24))
                          : std::ldexp(1, exponent - 8);
}

std::string compareAttention(const AttentionCase &c, const AttentionData &data,
                             int64_t stride) {
  int64_t number = 0;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.kvHeads * c.group; ++h)
      for (int64_t i = 0; i < c.queries; ++i) {
        if (number++ % stride)
          continue;
        const int64_t end = c.visibleEnd(i), kv = h / c.group;
        std::vector<double> x(end);
        double m = -INFINITY, l = 0, reach = 0;
        for (int64_t j = 0; j < end; ++j) {
          double sum = 0, size = 0;
          for (int64_t d = 0; d < c.headDim; ++d) {
            double p = data.q.get(data.q.at(b, h, i, d)) *
                       data.k.get(data.k.at(b, kv, j, d));
            sum += p;
            size += std::fabs(p);
          }
          x[j] = c.scale * sum;
          reach = std::max(reach, std::fabs(c.scale) * size);
          m = std::max(m, x[j]);
        }
        for (double &w : x)
          l += w = std::exp(w - m);
        for (int64_t d = 0; d < c.valueDim; ++d) {
          double want = 0;
          for (int64_t j = 0; j < end; ++j)
            want += x[j] / l * data.v.get(data.v.at(b, kv, j, d));
          double got = data.o.get(data.o.at(b, h, i, d));
          double allowed = c.spec.o == AGT_F32 ? 2e-6 * (1 + reach / 16)
                                               : lastPlace(c.spec.o, want) +
                                                     1e-5 * (1 + reach / 16);
          if (std::isnan(want)   ? std::isnan(got)
              : std::isinf(want) ? got == want
                                 : std::fabs(got - want) <= allowed)
            continue;
          return c.text() + ": head " + std::to_string(h) + ", query " +
                 std::to_string(i) + ", element " + std::to_string(d) +
                 ": got " + std::to_string(got) + ", want " +
                 std::to_string(want) + " within " + std::to_string(allowed);
        }
      }
  // Whatever lies between rows is nobody's.
  for (int64_t i = 0; c.pad && i < data.o.elements(); ++i)
    if (i % (c.valueDim + c.pad) >= c.valueDim && !std::isnan(data.o.get(i)))
      return c.text() + ": wrote between rows, element " + std::to_string(i);
  return "";
}

} // namespace agt::test
