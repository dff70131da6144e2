// Reads what `sinew export --to usda` wrote with three.js (npm install three), frame by frame, and compares the places
// of all corners with the OBJ files of the same frames, which blender_import.py compares with the run file.
//
//   for i in 0 1 2; do
//     for f in usda obj; do sinew export mix.run --to $f --what all --frames $i:$i -o usd$i; done
//   done
//   node test/manual/usd_read.mjs usd     (in a folder with node_modules; of usd0, usd1 ...)
//
// Positions must agree to 1e-6 of the scene's size. three.js takes the first sample of points only: hence one file each.
import fs from "fs";
import path from "path";
import { createRequire } from "module";
import { pathToFileURL } from "url";

const home = createRequire(path.join(process.cwd(), "x.js"));
const { USDLoader } = await import(pathToFileURL(home.resolve("three/addons/loaders/USDLoader.js")));
const folder = process.argv[2];

function readObj(file) {
    const bodies = {}, all = [];
    let now;
    for (const line of fs.readFileSync(file, "utf8").split("\n")) {
        const [word, ...rest] = line.trim().split(/\s+/);
        if (word === "o") now = bodies[rest[0]] = { used: new Set() };
        if (word === "v") all.push(rest.slice(0, 3).map(Number));
        if (word === "f") for (const corner of rest) now.used.add(parseInt(corner) - 1);
    }
    for (const body of Object.values(bodies)) body.points = [...body.used].map((i) => all[i]);
    const side = (c) => Math.max(...all.map((p) => p[c])) - Math.min(...all.map((p) => p[c]));
    return { bodies, size: Math.max(side(0), side(1), side(2)) };
}

// The largest distance of a place of one list from the nearest of the other.
function apart(a, b) {
    const far = (p) => Math.min(...b.map((q) => Math.max(...p.map((x, c) => Math.abs(x - q[c])))));
    return Math.max(...a.map(far));
}

let frames = 0, worst = 0, meshes = 0, uvs = 0;
for (; fs.existsSync(`${folder}${frames}`); frames++) {
    const names = fs.readdirSync(`${folder}${frames}`);
    const file = (ending) => path.join(`${folder}${frames}`, names.find((name) => name.endsWith(ending)));
    const scene = new USDLoader().parse(fs.readFileSync(file(".usda"), "utf8"));
    const { bodies, size } = readObj(file(".obj"));
    let cameras = 0;
    scene.traverse((thing) => {
        cameras += thing.isCamera ? 1 : 0;
        if (!thing.isMesh) return;
        if (!bodies[thing.name]) throw new Error(`${thing.name} is not in the OBJ file`);
        const at = thing.geometry.attributes.position;
        const points = [...Array(at.count).keys()].map((i) => [at.getX(i), at.getY(i), at.getZ(i)]);
        const error = Math.max(apart(points, bodies[thing.name].points), apart(bodies[thing.name].points, points)) / size;
        worst = Math.max(worst, error);
        meshes++;
        uvs += thing.geometry.attributes.uv ? 1 : 0;
    });
    if (cameras !== 1) throw new Error(`${cameras} cameras`);
}
console.log(`${frames} frames, ${meshes} meshes, ${uvs} with UVs: at most ${worst.toExponential(2)} of the scene's size apart`);
if (!(frames > 0 && worst <= 1e-6)) process.exit(1);
