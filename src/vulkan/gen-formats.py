#!/usr/bin/env python3
"""Writes the map of formats from vk.xml: all values of VkFormat in order, and beside them the descriptions
(src/pixels/vtr-pixel-format.h).

Where a component lies in a texel follows from the format's name (the registry's <component> elements
state no positions): components of a name with PACKn fill n-bit words from the most significant bit
down, others follow each other in memory.
"""

import re
import sys
import xml.etree.ElementTree as ET

NUMERIC = {"UNORM", "SNORM", "UINT", "SINT", "USCALED", "SSCALED", "SFLOAT", "UFLOAT", "SRGB"}
# As copies have them.
DEPTH = {16: "VK_FORMAT_D16_UNORM", 24: "VK_FORMAT_X8_D24_UNORM_PACK32", 32: "VK_FORMAT_D32_SFLOAT"}
STENCIL = "VK_FORMAT_S8_UINT"


def components(name, tags):
    """[(channel, bits, numeric)] in the order of the name, padding as channel X; None: the name says it otherwise."""
    out = []
    pending = []
    for word in name[len("VK_FORMAT_"):].split("_"):
        if word in NUMERIC:
            out += [(c, b, word) for c, b in pending]
            pending = []
        elif re.fullmatch(r"(?:[RGBADSXE]\d+)+", word):
            pending += [(c, int(b)) for c, b in re.findall(r"([RGBADSXE])(\d+)", word)]
        elif not re.fullmatch(r"\d*PACK\d+|422", word) and word not in tags:
            return None
    return out if out and not pending else None


def place(parts, word):
    """[(channel, bit offset from the first byte, bits, numeric)]. word: bits; 0: not packed."""
    placed = []
    at = 0
    for channel, bits, numeric in parts:
        if word:
            base = at - at % word
            offset = base + word - at % word - bits
        else:
            offset = at
        at += bits
        if channel != "X":
            placed.append((channel, offset, bits, numeric))
    return placed


def describe_components(node, tags, word):
    if node.find("plane") is not None:
        return []
    parts = None if node.get("compressed") else components(node.get("name"), tags)
    if parts is not None:
        placed = place(parts, word)
        if not any(c[0] in "DS" for c in placed) and sum(p[1] for p in parts) != int(node.get("blockSize")) * 8:
            sys.exit("%s: %u bits in %s bytes" % (node.get("name"), sum(p[1] for p in parts), node.get("blockSize")))
        return placed
    # The registry calls some of them SRGB whose names say SNORM.
    said = [word for word in node.get("name").split("_") if word in NUMERIC]
    found = [(c.get("name"), 0, 0, said[0] if node.get("compressed") and said else c.get("numericFormat"))
             for c in node.iterfind("component")]
    return found if all(c[3] in NUMERIC for c in found) else []


def describe_planes(node):
    """[(aspect, format or None: itself, divisors)]"""
    planes = [("PLANE_" + plane.get("index"), plane.get("compatible"), plane.get("widthDivisor"), plane.get("heightDivisor"))
              for plane in node.iterfind("plane")]
    if planes:
        return planes
    bits = {c.get("name"): c.get("bits") for c in node.iterfind("component")}
    if "D" in bits:
        planes.append(("DEPTH", DEPTH[int(bits["D"])], 1, 1))
    if "S" in bits:
        planes.append(("STENCIL", STENCIL, 1, 1))
    return planes or [("COLOR", None, 1, 1)]


def values(root):
    """Names of formats → values."""
    out = {}
    for enum in root.iterfind("enums[@name='VkFormat']/enum"):
        out[enum.get("name")] = int(enum.get("value") or 0)
    for extension in root.iterfind("extensions/extension"):
        for enum in extension.iterfind("require/enum[@extends='VkFormat']"):
            if enum.get("offset"):
                number = int(enum.get("extnumber") or extension.get("number"))
                out[enum.get("name")] = 1000000000 + (number - 1) * 1000 + int(enum.get("offset"))
    for enum in root.iterfind("feature/require/enum[@extends='VkFormat']"):
        if enum.get("offset"):
            out[enum.get("name")] = (1000000000 + (int(enum.get("extnumber")) - 1) * 1000 +
                                     int(enum.get("offset")))
    return out


def compression(name):
    found = re.match(r"VK_FORMAT_(BC\dH?|ETC2|EAC|ASTC|PVRTC)(?:[12]?_(\w+?)_[A-Z]+_BLOCK)?", name)
    if found is None:
        return "PLAIN"
    kind, channels = found.groups()
    if kind == "BC1":
        return "BC1_" + channels
    if kind == "ETC2":
        return "ETC2_" + {"R8G8B8": "RGB", "R8G8B8A1": "RGB_A1", "R8G8B8A8": "RGBA"}[channels]
    return kind


def ktx_number(name, known):
    """KTX2 leaves out formats whose texels another one names as well: words of four bytes, and integers that are read
    as floats."""
    other = re.sub(r"SCALED", "INT", name)
    if "A8B8G8R8_" in other:
        other = other.replace("A8B8G8R8_", "R8G8B8A8_").replace("_PACK32", "")
    return known.get(other, known[name])


def row(node, tags, index, known):
    packed = re.search(r"_\d*PACK(\d+)", node.get("name"))
    word = int(packed.group(1)) if packed else 0
    placed = describe_components(node, tags, word)
    planes = describe_planes(node)
    cells = ", ".join("{ '%s', %u, %u, VTR_NUMERIC_%s }" % c for c in placed)
    faces = ", ".join("{ %s, VTR_PIXEL_%s, %s, %s }" % (
        "NULL" if name in (None, node.get("name")) else "&formats[%u]" % index[name], aspect, width, height)
        for aspect, name, width, height in planes)
    name = node.get("name")
    return "  { \"%s\", \"%s\", %u, %u, VTR_PIXEL_%s, %s, { %s }, %u, %u, %u, %s,\n    { %s },\n    { %s } }," % (
        name, name[len("VK_FORMAT_"):], known[name], ktx_number(name, known), compression(name), node.get("blockSize"), ", ".join((node.get("blockExtent") or "1,1,1").split(",")), word // 8,
        len(placed), len(planes), "true" if any(c[0] == "E" for c in placed) else "false", cells or "{ 0 }", faces)


def main():
    registry, output = sys.argv[1:]
    root = ET.parse(registry).getroot()
    known = values(root)
    tags = {tag.get("name") for tag in root.iterfind("tags/tag")}
    nodes = sorted((node for node in root.iterfind("formats/format") if node.get("name") in known),
                   key=lambda node: known[node.get("name")])
    index = {node.get("name"): i for i, node in enumerate(nodes)}
    # Formats of Vulkan 1.0 are numbered from 1 without a gap.
    dense = next(i for i, node in enumerate(nodes) if known[node.get("name")] != i + 1)
    lines = ["/* Generated by gen-formats.py from vk.xml. */", "#define N_DENSE %u" % dense, "",
             "const VkFormat vtr_vulkan_formats[] = {", *("  %s," % node.get("name") for node in nodes), "};",
             "const size_t vtr_vulkan_n_formats = %u;" % len(nodes), "",
             "static const VtrPixelFormat formats[%u] = {" % len(nodes), *(row(node, tags, index, known) for node in nodes), "};"]
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
