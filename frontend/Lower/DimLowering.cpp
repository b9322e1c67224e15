#include "frontend/Lower/DimLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace agt;
using namespace mlir;
using agt::sema::DimAtom;

Value DimLowering::constant(int64_t value, Location loc) {
  Value &slot = constants[value];
  if (!slot)
    slot = arith::ConstantIndexOp::create(builder, loc, value);
  return slot;
}

/// a / b and a % b, where 0 and a stand for those by 0: `arith` leaves them
/// undefined.
Value DimLowering::divide(const DimAtom &atom, Location loc) {
  bool quotient = atom.kind == DimAtom::Quotient;
  Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
  auto apply = [&](Value divisor) -> Value {
    if (quotient)
      return arith::DivSIOp::create(builder, loc, a, divisor);
    return arith::RemSIOp::create(builder, loc, a, divisor);
  };
  if (atom.rhs->constant())
    return apply(b);
  Value zero = constant(0, loc), one = constant(1, loc);
  Value byZero =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, b, zero);
  Value divisor = arith::SelectOp::create(builder, loc, byZero, one, b);
  return arith::SelectOp::create(builder, loc, byZero, quotient ? zero : a,
                                 apply(divisor));
}

// Quotients nest no deeper than DimContext allows.
Value DimLowering::lower(const DimAtom &atom, Location loc) {
  if (Value known = atoms.lookup(&atom))
    return known;
  Value value;
  switch (atom.kind) {
  case DimAtom::Name:
    value = lowerName(atom.name, loc);
    break;
  case DimAtom::Quotient:
  case DimAtom::Remainder:
    value = divide(atom, loc);
    break;
  case DimAtom::Max: {
    Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
    value = arith::MaxSIOp::create(builder, loc, a, b);
    break;
  }
  case DimAtom::Min: {
    Value a = lower(atom.lhs, loc), b = lower(atom.rhs, loc);
    value = arith::MinSIOp::create(builder, loc, a, b);
    break;
  }
  }
  return atoms[&atom] = value;
}

Value DimLowering::lower(const sema::Monomial &monomial, Location loc) {
  Value product;
  for (auto [atom, power] : monomial.factors) {
    Value factor = lower(*atom, loc);
    for (unsigned i = 0; i < power; ++i)
      product =
          product
              ? arith::MulIOp::create(builder, loc, product, factor).getResult()
              : factor;
  }
  return product;
}

Value DimLowering::lower(sema::Dim dim, Location loc) {
  if (std::optional<int64_t> value = dim->constant())
    return constant(*value, loc);
  if (Value known = dims.lookup(dim))
    return known;
  Value sum;
  for (const auto &[monomial, coefficient] : dim->terms()) {
    Value term =
        monomial.isOne() ? constant(coefficient, loc) : lower(monomial, loc);
    if (!monomial.isOne() && coefficient != 1)
      term =
          arith::MulIOp::create(builder, loc, term, constant(coefficient, loc));
    sum =
        sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  return dims[dim] = sum;
}
