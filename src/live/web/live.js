// The controls of a simulation that goes on.
import { shortNumber } from "./graphs.js";

const MOST = 128; // bodies whose numbers the server tells: SN_MOST_SHOWN

export class LiveControls {
    constructor(link, state, solvers, integrators) {
        this.link = link;
        const $ = (id) => document.getElementById(id);
        $("live").hidden = false;
        this.button = $("sim-play");
        this.button.onclick = () => this.toggle();
        $("sim-step").onclick = () => link.ask("step");
        $("sim-speed").oninput = (event) => {
            const speed = Math.pow(10, Number(event.target.value) / 1.5);
            $("sim-speed-value").textContent = Number(speed.toPrecision(2));
            link.ask(`speed ${speed}`);
        };
        this.slide("sim-gravity", (value) => value, (value) => `gravity ${this.up().map((c) => c * value).join(" ")}`);
        this.slide("sim-stiffness", (value) => Number(Math.pow(10, value).toPrecision(2)), (value) => `stiffness ${Math.pow(10, value)}`);
        this.slide("sim-friction", (value) => value, (value) => `friction ${value}`);
        this.choice("sim-solver", solvers, (index) => `solver ${index}`);
        this.race = $("sim-race");
        this.race.title = "the same steps by another solver, beside these, coloured by how far they are apart";
        this.race.append(...solvers.map((name) => new Option(name)));
        this.race.onchange = () => link.ask(`race ${this.race.selectedIndex - 1}`);
        this.choice("sim-integrator", integrators, (index) => `integrator ${index}`);
        this.body = $("sim-body");
        this.body.append(...state.shows[0].bodies.slice(0, MOST).map((body) => new Option(body.name)));
        this.body.onchange = () => this.showNumbers(true);
        const power = (value) => Math.pow(10, value).toPrecision(3), shown = (value) => shortNumber(Math.pow(10, value));
        this.slide("sim-young", shown, (value) => `young ${this.body.selectedIndex} ${power(value)}`);
        this.slide("sim-poisson", (value) => value, (value) => `poisson ${this.body.selectedIndex} ${value}`);
        this.slide("sim-density", shown, (value) => `density ${this.body.selectedIndex} ${power(value)}`);
        $("sim-branch").onclick = () => link.ask(`branch ${state.stages[0].frame}`);
        $("sim-name").onchange = (event) => link.ask(`name ${this.last.at} ${event.target.value.replace(/[^\x20-\x7e]/g, "")}`);
        this.tree = $("sim-branches");
        this.state = state;
        this.shelf = $("sim-shelf");
        this.shelved = "";
        [...$("sim-new").querySelectorAll("button")].forEach((button, kind) => this.offer(button, "new", kind, 1));
        [...$("sim-new-obstacle").querySelectorAll("button")].forEach((button, kind) => this.offer(button, "new-obstacle", kind, kind === 2 ? -0.1 : 1));
        addEventListener("pointermove", (event) => (this.pointer = event));
        $("stages").addEventListener("dragover", (event) => event.preventDefault());
        $("stages").addEventListener("drop", (event) => this.drop(event));
        this.message = $("sim-message");
        this.playing = false;
    }

    up() {
        return this.state.shows[0].up;
    }

    // A slider that shows what it is at, and asks when it is let go.
    slide(id, shown, request) {
        const slider = document.getElementById(id), value = document.getElementById(`${id}-value`);
        slider.oninput = () => (value.textContent = shown(Number(slider.value)));
        slider.onchange = () => this.link.ask(request(Number(slider.value)));
    }

    // One of several, as the session has it; names that are empty are not offered.
    choice(id, names, request) {
        const select = document.getElementById(id);
        select.append(...names.map((name) => new Option(name)).filter((option) => option.text));
        select.onchange = () => this.link.ask(request(names.indexOf(select.value)));
    }

    // Where the session has them, also by other pages: gravity along what is up.
    showSliders(status) {
        const gravity = document.getElementById("sim-gravity"), up = this.up(), value = up.reduce((sum, c, i) => sum + c * status.gravity[i], 0);
        const most = Math.max(20, 2 * Math.abs(value));
        if (Number(gravity.max) < most) Object.assign(gravity, { min: -most, max: most });
        for (const [id, now, digits, at = now] of [
            ["sim-gravity", value, 3], ["sim-friction", status.friction, 3],
            ["sim-stiffness", status.stiffness, 2, Math.log10(status.stiffness)], ["sim-speed", status.speed, 2, 1.5 * Math.log10(status.speed)],
        ]) {
            const slider = document.getElementById(id);
            if (this.shown?.[id] === now || document.activeElement === slider) continue;
            this.shown = { ...this.shown, [id]: now };
            slider.value = at;
            document.getElementById(`${id}-value`).textContent = Number(now.toPrecision(digits));
        }
    }

    // What the chosen body is made of; while a slider is held it stays where it is.
    showNumbers(again) {
        const numbers = this.last?.bodies[this.body.selectedIndex], text = JSON.stringify(numbers);
        if (!numbers || (!again && this.numbers === text)) return;
        this.numbers = text;
        ["sim-young", "sim-poisson", "sim-density"].forEach((id, i) => {
            const slider = document.getElementById(id), value = numbers[i];
            slider.value = i === 1 ? value : Math.log10(value);
            document.getElementById(`${id}-value`).textContent = shortNumber(value);
        });
        this.showDampings(this.body.selectedIndex, numbers[3]);
    }

    // A slider for each number of the body's dampings; at its left end there is none. A body without any is offered one.
    showDampings(body, dampings) {
        const rows = document.getElementById("sim-dampings"), least = -5;
        const given = (value) => (value <= least ? 0 : Number(Math.pow(10, value).toPrecision(3)));
        const offered = dampings.length ? dampings : [[-1, 0, "rayleigh beta", 0]];
        rows.replaceChildren(...offered.map(([damping, number, name, value], i) => {
            const row = document.createElement("label"), slider = document.createElement("input"), shown = document.createElement("output");
            row.className = "row";
            Object.assign(slider, { id: `sim-damping-${i}`, type: "range", min: least, max: 3, step: 0.05 });
            slider.value = value > 0 ? Math.log10(value) : least;
            shown.id = `sim-damping-${i}-value`;
            shown.textContent = shortNumber(value);
            row.append(`${name} `, slider, shown);
            slider.oninput = () => (shown.textContent = shortNumber(given(Number(slider.value))));
            const request = damping < 0 ? `add-damping ${body}` : `damping ${body} ${damping} ${number}`;
            slider.onchange = () => this.link.ask(`${request} ${given(Number(slider.value))}`);
            return row;
        }));
    }

    // Ctrl drag: what is under the pointer is pulled, in the plane that faces the camera; what is held, and an obstacle,
    // is moved along.
    // With shift it is held where it is, or let go.
    grab(event, stage) {
        if (!event.ctrlKey || event.button !== 0 || stage.index !== 0) return false;
        const hit = stage.pick(event.clientX, event.clientY), obstacle = stage.pickObstacle(event.clientX, event.clientY);
        if (obstacle && (!hit || obstacle.distance < hit.distance)) return this.carry(event, obstacle);
        if (!hit) return false;
        if (event.shiftKey) {
            this.link.ask(`pin ${stage.named(hit)}`);
            return true;
        }
        this.link.ask(`grab ${stage.named(hit)}`);
        this.follow(event, (to) => {
            this.link.ask(`drag ${to.toArray().join(" ")}`);
            this.state.stages[0].pull(hit, to);
        }, () => {
            this.link.ask("drop");
            this.state.stages[0].pull(null);
        }, hit.point);
        return true;
    }

    // An obstacle goes as the pointer does.
    carry(event, { index, point }) {
        this.follow(event, (to) => this.link.ask(`obstacle ${index} ${to.clone().sub(point).toArray().join(" ")}`),
            () => this.link.ask("drop"), point);
        return true;
    }

    // Until the pointer lets go, wherever it has got to: what is seen may become another stage meanwhile, as bodies come.
    follow(event, moved, done, point) {
        this.letGo?.();
        const move = (e) => {
            const to = e.buttons & 1 ? this.state.stages[0].drag(e.clientX, e.clientY, point) : this.letGo();
            if (to) moved(to);
        };
        this.letGo = () => {
            removeEventListener("pointermove", move);
            removeEventListener("pointerup", this.letGo);
            removeEventListener("pointercancel", this.letGo);
            this.letGo = null;
            done();
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", this.letGo);
        addEventListener("pointercancel", this.letGo);
        this.pointerId = event.pointerId;
        this.capture();
    }

    capture() {
        const canvas = this.state.stages[0].renderer.domElement;
        if (this.letGo) canvas.setPointerCapture(this.pointerId);
    }

    // A button for each body on the shelf: pressed, it falls from above everything; dragged into the picture, from there.
    listShelf(status) {
        const now = `${status.shelf.join()};${status.away.join()}`, show = this.state.shows[0];
        if (this.shelved === now) return;
        this.shelved = now;
        this.shelf.hidden = now === ";";
        const button = (name, title, request, height) => {
            const one = document.createElement("button");
            one.textContent = name;
            one.title = title;
            one.draggable = true;
            one.onclick = () => this.place(request, this.state.stages[0].above(height ?? this.state.stages[0].size()));
            one.ondragstart = (event) => event.dataTransfer.setData("text/plain", request);
            return one;
        };
        this.shelf.replaceChildren(this.shelf.firstElementChild,
            ...status.shelf.map((k) => button(show.bodies[k].name, "let it fall from above; or drag it to where it is to be", `place ${k}`, show.bodies[k].size)),
            ...status.away.map((k) => show.obstacles[k].plane
                ? button(show.obstacles[k].name, "put it below everything; or drag it to where it is to be", `place-obstacle ${k}`, -0.1 * this.state.stages[0].size())
                : button(show.obstacles[k].name, "put it above everything; or drag it to where it is to be", `place-obstacle ${k}`)));
    }

    // Something new, a quarter as large as what was seen first, so that the tenth is no larger than the second: pressed,
    // it comes above everything, or, where `height` is negative, below; dragged into the picture, there.
    offer(button, request, kind, height) {
        const size = () => ((this.size ??= this.state.stages[0].size()) / 4).toPrecision(3);
        button.title = `a new ${request === "new" ? "body falls from above" : `obstacle comes ${height < 0 ? "below" : "above"} everything`}; or drag it to where it is to be`;
        button.onclick = () => this.place(`${request} ${kind} ${size()}`, this.state.stages[0].above(height * Number(size())));
        button.ondragstart = (event) => event.dataTransfer.setData("text/plain", `${request} ${kind} ${size()}`);
    }

    // What there is has changed.
    renew() {
        const chosen = this.body.selectedIndex;
        this.body.replaceChildren(...this.state.shows[0].bodies.slice(0, MOST).map((body) => new Option(body.name)));
        this.body.selectedIndex = Math.min(Math.max(chosen, 0), this.body.options.length - 1);
        this.shelved = "";
        this.capture();
    }

    place(request, point) {
        this.link.ask(`${request} ${point.toArray().join(" ")}`);
    }

    drop(event) {
        const stage = this.state.stages[0], request = event.dataTransfer.getData("text/plain");
        event.preventDefault();
        const point = stage.drag(event.clientX, event.clientY, stage.orbit.target);
        if (point && /^(place(-obstacle)? \d+|new(-obstacle)? \d [\d.e+-]+)$/.test(request)) this.place(request, point);
    }

    // The body or obstacle under the pointer goes onto the shelf.
    remove() {
        const stage = this.state.stages[0];
        if (!this.pointer) return;
        const { clientX, clientY } = this.pointer, hit = stage.pick(clientX, clientY), obstacle = stage.pickObstacle(clientX, clientY, true);
        if (obstacle && (!hit || obstacle.distance < hit.distance)) {
            this.link.ask(`remove-obstacle ${obstacle.index}`);
            return;
        }
        if (hit) this.link.ask(`remove ${hit.body}`);
    }

    // The body that was met is the one whose numbers are shown.
    choose(hit) {
        const number = hit ? hit.body : -1;
        if (number < 0 || number >= this.body.options.length) return;
        this.body.selectedIndex = number;
        this.showNumbers(true);
    }

    hurry(by) {
        const slider = document.getElementById("sim-speed");
        slider.value = Number(slider.value) + 0.3 * by;
        slider.dispatchEvent(new Event("input"));
    }

    // From the first frame, and on where it went on.
    restart() {
        const goesOn = this.playing;
        if (this.state.frames[0] > 1) this.link.ask("branch 0");
        if (goesOn) this.link.ask("play");
    }

    toggle() {
        this.link.ask(this.playing ? "pause" : "play");
    }

    // What is held now is marked in the newest frame.
    showHeld() {
        const stage = this.state.stages[0], held = stage.frame === this.state.frames[0] - 1 ? this.last.held : [], now = held.join();
        if (this.held === now && this.heldOn === stage) return;
        this.held = now;
        this.heldOn = stage;
        stage.hold(held);
    }

    // The session's run files as a tree: each under the one that it left, with the frame that it left it at. A name goes
    // over to it; the arrows show it beside the present one, or no more.
    listBranches(status) {
        const shape = JSON.stringify([status.at, status.compared, status.branches.map((b) => [b.parent, b.frame, b.name])]);
        if (this.shape !== shape) {
            this.shape = shape;
            this.rows = status.branches.map((branch, i) => this.branchRow(status, branch, i));
            status.branches.forEach((branch, i) => (branch.parent < 0 ? this.tree : this.rows[branch.parent].below).append(this.rows[i].item));
            this.tree.replaceChildren(this.rows[0].item);
            document.getElementById("sim-name").value = status.branches[status.at].name;
        }
        status.branches.forEach((branch, i) => (this.rows[i].count.textContent = ` ${branch.parent < 0 ? "" : `from ${branch.frame}, `}${branch.frames} ${branch.frames === 1 ? "frame" : "frames"} `));
    }

    branchRow(status, branch, i) {
        const item = document.createElement("li"), below = document.createElement("ul"), count = document.createElement("small");
        const go = document.createElement("button"), beside = document.createElement("button");
        go.className = "go";
        go.textContent = branch.name || branch.file;
        go.title = i === status.at ? `${branch.file}: this is what is simulated` : `go on at the end of ${branch.file}`;
        go.onclick = () => this.link.ask(`switch ${i}`);
        beside.className = "with";
        beside.textContent = "⇄";
        beside.title = i === status.compared ? "show it beside the present one no more" : "show it beside the present one";
        beside.onclick = () => this.link.ask(`compare ${i === status.compared ? -1 : i}`);
        item.classList.toggle("here", i === status.at);
        item.classList.toggle("beside", i === status.compared);
        item.append(go, count, beside, below);
        return { item, below, count };
    }

    // Another solver has begun, or ended, to make the same steps: it is seen beside them, or no more.
    watchRace(status) {
        const solver = status.race < 0 ? this.race.options[0].text : status.branches[status.race].name;
        if (document.activeElement !== this.race && [...this.race.options].some((option) => option.text === solver)) this.race.value = solver;
        if (this.racing === status.race) return;
        if (status.race >= 0) {
            this.link.ask(`compare ${status.race}`);
            this.state.wantsDifference = true;
        } else if (this.racing >= 0 && status.compared === this.racing) this.link.ask("compare -1");
        this.racing = status.race;
    }

    status(status) {
        if (!this.last) this.racing = status.race;
        this.watchRace(status);
        if (this.last && this.last.branch !== status.branch) this.letGo?.(); // as the session has
        this.last = status;
        this.listBranches(status);
        this.listShelf(status);
        this.showNumbers(false);
        this.showSliders(status);
        this.showHeld();
        for (const key of ["solver", "integrator"]) {
            const select = document.getElementById(`sim-${key}`);
            if (document.activeElement !== select) select.value = status[key];
        }
        this.playing = status.playing;
        this.button.textContent = status.playing ? "pause" : "simulate";
        this.message.textContent = status.message;
    }
}
