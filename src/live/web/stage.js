// One run on the screen: bodies, obstacles, contacts, as the last frame that came has them.
import * as THREE from "./three.module.min.js";
import { makeCamera } from "./camera.js";

const COLOURS = [0xd9694f, 0x4f8fd9, 0x6fb36a, 0xd9a94f, 0x9a76c9, 0x4fb8b3, 0xc9769f, 0x8a8f98];
// From blue over grey to red, as good in grey.
const SCALE = [[0.16, 0.24, 0.62], [0.25, 0.55, 0.78], [0.80, 0.83, 0.80], [0.93, 0.62, 0.30], [0.70, 0.10, 0.12]];

export function scaleColour(t) {
    const s = Math.max(0, Math.min(1, t)) * (SCALE.length - 1), i = Math.min(SCALE.length - 2, Math.floor(s)), f = s - i;
    return [0, 1, 2].map((c) => SCALE[i][c] + f * (SCALE[i + 1][c] - SCALE[i][c]));
}

// The scale in 1024 parts, so that a colour of a node is looked up.
const STEPS = 1024, TABLE = new Float32Array(3 * STEPS);
for (let i = 0; i < STEPS; i++) TABLE.set(new THREE.Color().setRGB(...scaleColour(i / (STEPS - 1)), THREE.SRGBColorSpace).toArray(), 3 * i);

function fillColours(field, [low, high], colours) {
    const factor = (STEPS - 1) / (high - low || 1);
    for (let i = 0; i < field.length; i++) {
        const k = 3 * Math.max(0, Math.min(STEPS - 1, Math.round((field[i] - low) * factor) || 0));
        colours[3 * i] = TABLE[k];
        colours[3 * i + 1] = TABLE[k + 1];
        colours[3 * i + 2] = TABLE[k + 2];
    }
}

// Of the nodes, by the areas of their triangles: what three.js has, without an object for each corner.
function findNormals(geometry) {
    const p = geometry.attributes.position.array, t = geometry.index.array;
    if (!geometry.attributes.normal) geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(p.length), 3));
    const n = geometry.attributes.normal.array.fill(0);
    for (let k = 0; k < t.length; k += 3) {
        const a = 3 * t[k], b = 3 * t[k + 1], c = 3 * t[k + 2];
        const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
        const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        n[a] += x; n[a + 1] += y; n[a + 2] += z;
        n[b] += x; n[b + 1] += y; n[b + 2] += z;
        n[c] += x; n[c + 1] += y; n[c + 2] += z;
    }
    for (let i = 0; i < n.length; i += 3) {
        const length = Math.sqrt(n[i] * n[i] + n[i + 1] * n[i + 1] + n[i + 2] * n[i + 2]) || 1;
        n[i] /= length; n[i + 1] /= length; n[i + 2] /= length;
    }
    geometry.attributes.normal.needsUpdate = true;
}

// A rope is met by a pointer that is so near to it, as a part of how far away it is: some pixels.
const NEAR = 0.005;

// How much of the first, and of the other, is in a point between them.
function along(a, b, point) {
    const ab = b.clone().sub(a), t = Math.max(0, Math.min(1, point.clone().sub(a).dot(ab) / (ab.lengthSq() || 1)));
    return [1 - t, t, 0];
}

export class Stage {
    constructor(parent, show, index, arrays, orbit) {
        this.show = show;
        this.index = index;
        this.holder = document.createElement("div");
        this.holder.className = "stage";
        parent.append(this.holder);
        this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.holder.append(this.renderer.domElement);
        this.scene = new THREE.Scene();
        this.scene.background = new THREE.Color(0xe9ecf0);
        this.camera = makeCamera();
        this.bodies = show.bodies.map((body, i) => this.addBody(body, i, arrays));
        this.obstacles = show.obstacles.map((obstacle) => this.addObstacle(obstacle, arrays));
        this.addLights();
        this.contacts = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
        this.contacts.frustumCulled = false;
        this.scene.add(this.contacts);
        this.line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: 0xcc2222, depthTest: false }));
        this.line.visible = false;
        this.line.frustumCulled = false;
        this.scene.add(this.line);
        this.held = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0x14171c, size: 5, sizeAttenuation: false, depthTest: false }));
        this.held.visible = false;
        this.held.frustumCulled = false;
        this.scene.add(this.held);
        this.orbit = orbit;
        this.dirty = true;
        this.options = { wire: false, flat: false, ground: true };
        this.resize();
    }

    addLights() {
        this.sky = new THREE.HemisphereLight(0xffffff, 0x9aa0a8, 1.6);
        this.scene.add(this.sky);
        this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -0.0005;
        this.sun.shadow.normalBias = 0.02;
        this.scene.add(this.sun, this.sun.target);
    }

    addBody(body, i, arrays) {
        const geometry = new THREE.BufferGeometry(), positions = new Float32Array(3 * body.nodes);
        geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
        const colour = COLOURS[i % COLOURS.length];
        let mesh;
        if (body.triangles.count > 0) {
            geometry.setIndex(new THREE.BufferAttribute(arrays.ints(body.triangles.at, body.triangles.count).slice(), 1));
            mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6, side: THREE.DoubleSide }));
            mesh.castShadow = mesh.receiveShadow = true;
        } else {
            geometry.setIndex(new THREE.BufferAttribute(arrays.ints(body.edges.at, body.edges.count).slice(), 1));
            mesh = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour, linewidth: 2 }));
        }
        mesh.frustumCulled = false;
        this.scene.add(mesh);
        const numbers = arrays.ints(body.numbers.at, body.numbers.count).slice();
        return { body, mesh, positions, colour, numbers, wire: null, field: null };
    }

    addObstacle(obstacle, arrays) {
        const material = new THREE.MeshStandardMaterial({ color: 0xb9c0c9, roughness: 0.9, side: THREE.DoubleSide, flatShading: obstacle.type === "box" });
        let geometry;
        if (obstacle.plane) {
            geometry = new THREE.CircleGeometry(1, 64);
        } else {
            geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(arrays.floats(obstacle.vertices.at, obstacle.vertices.count).slice(), 3));
            geometry.setIndex(new THREE.BufferAttribute(arrays.ints(obstacle.triangles.at, obstacle.triangles.count).slice(), 1));
            geometry.computeVertexNormals();
        }
        const mesh = new THREE.Mesh(geometry, material), holder = new THREE.Group();
        mesh.receiveShadow = true;
        mesh.castShadow = !obstacle.plane;
        mesh.frustumCulled = false;
        holder.matrixAutoUpdate = false;
        holder.add(mesh);
        this.scene.add(holder);
        return { obstacle, mesh, holder };
    }

    // Everything that is not endless, nor so large that bodies would be lost in it; where all are on the shelf, room for them.
    box() {
        const box = new THREE.Box3(), there = this.bodies.filter((b) => !b.away);
        for (const b of there.length ? there : this.bodies) {
            b.mesh.geometry.computeBoundingBox();
            box.union(b.away ? b.mesh.geometry.boundingBox.clone().expandByScalar(0.3 * b.body.size) : b.mesh.geometry.boundingBox);
        }
        const size = box.getSize(new THREE.Vector3()).length();
        for (const o of this.obstacles) {
            if (o.obstacle.plane) continue;
            const one = new THREE.Box3().setFromObject(o.holder, true);
            if (one.getSize(new THREE.Vector3()).length() < 3 * size) box.union(one);
        }
        return box;
    }

    // Over the middle of everything, where something of this height has room; or below it.
    above(height) {
        const box = this.box(), centre = box.getCenter(new THREE.Vector3()), half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5), up = this.orbit.up;
        const reach = Math.abs(up.x) * half.x + Math.abs(up.y) * half.y + Math.abs(up.z) * half.z;
        return centre.addScaledVector(up, Math.sign(height) * reach + 0.6 * height);
    }

    size() {
        return Math.max(1e-6, this.extent.getSize(new THREE.Vector3()).length());
    }

    placePlanes(box) {
        const size = this.size(), centre = box.getCenter(new THREE.Vector3());
        for (const o of this.obstacles) {
            if (!o.obstacle.plane) continue;
            const normal = new THREE.Vector3(...o.obstacle.normal).normalize(), point = new THREE.Vector3(...o.obstacle.point);
            o.mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
            o.mesh.position.copy(centre).addScaledVector(normal, -normal.dot(centre.clone().sub(point)));
            o.mesh.scale.setScalar(16 * size);
        }
        const { up, beside, ahead } = this.orbit;
        this.sun.position.copy(centre).addScaledVector(beside, 0.75 * size).addScaledVector(up, 2.4 * size).addScaledVector(ahead, 1.2 * size);
        this.sun.target.position.copy(centre);
        this.sky.position.copy(up);
        const s = this.sun.shadow.camera;
        s.left = s.bottom = -1.5 * size;
        s.right = s.top = 1.5 * size;
        s.near = 0.01 * size;
        s.far = 6 * size;
        s.updateProjectionMatrix();
    }

    // A frame that has come.
    update(data, arrays) {
        this.frame = data.frame;
        this.step = data.step;
        this.time = data.time;
        for (const row of data.bodies) if (row) this.updateBody(row, arrays);
        data.obstacles.forEach((row, k) => this.updateObstacle(this.obstacles[k], row, arrays));
        this.updateContacts(data.contacts, arrays);
        if (!this.fitted) {
            this.fitted = true;
            this.extent = this.box();
            this.placePlanes(this.extent);
            this.scene.fog = new THREE.Fog(0xe9ecf0, 6 * this.size(), 16 * this.size());
        }
        this.dirty = true;
    }

    updateBody(row, arrays) {
        const b = this.bodies[row.body], n = b.body.nodes, q = arrays.shorts(row.at, 3 * n);
        const p = b.positions, [x, y, z] = row.low, [sx, sy, sz] = row.size.map((s) => s / 65535);
        for (let i = 0; i < 3 * n; i += 3) {
            p[i] = x + sx * q[i];
            p[i + 1] = y + sy * q[i + 1];
            p[i + 2] = z + sz * q[i + 2];
        }
        b.away = sx === 0 && sy === 0 && sz === 0; // on the shelf: all in one point
        b.mesh.geometry.attributes.position.needsUpdate = true;
        b.mesh.geometry.boundingSphere = null;
        if (b.body.triangles.count > 0) findNormals(b.mesh.geometry);
        b.field = row.field === undefined ? null : arrays.floats(row.field, n).slice();
    }

    updateObstacle(o, row, arrays) {
        const r = row.rotation, s = row.shift;
        o.holder.matrix.set(r[0], r[1], r[2], s[0], r[3], r[4], r[5], s[1], r[6], r[7], r[8], s[2], 0, 0, 0, 1);
        if (!row.vertices) return;
        o.mesh.geometry.attributes.position.array.set(arrays.floats(row.vertices.at, row.vertices.count));
        o.mesh.geometry.attributes.position.needsUpdate = true;
        o.mesh.geometry.computeVertexNormals();
    }

    updateContacts(contacts, arrays) {
        const geometry = this.contacts.geometry, count = contacts ? contacts.count / 9 : 0;
        this.contacts.visible = count > 0;
        if (count === 0) return;
        const values = arrays.floats(contacts.at, contacts.count), points = [], colours = [];
        let most = 0;
        for (let i = 0; i < count; i++) most = Math.max(most, Math.hypot(values[9 * i + 3], values[9 * i + 4], values[9 * i + 5]));
        const scale = most > 0 ? (0.15 * this.orbit.distance) / most : 0;
        for (let i = 0; i < count; i++) {
            const p = values.subarray(9 * i, 9 * i + 3);
            for (const [k, colour] of [[3, [0.1, 0.25, 0.8]], [6, [0.85, 0.35, 0.05]]]) {
                points.push(...p, ...[0, 1, 2].map((c) => p[c] + scale * values[9 * i + k + c]));
                colours.push(...colour, ...colour);
            }
        }
        geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
        geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
        this.placeHeads(points, colours);
    }

    // The head of an arrow for each line.
    placeHeads(points, colours) {
        const count = points.length / 6, least = 1e-3 * this.orbit.distance;
        if (!this.heads || this.heads.instanceMatrix.count < count) {
            if (this.heads) { this.contacts.remove(this.heads); this.heads.dispose(); }
            this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(0.35, 1, 10).translate(0, -0.5, 0), new THREE.MeshBasicMaterial({ depthTest: false }), 2 * count);
            this.heads.frustumCulled = false;
            this.heads.renderOrder = 2;
            this.contacts.add(this.heads);
        }
        const up = new THREE.Vector3(0, 1, 0), turn = new THREE.Quaternion(), matrix = new THREE.Matrix4();
        let shown = 0;
        for (let i = 0; i < count; i++) {
            const tip = new THREE.Vector3().fromArray(points, 6 * i + 3), along = tip.clone().sub(new THREE.Vector3().fromArray(points, 6 * i));
            const length = along.length(), size = Math.min(0.4 * length, 0.02 * this.orbit.distance);
            if (!(length > least)) continue;
            turn.setFromUnitVectors(up, along.divideScalar(length));
            this.heads.setMatrixAt(shown, matrix.compose(tip, turn, new THREE.Vector3(size, size, size)));
            this.heads.setColorAt(shown++, new THREE.Color().fromArray(colours, 6 * i));
        }
        this.heads.count = shown;
        this.heads.instanceMatrix.needsUpdate = true;
        if (this.heads.instanceColor) this.heads.instanceColor.needsUpdate = true;
    }

    // Of what is seen.
    range() {
        let low = Infinity, high = -Infinity;
        for (const { field, away } of this.bodies) {
            for (let i = 0; field && !away && i < field.length; i++) {
                if (field[i] < low) low = field[i];
                if (field[i] > high) high = field[i];
            }
        }
        return low <= high ? [low, high] : null;
    }

    // Colours of nodes by their field, between the ends of a range; null: one for each body.
    colour(range) {
        for (const b of this.bodies) {
            const fielded = range && b.field;
            if (b.mesh.material.vertexColors !== !!fielded) {
                b.mesh.material.vertexColors = !!fielded;
                b.mesh.material.color.set(fielded ? 0xffffff : b.colour);
                b.mesh.material.needsUpdate = true;
            }
            if (!fielded) continue;
            b.colours = b.colours?.length === 3 * b.field.length ? b.colours : new Float32Array(3 * b.field.length);
            fillColours(b.field, range, b.colours);
            const known = b.mesh.geometry.attributes.color;
            if (known?.array === b.colours) known.needsUpdate = true;
            else b.mesh.geometry.setAttribute("color", new THREE.BufferAttribute(b.colours, 3));
        }
        this.dirty = true;
    }

    set(options) {
        Object.assign(this.options, options);
        for (const b of this.bodies) {
            if (b.body.triangles.count === 0) continue;
            b.mesh.material.flatShading = this.options.flat;
            b.mesh.material.needsUpdate = true;
            if (this.options.wire && !b.wire) {
                b.wire = new THREE.Mesh(b.mesh.geometry, new THREE.MeshBasicMaterial({ color: 0x1c2430, wireframe: true, transparent: true, opacity: 0.35 }));
                b.wire.frustumCulled = false;
                this.scene.add(b.wire);
            }
            if (b.wire) b.wire.visible = this.options.wire;
        }
        for (const o of this.obstacles) o.holder.visible = this.options.ground;
        this.dirty = true;
    }

    // From the camera through a point of the canvas.
    ray(x, y) {
        const ray = new THREE.Raycaster(), box = this.renderer.domElement.getBoundingClientRect();
        ray.setFromCamera(new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
        return ray;
    }

    // The triangle that is drawn under a point of the canvas, or the piece of a rope, and where it is met; null: none.
    pick(x, y) {
        const ray = this.ray(x, y);
        let best = null;
        ray.params.Line.threshold = NEAR * this.orbit.distance;
        this.bodies.forEach((b, index) => {
            b.mesh.geometry.computeBoundingSphere();
            const hit = b.away ? null : ray.intersectObject(b.mesh)[0];
            if (hit && (!best || hit.distance < best.distance)) best = { ...hit, body: index };
        });
        if (!best) return null;
        const { positions, mesh } = this.bodies[best.body], at = (i) => new THREE.Vector3().fromArray(positions, 3 * i);
        const [a, b, c] = best.face ? [best.face.a, best.face.b, best.face.c] : [0, 1, 1].map((k) => mesh.geometry.index.getX(best.index + k));
        const weights = best.face ? new THREE.Triangle(at(a), at(b), at(c)).getBarycoord(best.point, new THREE.Vector3())?.toArray() : along(at(a), at(b), best.point);
        return weights && { body: best.body, corners: [a, b, c], weights, point: best.point, distance: best.distance };
    }

    // What was picked, as a simulation wants it: the body, its nodes, and how much of each.
    named(hit) {
        const weights = hit.weights.map((w) => Math.max(0, w)), sum = weights[0] + weights[1] + weights[2], { numbers, body } = this.bodies[hit.body];
        return [hit.body, ...hit.corners.map((i) => numbers[i] - body.first), ...weights.map((w) => w / sum)].join(" ");
    }

    // The obstacle there, of those that have an end, or also of the others.
    pickObstacle(x, y, endless = false) {
        const ray = this.ray(x, y);
        let best = null;
        this.obstacles.forEach((o, index) => {
            const hit = (o.obstacle.plane && !endless) || !o.holder.visible ? null : ray.intersectObject(o.mesh)[0];
            if (hit && (!best || hit.distance < best.distance)) best = { index, point: hit.point, distance: hit.distance };
        });
        return best;
    }

    // The point under the pointer in the plane through `point` that faces the camera.
    drag(x, y, point) {
        const facing = this.camera.getWorldDirection(new THREE.Vector3());
        return this.ray(x, y).ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point), new THREE.Vector3());
    }

    // Draws what is pulled, from where it is to where it is pulled; null: nothing.
    pull(hit, to) {
        this.pulled = hit && { hit, to };
        this.dirty = true;
    }

    // Nodes that are held are marked, of those that are drawn; none: null.
    hold(nodes) {
        this.drawn ??= new Map(this.bodies.flatMap((b) => Array.from(b.numbers, (node, i) => [node, [b, i]])));
        this.holds = (nodes ?? []).map((node) => this.drawn.get(node)).filter(Boolean);
        this.dirty = true;
    }

    drawHeld() {
        this.held.visible = this.holds?.length > 0;
        if (!this.held.visible) return;
        const points = new Float32Array(3 * this.holds.length);
        this.holds.forEach(([b, i], k) => points.set(b.positions.subarray(3 * i, 3 * i + 3), 3 * k));
        this.held.geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    }

    drawPull() {
        const body = this.pulled && this.bodies[this.pulled.hit.body];
        this.line.visible = !!body && !body.away;
        if (!this.line.visible) return;
        const { hit, to } = this.pulled, from = new THREE.Vector3();
        hit.corners.forEach((i, k) => from.addScaledVector(new THREE.Vector3().fromArray(body.positions, 3 * i), hit.weights[k]));
        this.line.geometry.setFromPoints([from, to]);
    }

    resize() {
        const width = this.holder.clientWidth || 1, height = this.holder.clientHeight || 1;
        this.renderer.setPixelRatio(window.devicePixelRatio);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.dirty = true;
    }

    // Without shadows, which are half of the work.
    simplify() {
        this.sun.castShadow = false;
        this.dirty = true;
    }

    // Whether there was anything to draw.
    draw() {
        if (!this.dirty) return false;
        this.dirty = false;
        this.orbit.place(this.camera);
        this.drawPull();
        this.drawHeld();
        this.renderer.render(this.scene, this.camera);
        return true;
    }
}
