#!/usr/bin/env python3
"""Makes sinew/_api.py, the C library's types and functions for ctypes, from its headers.

Usage: make_api.py INCLUDE_DIR OUT. The headers are written such that a few expressions can read them: one declaration
after the other, types named Sn..., functions behind SN_API.
"""
import re
import sys

HEADERS = ["base", "parameter", "mesh", "material", "dissipation", "obstacle", "load", "actuator", "world", "field", "probe", "scene", "run"]
SCALARS = {"int": "c_int", "double": "c_double", "float": "c_float", "bool": "c_bool", "size_t": "c_size_t", "int64_t": "c_int64",
           "uint64_t": "c_uint64", "char": "c_char", "void": None, "unsigned char": "c_ubyte"}


def read(folder):
    texts = []
    for name in HEADERS:
        try:
            with open(f"{folder}/sinew/{name}.h") as file:
                texts.append(file.read())
        except FileNotFoundError:
            pass
    text = re.sub(r"//[^\n]*", "", "\n".join(texts))
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    return re.sub(r'extern "C" \{', "", text)


def ctype(base, stars):
    """The ctypes type of a C type with so many asterisks."""
    base = re.sub(r"\b(const|struct|enum)\b", "", base).strip()
    if stars and base == "char":
        return "c_char_p" if stars == 1 else pointer("c_char_p", stars - 1)
    if stars and base == "void":
        return "c_void_p" if stars == 1 else pointer("c_void_p", stars - 1)
    if base in SCALARS:
        return pointer(SCALARS[base], stars) if stars else str(SCALARS[base])
    if base in enums:
        return pointer("c_int", stars)
    if base in structs:
        return pointer(base, stars)
    return pointer("c_void_p", stars - 1) if stars else "c_void_p"  # opaque handles, types that nobody reads


def pointer(name, stars):
    for _ in range(stars):
        name = f"POINTER({name})"
    return name


def constant(text):
    return text if text.isdigit() else f"{text}"


def fields(body):
    """Names and types of a struct's members."""
    result = []
    body = re.sub(r"union \{.*?\} (\w+);", r"double \1[8];", body, flags=re.S)  # the room of SnOwn
    for statement in body.split(";"):
        statement = " ".join(statement.split())
        if not statement:
            continue
        function = re.match(r".*\(\*(\w+)\)\s*\(.*\)$", statement)
        if function:
            result.append((function[1], "c_void_p"))
            continue
        match = re.match(r"((?:const |struct |unsigned )*\w+(?: const)?)\s*(.*)$", statement)
        for part in match[2].split(","):
            name = re.match(r"\s*((?:\*|\bconst\b|\s)*)(\w+)\s*((?:\[\w+\])*)\s*$", part)
            kind = ctype(match[1], name[1].count("*"))
            for count in reversed(re.findall(r"\[(\w+)\]", name[3])):
                kind = f"({kind} * {constant(count)})"
            result.append((name[2], kind))
    return result


def arguments(text):
    result = []
    for part in text.split(","):
        part = " ".join(part.split())
        if part in ("", "void"):
            continue
        array = re.match(r"(.*?)\s*(\w+)\[\w*\]$", part)
        if array:
            part = f"{array[1]}* {array[2]}"
        match = re.match(r"((?:const |struct )*\w+(?: const)?)\s*((?:\*|\s|\bconst\b)*)(\w*)$", part)
        result.append(ctype(match[1], match[2].count("*")))
    return result


def soname(folder):
    """The library's name for the linker, by the version in the project's CMakeLists.txt."""
    with open(f"{folder}/../CMakeLists.txt") as file:
        major, minor = re.search(r"project\(sinew VERSION (\d+)\.(\d+)", file.read()).groups()
    return f"libsinew.so.{major}" if major != "0" else f"libsinew.so.0.{minor}"


def main():
    global enums, structs
    text = read(sys.argv[1])
    enums = set(re.findall(r"typedef enum (\w+)", text))
    structs = dict(re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, flags=re.S))
    out = ['"""Made from the headers of the C library by make_api.py."""',
           "from ctypes import *  # noqa: F403", "", f'SONAME = "{soname(sys.argv[1])}"']
    for body in re.findall(r"enum \w*\s*\{(.*?)\}", text, flags=re.S):
        value = -1
        for item in body.split(","):
            item = item.strip()
            if not item:
                continue
            name, _, given = item.partition("=")
            value = int(given, 0) if given else value + 1
            out.append(f"{name.strip()} = {value}")
    out.append("")
    for name in structs:
        out.append(f"class {name}(Structure):\n    pass\n")
    for name, body in structs.items():
        rows = ", ".join(f'("{n}", {k})' for n, k in fields(body))
        out.append(f"{name}._fields_ = [{rows}]")
    out.append(f"\nSTRUCTS = [{', '.join(structs)}]\n\n\ndef declare(library):")
    for kind, name, args in re.findall(r"SN_API ((?:const )?\w+\s*\**)\s*(\w+)\(([^;]*?)\);", text, flags=re.S):
        base = kind.replace("*", "").strip()
        result = ctype(base, kind.count("*")) if base != "void" or "*" in kind else "None"
        out.append(f"    library.{name}.restype = {result}\n    library.{name}.argtypes = [{', '.join(arguments(args))}]")
    out.append("    return library\n")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(out))


main()
