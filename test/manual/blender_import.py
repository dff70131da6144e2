# Imports what `sinew export` wrote into Blender and compares the vertices that Blender then has with the run file.
#
#   for f in obj ply pc2 mdd glb; do sinew export mix.run --to $f --what all -o out; done
#   blender --background --factory-startup --python test/manual/blender_import.py -- mix.run out
#
# pc2 and mdd go through Blender's Mesh Cache modifier over the OBJ beside them, glb through its shape keys, obj and ply
# are imported frame by frame. Positions must agree to 1e-6 of the scene's size (files hold floats); ends with an error
# where they do not. Blender has z up: the axes of glTF files are turned by its importer, those of others not at all.
import sqlite3
import struct
import sys
from pathlib import Path

import bpy
import numpy as np

np.bool = bool  # the glTF importer of Debian 12's Blender is older than its NumPy

run, folder = sys.argv[sys.argv.index("--") + 1 :][:2]
name = Path(run).stem
database = sqlite3.connect(run)
meta = dict(database.execute("SELECT key, value FROM meta"))
assert meta["compression"] == "none", "run the scene without output.compress"
frames = [
    (time, np.frombuffer(x, "<f8").reshape(-1, 3))
    for time, x in database.execute("SELECT time, positions FROM frame ORDER BY step")
]
scale = {"cm": 100, "mm": 1000}.get(meta.get("units"), 1)  # of all files but glTF's
rate = (len(frames) - 1) / (frames[-1][0] - frames[0][0])
size = np.ptp(np.concatenate([x for _, x in frames]), axis=0).max()
worst = {}


def word(text):
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in text)


skins = {}
if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'skin'").fetchone():
    skins = {row[0]: row[1:] for row in database.execute("SELECT body, rest, carriers, weights FROM skin")}


def shown(body):
    """What is exported of a body, as a function of all nodes: the vertices of its skin, carried by some nodes each, or
    the nodes of its surface and ropes, in order."""
    first, count = map(int, meta[f"body.{body}.nodes"].split())
    if body in skins:
        rest, carriers, weights = skins[body]
        if not carriers:  # vertices are nodes
            nodes = first + np.arange(len(rest) // 24)
            return lambda x: x[nodes]
        vertices = len(rest) // 24  # four nodes each, more where weights are smooth
        nodes = first + np.frombuffer(carriers, "<i4").reshape(vertices, -1)
        weights = np.frombuffer(weights, "<f8").reshape(vertices, -1, 1)
        return lambda x: (weights * x[nodes]).sum(axis=1)
    used = np.zeros(count, bool)
    for kind in ("surface", "edges"):
        used[np.frombuffer(meta[f"body.{body}.{kind}"], "<i4")] = True
    nodes = first + np.flatnonzero(used)
    return lambda x: x[nodes]


bodies = {word(meta[f"body.{b}.name"]): shown(b) for b in range(int(meta["bodies"]))}


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(rate)


def vertices(thing):
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    matrix = np.array(thing.matrix_world)
    return x.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def note(what, found, wanted):
    error = np.abs(found - wanted).max() / size
    worst[what] = max(worst.get(what, 0), error)


def caches(kind):
    for body, points in bodies.items():
        clear()
        bpy.ops.wm.obj_import(
            filepath=f"{folder}/{name}.{body}.obj", forward_axis="Y", up_axis="Z", validate_meshes=False
        )
        thing = bpy.context.selected_objects[0]
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = kind.upper()
        cache.filepath = f"{folder}/{name}.{body}.{kind}"
        cache.frame_start = 0
        for i, (_, x) in enumerate(frames):
            bpy.context.scene.frame_set(i)
            note(kind, vertices(thing) / scale, points(x))


def gltf():
    clear()
    bpy.ops.import_scene.gltf(filepath=f"{folder}/{name}.glb", merge_vertices=False)
    assert bpy.data.cameras, "no camera"
    for body, points in bodies.items():
        thing = bpy.data.objects[body]
        bpy.context.scene.frame_set(0)
        y_up = meta.get("up", "y") == "y"
        turned = [points(x)[:, [0, 2, 1]] * [1, -1, 1] if y_up else points(x) for _, x in frames]
        start = vertices(thing)  # corners are split at creases: which vertex is which, the first frame tells
        owner = [int(np.abs(turned[0] - p).max(axis=1).argmin()) for p in start]
        for i, x in enumerate(turned):
            bpy.context.scene.frame_set(i)
            note("glb", vertices(thing), x[owner])


def sequence(kind):
    for i, (_, x) in enumerate(frames):
        clear()
        path = f"{folder}/{name}.{i:04d}.{kind}"
        if kind == "obj":
            bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z", validate_meshes=False)
            for body, points in bodies.items():
                note(kind, vertices(bpy.data.objects[body]) / scale, points(x))
        else:
            bpy.ops.import_mesh.ply(filepath=path)
            wanted = np.concatenate([points(x) for points in bodies.values()])
            note(kind, vertices(bpy.context.selected_objects[0])[: len(wanted)] / scale, wanted)


for kind in ("pc2", "mdd"):
    if list(Path(folder).glob(f"{name}.*.{kind}")):
        caches(kind)
if Path(f"{folder}/{name}.glb").exists():
    gltf()
for kind in ("obj", "ply"):
    if list(Path(folder).glob(f"{name}.0000.{kind}")):
        sequence(kind)

print(f"Blender {bpy.app.version_string}, {len(frames)} frames, {sum(len(points(frames[0][1])) for points in bodies.values())} vertices of bodies")
for kind, error in worst.items():
    print(f"{kind}: largest difference {error:.2e} of the scene's size {'' if error < 1e-6 else 'TOO LARGE'}")
sys.stdout.flush()
if not worst or max(worst.values()) >= 1e-6:
    sys.exit(1)
