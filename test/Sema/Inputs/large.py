"""Writes the programs of large.test into the current directory."""

LINE = "graph f(x: tensor<f32, [N]>) -> tensor<f32, [N]> {\n"
TOO_LARGE = "  // expected-error@-1 {{an expression of dims that is too large}}\n"


def write(name, text):
    with open(name + ".agt", "w") as file:
        file.write(text)


def graph(name, value, expected=""):
    write(name, f"{LINE}  let a = {value};\n{expected}  return x * a;\n}}\n")


write("tensors", LINE + "  return " + " + ".join(["x"] * 100_000) + ";\n}\n")
graph("numbers", " + ".join(["N"] * 200_000) + " + " + " - ".join(["1"] * 1000))
graph("terms", " + ".join(f"N / {i}" for i in range(2, 5000)), TOO_LARGE)
graph("quotients", "N" + "".join(f" / {i} % {i + 7}" for i in range(2, 5000)),
      TOO_LARGE)
graph("product", " * ".join(["N"] * 5000), TOO_LARGE)
graph("deep", "exp(" * 250 + "x" + ")" * 250)
write("graphs", "".join(
    f"graph g{i}(x: tensor<f32, [N]>) -> tensor<f32, [N]> "
    f"{{ return {f'g{i - 1}(x)' if i else 'x'}; }}\n" for i in range(3000)))
DOUBLE = "// expected-note@-1 {{'twice17' has 655357 of them}}\n"
TOO_MANY = ("// expected-error@-1 {{graph 'twice18' has more than 1048576 "
            "operations with those of the graphs that it calls}}\n")
write("calls", LINE.replace(" f(", " twice0(") + "  return exp(x);\n}\n" + "".join(
    f"graph twice{i}(x: tensor<f32, [N]>) -> tensor<f32, [N]> "
    f"{{ return twice{i - 1}(twice{i - 1}(x)); }}\n"
    f"{DOUBLE if i == 17 else TOO_MANY if i == 18 else ''}" for i in range(1, 31)))
write("consts", "const C0 = 1;\n" + "".join(
    f"const C{i} = C{i - 1} + 1;\n" for i in range(1, 20_000)))
write("records", "".join(
    f"record R{i} {{ a: R{i + 1}; }}\n" for i in range(20_000))
    + "record R20000 { a: int; }\n")
write("backward", "".join(
    f"const C{i} = C{i + 1};\n" for i in range(256))
    + "const C256 = C257;\n// expected-error@-1 {{const 'C256' depends on more "
      "than 256 consts that are declared later}}\nconst C257 = 1;\n")
write("wrong", LINE + "".join(f"  let a{i} = y{i};\n" for i in range(20_000))
      + "  return x;\n}\n")
