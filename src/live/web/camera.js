// A camera that turns about a point: drag turns, shift or the right button moves, the wheel goes nearer.
import { PerspectiveCamera, Vector3 } from "./three.module.min.js";

export class Orbit {
    constructor() {
        this.target = new Vector3();
        this.distance = 5;
        this.azimuth = 0.6;
        this.height = 0.35;
        this.lean([0, 1, 0]);
        this.changed = () => {};
    }

    // What is up; ahead and beside it are directions across it: z and x where y is up, x and y where z is.
    lean(up) {
        this.up = new Vector3(...up).normalize();
        const first = Math.abs(this.up.z) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
        this.ahead = first.addScaledVector(this.up, -first.dot(this.up)).normalize();
        this.beside = this.up.clone().cross(this.ahead);
    }

    // From further away where a canvas is narrow, so that as much is seen.
    away(camera) {
        return this.distance * Math.max(1, 1 / camera.aspect);
    }

    // A camera where this one is, for a canvas.
    place(camera) {
        const distance = this.away(camera), level = distance * Math.cos(this.height);
        camera.up.copy(this.up);
        camera.position.copy(this.target).addScaledVector(this.up, distance * Math.sin(this.height))
            .addScaledVector(this.beside, level * Math.sin(this.azimuth)).addScaledVector(this.ahead, level * Math.cos(this.azimuth));
        camera.near = this.distance / 100;
        camera.far = this.distance * 100;
        camera.lookAt(this.target);
        camera.updateProjectionMatrix();
    }

    fit(box) {
        if (box.isEmpty()) return;
        box.getCenter(this.target);
        this.distance = Math.max(1e-9, 1.5 * box.getSize(new Vector3()).length());
        this.changed();
    }

    look(view) {
        const views = { front: [0, 0.02], side: [Math.PI / 2, 0.02], top: [0, Math.PI / 2 - 0.001] };
        [this.azimuth, this.height] = views[view];
        this.changed();
    }

    turn(dx, dy) {
        this.azimuth -= 0.008 * dx;
        this.height = Math.max(-1.55, Math.min(1.55, this.height + 0.008 * dy));
        this.changed();
    }

    move(dx, dy, camera, height) {
        const scale = (2 * this.away(camera) * Math.tan((camera.fov * Math.PI) / 360)) / height;
        const right = new Vector3().setFromMatrixColumn(camera.matrix, 0), up = new Vector3().setFromMatrixColumn(camera.matrix, 1);
        this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
        this.changed();
    }

    zoom(delta) {
        this.distance *= Math.exp(0.0012 * delta);
        this.changed();
    }

    listen(canvas, camera, busy) {
        let last = null;
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener("pointerdown", (event) => {
            if (busy(event)) return;
            last = [event.clientX, event.clientY];
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointermove", (event) => {
            if (!last) return;
            const dx = event.clientX - last[0], dy = event.clientY - last[1];
            last = [event.clientX, event.clientY];
            if (event.shiftKey || event.buttons & 2) this.move(dx, dy, camera, canvas.clientHeight);
            else this.turn(dx, dy);
        });
        canvas.addEventListener("pointerup", () => (last = null));
        canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY); }, { passive: false });
    }
}

export function makeCamera() {
    return new PerspectiveCamera(40, 1, 0.01, 100);
}
