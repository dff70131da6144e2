# An animated figure that Blender makes and exports, two skinned meshes with a skeleton each, as a moving obstacle: is it
# where Blender has it?
#
#   blender --background --factory-startup --python test/manual/blender_skins.py -- build/sinew
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

np.bool = bool  # the glTF exporter of Debian 12's Blender is older than its NumPy

sinew = Path(sys.argv[sys.argv.index("--") + 1]).resolve()
LAST = 12
SCENE = """
time: {step: 1/30, frames: 12}
bodies: [{mesh: {box: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}, place: {move: [0.5, 5, 3]}}]
obstacles: [{name: figure, type: mesh, mesh: {file: figure.glb}, motion: {cache: figure.glb, rate: 30}}]
"""


def limb(number):
    """A cylinder along z that bends at its middle."""
    x = 2 * number
    bpy.ops.mesh.primitive_cylinder_add(vertices=12, radius=0.2, depth=2, location=(x, 0, 1))
    mesh = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.armature_add(location=(x, 0, 0))
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    upper = rig.data.edit_bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), rig.data.edit_bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    mesh.select_set(True)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    bone = rig.pose.bones["upper"]
    for frame in range(0, LAST + 1, 3):
        angle = (number + 1) * 0.08 * frame
        bone.rotation_quaternion = (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    data = rig.animation_data
    action, track = data.action, data.nla_tracks.new()  # tracks of one name are one animation of the file
    track.name = "walk"
    track.strips.new("walk", 0, action)
    data.action = None
    return mesh


def where(meshes, frame):
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points = []
    for m in meshes:
        points += [m.matrix_world @ v.co for v in m.evaluated_get(depsgraph).to_mesh().vertices]
    return np.array([(p.x, p.z, -p.y) for p in points])  # glTF has y upwards


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 30, 0, LAST
meshes = [limb(0), limb(1)]
worst = 0
with tempfile.TemporaryDirectory() as folder:
    bpy.ops.export_scene.gltf(filepath=f"{folder}/figure.glb", export_format="GLB", export_force_sampling=True)
    Path(folder, "scene.yaml").write_text(SCENE)
    subprocess.run([sinew, "run", "scene.yaml", "--quiet"], cwd=folder, check=True)
    subprocess.run([sinew, "export", "scene.run", "--to", "pc2", "--what", "all"], cwd=folder, check=True)
    cache = Path(folder, "scene", "scene.figure.pc2").read_bytes()
    count = struct.unpack_from("<i", cache, 16)[0]
    frames = np.frombuffer(cache, "<f4", offset=32).reshape(-1, count, 3)
    for frame, points in enumerate(frames):
        wanted = where(meshes, frame)
        assert len(wanted) == count, f"{count} vertices, Blender has {len(wanted)}"
        apart = np.abs(points[:, None] - wanted[None]).max(axis=2).min(axis=1)
        worst = max(worst, apart.max())
print(f"{count} vertices, {len(frames)} frames: at most {worst:.1e} m from where Blender has them")
sys.stdout.flush()
sys.exit(int(worst > 1e-6))
