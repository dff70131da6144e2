# Reads with VTK what `sinew export --to vtu` wrote, and compares it with the run file; then writes every variant of
# VTK's own writers of a grid, which `sinew` must read as the same mesh.
#
#   sinew export mix.run --to vtu --what all -o out
#   /usr/bin/python3 test/manual/vtk_read.py build/sinew mix.run out      (Debian: apt install python3-vtk9)
import itertools
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import vtk

sinew, run, folder = sys.argv[1:4]
database = sqlite3.connect(run)
meta = dict(database.execute("SELECT key, value FROM meta"))
assert meta["compression"] == "none", "run the scene without output.compress"
scale = {"cm": 100, "mm": 1000}.get(meta.get("units"), 1)


def read(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


worst = frames = 0
for step, (x, v) in enumerate(database.execute("SELECT positions, velocities FROM frame ORDER BY step")):
    grid = read(f"{folder}/{Path(run).stem}.{step:04d}.vtu")
    positions = struct.unpack(f"<{len(x) // 8}d", x)
    velocities = struct.unpack(f"<{len(v) // 8}d", v)
    field = grid.GetPointData().GetArray("velocity")
    for node in range(len(positions) // 3):
        there, speed = grid.GetPoint(node), field.GetTuple(node)
        for c in range(3):
            wanted, fast = scale * positions[3 * node + c], scale * velocities[3 * node + c]
            worst = max(worst, abs(there[c] - wanted), abs(speed[c] - fast))
    for name in ("volume_ratio", "stretch", "body"):
        assert grid.GetCellData().GetArray(name).GetNumberOfTuples() == grid.GetNumberOfCells()
    frames += 1
print(f"{frames} frames, {grid.GetNumberOfPoints()} points, {grid.GetNumberOfCells()} cells: at most {worst:g} apart")
assert worst == 0

with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    wanted, count = set(), 0
    for mode, encode, zlib, header, order in itertools.product((0, 1, 2), (0, 1), (0, 1), (32, 64), (0, 1)):
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName("a.vtu")
        writer.SetDataMode(mode)
        writer.SetEncodeAppendedData(encode)
        writer.SetCompressorTypeToZLib() if zlib else writer.SetCompressorTypeToNone()
        writer.SetHeaderType(header)
        writer.SetByteOrder(order)
        if zlib and header == 32:
            writer.SetBlockSize(512)  # several blocks
        writer.Write()
        subprocess.run([sinew, "mesh", "convert", "a.vtu", "a.vtk"], check=True, stdout=subprocess.DEVNULL)
        wanted.add(Path("a.vtk").read_bytes())
        count += 1
    print(f"{count} variants of VTK's writer are read as {len(wanted)} mesh")
    assert len(wanted) == 1
