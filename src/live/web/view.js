// The page: what is shown, which frame, the controls.
import { Link } from "./link.js";
import { Orbit } from "./camera.js";
import { Stage, scaleColour } from "./stage.js";
import { Graphs } from "./graphs.js";
import { LiveControls } from "./live.js";

const $ = (id) => document.getElementById(id);
const orbit = new Orbit();
const state = { stages: [], shows: [], frames: [], wanted: 0, playing: false, clock: 0, waiting: [], field: 0, live: null };
const link = new Link({ hello, frame, frames, steps, status, error, lost });

function hello(message) {
    const again = state.stages.length > 0;
    for (const stage of state.stages) { stage.renderer.dispose(); stage.holder.remove(); }
    state.shows = message.shows;
    state.frames = message.shows.map((show) => show.frames);
    state.stages = message.shows.map((show, i) => new Stage($("stages"), show, i, message.arrays, orbit));
    state.waiting = message.shows.map(() => false);
    state.asked = message.shows.map(() => "");
    for (const stage of state.stages) {
        stage.resize();
        if (state.plain) stage.simplify();
        orbit.listen(stage.renderer.domElement, stage.camera, (event) => state.live?.grab?.(event, stage));
        stage.renderer.domElement.addEventListener("dblclick", (event) => state.live?.choose(stage.pick(event.clientX, event.clientY)));
        if (state.stages.length > 1) {
            const label = document.createElement("div");
            label.className = "label";
            label.textContent = stage.show.file.split("/").pop();
            stage.holder.append(label);
        }
    }
    orbit.lean(message.shows[0].up);
    document.title = `${message.shows[0].name} - Sinew`;
    $("title").textContent = message.shows.map((show) => show.name).join(" | ");
    offerColours(message);
    if (!again) {
        state.graphs = new Graphs($("graphs"), message.shows);
        if (message.live) state.live = new LiveControls(link, state, message.solvers, message.integrators);
        $("follow").checked = message.live;
        for (const row of document.querySelectorAll("tr.live")) row.hidden = !message.live;
    } else {
        state.graphs.clear(message.shows.length);
        state.live?.renew();
    }
    applyLook();
    sayState();
    askSteps();
    ask();
}

// With the difference, where there are two of the same bodies.
function offerColours(message) {
    const names = [...message.fields];
    state.difference = comparable(message.shows) ? names.push("difference") - 1 : -1;
    if (names.length !== $("colour").options.length) {
        $("colour").replaceChildren(...names.map((name) => new Option(name)));
        state.field = state.field < names.length ? state.field : 0;
    }
    if (state.wantsDifference && state.difference > 0) state.field = state.difference;
    state.wantsDifference = state.wantsDifference && state.difference < 0;
    $("colour").selectedIndex = state.field;
}

function frames(message) {
    state.frames[message.show] = message.data;
    if (state.shows[message.show]) state.shows[message.show].interval = message.interval;
    if ($("follow").checked) state.wanted = last();
    setTime();
    askSteps();
    ask();
}

function frame(message) {
    const stage = state.stages[message.show];
    if (!stage) return; // it is shown no more
    state.waiting[message.show] = false;
    ask(); // the next one is made while this one is taken over
    stage.update(message.data, message.arrays);
    if (!state.fitted) { state.fitted = true; orbit.fit(stage.extent); }
    if (state.live?.last) state.live.showHeld();
    recolour();
    setTime();
    ask();
}

function steps(message) {
    if (message.show < state.shows.length) state.graphs.add(message.show, message.data, message.arrays);
}

function status(message) {
    state.live?.status(message);
}

// Where there is no such field, what is shown goes on without.
function error(message) {
    $("state").textContent = message.message;
    state.waiting.fill(false);
    if (state.field === 0 || state.field === state.difference) return;
    state.field = $("colour").selectedIndex = 0;
    recolour();
    ask();
}

function lost() {
    $("state").textContent = "the server is gone; waiting for it …";
}

function last() {
    return Math.max(0, Math.max(...state.frames) - 1);
}

function sayState() {
    const nodes = state.stages.reduce((sum, stage) => sum + stage.bodies.reduce((n, b) => n + new Set(b.numbers).size, 0), 0); // on edges they come several times
    const triangles = state.shows.reduce((sum, show) => sum + show.bodies.reduce((n, b) => n + b.triangles.count / 3, 0), 0);
    const bodies = state.shows[0].bodies.length;
    $("state").textContent = `${bodies} ${bodies === 1 ? "body" : "bodies"}, ${nodes} nodes and ${triangles} triangles drawn`;
}

// One question of each kind is under way at most.
function ask() {
    state.stages.forEach((stage, i) => {
        const number = Math.min(state.wanted, state.frames[i] - 1);
        const request = `frame ${i} ${number} ${state.field === state.difference ? 0 : state.field} ${$("contacts").checked ? 1 : 0}`;
        if (state.waiting[i] || number < 0 || state.asked[i] === request) return;
        state.waiting[i] = true;
        state.asked[i] = request;
        link.ask(request);
    });
}

function askSteps() {
    state.shows.forEach((show, i) => link.ask(`steps ${i} ${state.graphs.last(i)}`));
}

function setTime() {
    const stage = state.stages[0], slider = $("time");
    slider.max = last();
    slider.value = state.wanted;
    if (!stage || stage.time === undefined) return;
    $("clock").textContent = `frame ${stage.frame} of ${last()}   ${stage.time.toFixed(3)} s`;
    state.graphs.mark(stage.time);
}

function go(number) {
    state.wanted = Math.max(0, Math.min(last(), number));
    setTime();
    ask();
}

function play(on) {
    state.playing = on;
    state.clock = performance.now();
    $("play").textContent = on ? "❚❚" : "▶";
    if (on && state.wanted >= last() && !$("follow").checked) go(0);
}

// What is late is left out.
function advance(now) {
    const h = 1000 * state.shows[0].interval / Number($("speed").value), count = Math.floor((now - state.clock) / h);
    if (count < 1) return;
    state.clock += count * h;
    const next = state.wanted + count;
    if (next <= last()) go(next);
    else if ($("loop").checked && !state.live) go(0);
    else { go(last()); if (!state.live) play(false); }
}

// A picture that takes long is known by when the next one may begin; after some of these there are no shadows.
const SLOW = 60, OFTEN = 8; // ms, and how many
function watch(now) {
    const took = now - state.ticked;
    if (state.drew && took < 1000) state.slow = took > SLOW ? (state.slow ?? 0) + 1 : 0;
    state.ticked = now;
    if (state.slow < OFTEN || state.plain) return;
    state.plain = true;
    for (const stage of state.stages) stage.simplify();
}

function tick(now) {
    watch(now);
    if (state.playing && state.shows.length) advance(now);
    state.drew = false;
    for (const stage of state.stages) state.drew = stage.draw() || state.drew;
    if (state.film && state.drew) paint(state.film);
    requestAnimationFrame(tick);
}

// Two runs of the same bodies, as of one scene by two solvers.
function comparable(shows) {
    return shows.length === 2 && shows[0].bodies.length === shows[1].bodies.length
        && shows[0].bodies.every((body, i) => body.nodes === shows[1].bodies[i].nodes);
}

// How far each node is from where the other run has it, in the frames that are shown.
function compare() {
    const [a, b] = state.stages;
    if (a.frame === undefined || b.frame === undefined) return;
    a.bodies.forEach((one, i) => {
        const other = b.bodies[i], p = one.positions, q = other.positions, field = new Float32Array(one.body.nodes);
        for (let n = 0; n < field.length; n++) {
            const x = p[3 * n] - q[3 * n], y = p[3 * n + 1] - q[3 * n + 1], z = p[3 * n + 2] - q[3 * n + 2];
            field[n] = Math.sqrt(x * x + y * y + z * z);
        }
        one.field = other.field = field;
    });
}

function recolour() {
    if (state.field > 0 && state.field === state.difference) compare();
    const ranges = state.stages.map((stage) => stage.range()).filter(Boolean);
    const range = state.field && ranges.length ? [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))] : null;
    for (const stage of state.stages) stage.colour(range);
    $("scale").hidden = !range;
    if (!range) return;
    const canvas = $("scale-bar"), context = canvas.getContext("2d");
    for (let x = 0; x < canvas.width; x++) {
        context.fillStyle = `rgb(${scaleColour(x / canvas.width).map((v) => 255 * v).join(",")})`;
        context.fillRect(x, 0, 1, canvas.height);
    }
    $("scale-low").textContent = range[0].toPrecision(3);
    $("scale-high").textContent = range[1].toPrecision(3);
}

function applyLook() {
    for (const stage of state.stages) stage.set({ wire: $("wire").checked, flat: $("flat").checked, ground: $("ground").checked });
}

function save(blob, name) {
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(blob);
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

function shot() {
    for (const stage of state.stages) {
        stage.dirty = true;
        stage.draw();
        stage.renderer.domElement.toBlob((blob) => save(blob, `${stage.show.name}-${stage.frame}.png`));
    }
}

// All that is seen, side by side, whichever canvases there are by then: other branches have others.
function paint(film) {
    const all = $("stages").getBoundingClientRect(), context = film.getContext("2d");
    const across = film.width / all.width, down = film.height / all.height;
    context.clearRect(0, 0, film.width, film.height);
    for (const stage of state.stages) {
        const part = stage.holder.getBoundingClientRect();
        context.drawImage(stage.renderer.domElement, across * (part.left - all.left), down * (part.top - all.top), across * part.width, down * part.height);
    }
}

function record() {
    if (state.recorder) { state.recorder.stop(); return; }
    const all = $("stages").getBoundingClientRect(), parts = [];
    state.film = Object.assign(document.createElement("canvas"), { width: 2 * Math.ceil(all.width / 2), height: 2 * Math.ceil(all.height / 2) });
    paint(state.film);
    const stream = state.film.captureStream(30);
    state.recorder = new MediaRecorder(stream, { mimeType: "video/webm" });
    state.recorder.ondataavailable = (event) => parts.push(event.data);
    state.recorder.onstop = () => {
        save(new Blob(parts, { type: "video/webm" }), `${state.shows[0].name}.webm`);
        state.recorder = state.film = null;
        $("record").classList.remove("on");
    };
    state.recorder.start();
    $("record").classList.add("on");
}

function toggle(id) {
    $(id).checked = !$(id).checked;
    applyLook();
    ask();
}

// The next view, or the one before.
const VIEWS = ["front", "side", "top", "fit"];
function turn(by) {
    state.view = ((state.view ?? -1) + by + VIEWS.length + (state.view === undefined && by < 0)) % VIEWS.length;
    see(VIEWS[state.view]);
}

function see(view) {
    if (view === "fit") orbit.fit(state.stages[0].box());
    else if (view) orbit.look(view);
}

// Of what is played, or of a simulation.
function hurry(by) {
    if (state.live && $("follow").checked) return state.live.hurry(by);
    const speed = $("speed");
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
}

function first() {
    $("follow").checked = false;
    go(0);
}

// A simulation begins again, as another branch; what has been made stays.
function restart() {
    play(false);
    $("follow").checked = true;
    state.live.restart();
}

const KEYS = {
    " ": () => (state.live && $("follow").checked ? state.live.toggle() : play(!state.playing)),
    ArrowLeft: () => { play(false); $("follow").checked = false; go(state.wanted - 1); },
    ArrowRight: () => { play(false); if (state.live && state.wanted >= last()) link.ask("step"); else go(state.wanted + 1); },
    Backspace: () => (state.live ? restart() : first()),
    Delete: () => state.live?.remove(),
    "[": () => turn(-1),
    "]": () => turn(1),
    "-": () => hurry(-1),
    "=": () => hurry(1),
    "+": () => hurry(1),
    F1: () => ($("help").open ? $("help").close() : $("help").showModal()),
    F2: () => { $("graphs").hidden = !$("graphs").hidden; state.graphs.renew(); },
    F3: () => toggle("wire"),
    F4: () => toggle("contacts"),
    F6: () => { $("colour").selectedIndex = (state.field + 1) % $("colour").options.length; $("colour").onchange(); },
    F8: () => document.body.classList.toggle("bare"),
    F9: shot,
};

// Arrows move a slider that was gone to by keyboard; one that was drawn at is left by that, and so is a choice that was pressed.
const isSlider = (target) => target.tagName === "INPUT" && target.type === "range" && target.id !== "time";
addEventListener("pointerup", (event) => { if (event.target.tagName && isSlider(event.target)) setTimeout(() => event.target.blur()); });
addEventListener("pointerdown", () => (state.pressed = true), true);
addEventListener("change", (event) => { if (event.target.tagName === "SELECT" && state.pressed) event.target.blur(); });
addEventListener("keydown", (event) => {
    state.pressed = false;
    if ($("help").open && event.key !== "F1") return;
    if (isSlider(event.target) && event.key.startsWith("Arrow")) return;
    if (!KEYS[event.key] || ["SELECT", "TEXTAREA"].includes(event.target.tagName) || (event.target.tagName === "INPUT" && event.target.type !== "range" && event.target.type !== "checkbox")) return;
    event.preventDefault();
    KEYS[event.key]();
});
new ResizeObserver(() => { state.stages.forEach((stage) => { stage.resize(); stage.draw(); }); state.graphs?.renew(); }).observe($("stages"));
orbit.changed = () => state.stages.forEach((stage) => (stage.dirty = true));
$("play").onclick = KEYS[" "];
$("back").onclick = KEYS.ArrowLeft;
$("forward").onclick = KEYS.ArrowRight;
$("first").onclick = first;
$("time").oninput = () => { $("follow").checked = false; play(false); go(Number($("time").value)); };
$("follow").onchange = () => { if ($("follow").checked) go(last()); };
$("colour").onchange = () => { state.field = $("colour").selectedIndex; sayState(); recolour(); ask(); };
$("contacts").onchange = ask;
for (const id of ["wire", "flat", "ground"]) $(id).onchange = applyLook;
$("views").onclick = (event) => {
    see(event.target.dataset.view);
};
$("shot").onclick = shot;
$("record").onclick = record;
$("help-button").onclick = KEYS.F1;
window.sinew = { state, link, orbit, go }; // for tests and the console
requestAnimationFrame(tick);
