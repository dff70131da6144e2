// The controls of a simulation that goes on.

export class LiveControls {
    constructor(link, state, solvers) {
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
        this.slide("sim-stiffness", (value) => Math.pow(10, value).toPrecision(2), (value) => `stiffness ${Math.pow(10, value)}`);
        this.slide("sim-friction", (value) => value, (value) => `friction ${value}`);
        $("sim-solver").append(...solvers.map((name) => new Option(name)));
        $("sim-solver").onchange = (event) => event.target.selectedIndex > 0 && link.ask(`solver ${event.target.selectedIndex - 1}`);
        $("sim-branch").onclick = () => link.ask(`branch ${state.stages[0].frame}`);
        this.branches = [];
        this.state = state;
        this.shelf = $("sim-shelf");
        this.shelved = "";
        addEventListener("pointermove", (event) => (this.pointer = event));
        $("stages").addEventListener("dragover", (event) => event.preventDefault());
        $("stages").addEventListener("drop", (event) => this.drop(event));
        this.message = $("sim-message");
        this.playing = false;
    }

    // A slider that shows what it is at, and asks when it is let go.
    slide(id, shown, request) {
        const slider = document.getElementById(id), value = document.getElementById(`${id}-value`);
        slider.oninput = () => (value.textContent = shown(Number(slider.value)));
        slider.onchange = () => this.link.ask(request(Number(slider.value)));
    }

    // Ctrl drag: what is under the pointer is pulled, in the plane that faces the camera; an obstacle is moved along.
    // With shift it is held where it is, or let go.
    grab(event, stage) {
        if (!event.ctrlKey || event.button !== 0 || stage.index !== 0) return false;
        const hit = stage.pick(event.clientX, event.clientY), obstacle = stage.pickObstacle(event.clientX, event.clientY);
        const line = stage.ray(event.clientX, event.clientY).ray;
        const ray = [...line.origin.toArray(), ...line.direction.toArray()].join(" ");
        if (obstacle && (!hit || obstacle.distance < hit.distance)) return this.carry(event, stage, obstacle);
        if (!hit) return false;
        if (event.shiftKey) {
            this.link.ask(`pin ${ray}`);
            return true;
        }
        this.link.ask(`grab ${ray}`);
        this.follow(event, stage, (to) => {
            this.link.ask(`drag ${to.toArray().join(" ")}`);
            stage.pull(hit, to);
        }, () => {
            this.link.ask("drop");
            stage.pull(null);
        }, hit.point);
        return true;
    }

    // An obstacle goes as the pointer does.
    carry(event, stage, { index, point }) {
        this.follow(event, stage, (to) => this.link.ask(`obstacle ${index} ${to.clone().sub(point).toArray().join(" ")}`),
            () => this.link.ask("drop"), point);
        return true;
    }

    follow(event, stage, moved, done, point) {
        const canvas = stage.renderer.domElement;
        const move = (e) => {
            const to = stage.drag(e.clientX, e.clientY, point);
            if (to) moved(to);
        };
        const drop = () => {
            canvas.removeEventListener("pointermove", move);
            canvas.removeEventListener("pointerup", drop);
            canvas.removeEventListener("pointercancel", drop);
            done();
        };
        canvas.addEventListener("pointermove", move);
        canvas.addEventListener("pointerup", drop);
        canvas.addEventListener("pointercancel", drop);
        canvas.setPointerCapture?.(event.pointerId);
    }

    // A button for each body on the shelf: pressed, it falls from above everything; dragged into the picture, from there.
    listShelf(status) {
        if (this.shelved === status.shelf.join()) return;
        this.shelved = status.shelf.join();
        this.shelf.hidden = status.shelf.length === 0;
        this.shelf.replaceChildren(this.shelf.firstElementChild, ...status.shelf.map((body) => {
            const button = document.createElement("button");
            button.textContent = this.state.shows[0].bodies[body].name;
            button.title = "let it fall from above; or drag it to where it is to be";
            button.draggable = true;
            button.onclick = () => this.place(body, this.state.stages[0].above(this.state.shows[0].bodies[body].size));
            button.ondragstart = (event) => event.dataTransfer.setData("text/plain", String(body));
            return button;
        }));
    }

    place(body, point) {
        this.link.ask(`place ${body} ${point.toArray().join(" ")}`);
    }

    drop(event) {
        const stage = this.state.stages[0], body = Number(event.dataTransfer.getData("text/plain"));
        event.preventDefault();
        const point = stage.drag(event.clientX, event.clientY, stage.orbit.target);
        if (point) this.place(body, point);
    }

    // The body under the pointer goes onto the shelf.
    remove() {
        const stage = this.state.stages[0];
        if (!this.pointer) return;
        const line = stage.ray(this.pointer.clientX, this.pointer.clientY).ray;
        this.link.ask(`remove ${[...line.origin.toArray(), ...line.direction.toArray()].join(" ")}`);
    }

    toggle() {
        this.link.ask(this.playing ? "pause" : "play");
    }

    // The files that this page has seen the session go on in, each with the frame that it left the one before at.
    listBranches(status) {
        if (this.branches.at(-1)?.file === status.file) return;
        this.branches.push({ file: status.file, at: status.frames - 1 });
        const rows = this.branches.map(({ file, at }, i) => {
            const row = document.createElement("li");
            row.textContent = i ? `${file}, from frame ${at} of ${this.branches[i - 1].file}` : file;
            return row;
        });
        document.getElementById("sim-branches").replaceChildren(...rows);
    }

    status(status) {
        this.listBranches(status);
        this.listShelf(status);
        this.playing = status.playing;
        this.button.textContent = status.playing ? "pause" : "simulate";
        this.message.textContent = status.message;
    }
}
