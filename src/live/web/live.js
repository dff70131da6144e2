// The controls of a simulation that goes on.

export class LiveControls {
    constructor(link) {
        this.link = link;
        const $ = (id) => document.getElementById(id);
        $("live").hidden = false;
        this.button = $("sim-play");
        this.button.onclick = () => this.toggle();
        $("sim-step").onclick = () => link.ask("step");
        $("sim-speed").oninput = (event) => {
            const speed = Math.pow(10, Number(event.target.value) / 1.5);
            $("sim-speed-value").textContent = speed.toPrecision(2);
            link.ask(`speed ${speed}`);
        };
        $("sim-gravity").onchange = (event) => link.ask(`gravity 0 ${event.target.value} 0`);
        $("sim-gravity").oninput = (event) => ($("sim-gravity-value").textContent = event.target.value);
        this.message = $("sim-message");
        this.playing = false;
    }

    // Ctrl drag: what is under the pointer is pulled, in the plane that faces the camera.
    grab(event, stage) {
        if (!event.ctrlKey || event.button !== 0 || stage.index !== 0) return false;
        const hit = stage.pick(event.clientX, event.clientY), canvas = stage.renderer.domElement;
        if (!hit) return false;
        const ray = stage.ray(event.clientX, event.clientY).ray;
        this.link.ask(`grab ${[...ray.origin.toArray(), ...ray.direction.toArray()].join(" ")}`);
        const move = (e) => {
            const to = stage.drag(e.clientX, e.clientY, hit.point);
            if (!to) return;
            this.link.ask(`drag ${to.toArray().join(" ")}`);
            stage.pull(hit, to);
        };
        const drop = () => {
            canvas.removeEventListener("pointermove", move);
            canvas.removeEventListener("pointerup", drop);
            canvas.removeEventListener("pointercancel", drop);
            this.link.ask("drop");
            stage.pull(null);
        };
        canvas.addEventListener("pointermove", move);
        canvas.addEventListener("pointerup", drop);
        canvas.addEventListener("pointercancel", drop);
        canvas.setPointerCapture?.(event.pointerId);
        return true;
    }

    toggle() {
        this.link.ask(this.playing ? "pause" : "play");
    }

    status(status) {
        this.playing = status.playing;
        this.button.textContent = status.playing ? "pause" : "simulate";
        this.message.textContent = status.message;
    }
}
