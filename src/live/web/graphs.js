// Graphs of the steps, over time: where the energy went, iterations, residual, contacts, milliseconds.
//
// The ledger is stacked: energies and losses upon each other are as high as what there was and what was given, the white
// line; where it leaves them, the ledger does not close. What can be negative counts from its least.

const GRAPHS = [
    { title: "ledger, J", stacked: true, lines: [["gravity", "#7cc177"], ["elastic", "#5b9be0"], ["kinetic", "#e0775c"], ["viscous", "#b48ae0"], ["friction", "#e0a95c"], ["numerical", "#8d99ab"]], given: ["pins", "#ffffff"] },
    { title: "energy, J", lines: [["kinetic", "#e0775c"], ["elastic", "#5b9be0"], ["gravity", "#7cc177"]] },
    { title: "lost, J", lines: [["viscous", "#b48ae0"], ["friction", "#e0a95c"], ["numerical", "#8d99ab"]] },
    { title: "iterations", lines: [["iterations", "#5b9be0"]] },
    { title: "residual, N", log: true, lines: [["gradient", "#e0775c"], ["tolerance", "#8d99ab"]] },
    { title: "contacts", lines: [["contacts", "#e0a95c"]] },
    { title: "ms", lines: [["ms_total", "#dde2ea"], ["ms_local", "#5b9be0"], ["ms_global", "#7cc177"], ["ms_contact", "#e0a95c"]] },
];

const REST = 120; // ms between two drawings of all lines

// Of more points than a picture of this width can show: for each pixel or so the first, and the lowest and highest value.
function thin(time, width, values) {
    const count = time.length, parts = Math.max(1, Math.floor(width)), shown = [];
    if (count <= 3 * parts) return time.map((_, i) => i);
    for (let p = 0; p < parts; p++) {
        const from = Math.floor((p * count) / parts), to = Math.floor(((p + 1) * count) / parts);
        let low = from, high = from;
        for (let i = from + 1; values && i < to; i++) {
            if (values[i] < values[low]) low = i;
            if (values[i] > values[high]) high = i;
        }
        shown.push(from, ...[low, high].sort((a, b) => a - b).filter((i) => i !== from));
    }
    shown.push(count - 1);
    return shown;
}

// With three digits, as people write them: 3360, 0.25, 1e5.
export function shortNumber(v) {
    const plain = v === 0 || (Math.abs(v) < 1e5 && Math.abs(v) >= 1e-3);
    return plain ? String(Number(v.toPrecision(3))) : String(v.toExponential(2)).replace(/\.?0*e\+?/, "e");
}

export class Graphs {
    constructor(parent, shows) {
        this.columns = shows.map(() => ({}));
        this.canvases = GRAPHS.map((graph) => {
            const legend = document.createElement("div"), canvas = document.createElement("canvas");
            legend.className = "legend";
            legend.append(...graph.lines.map(([name, colour]) => {
                const item = document.createElement("span");
                item.textContent = name;
                item.style.color = colour;
                return item;
            }));
            parent.append(graph.title, legend, canvas);
            return canvas;
        });
        this.pictures = GRAPHS.map(() => document.createElement("canvas")); // without the mark
        this.time = 0;
        this.stale = true;
        this.drawn = -Infinity;
    }

    // Rows that have come before, to another question, are left out.
    add(show, data, arrays) {
        const steps = data.columns.find((column) => column.name === "step"), last = this.last(show);
        const known = Array.from(arrays.floats(steps.at, data.count)).filter((step) => step <= last).length;
        for (const column of data.columns) {
            const all = (this.columns[show][column.name] ??= []);
            for (const value of arrays.floats(column.at, data.count).subarray(known)) all.push(value); // there may be more than a call can have
        }
        this.stale = true;
        this.draw();
    }

    clear(count) {
        this.columns = Array.from({ length: count }, () => ({}));
        this.stale = true;
    }

    // They have another size.
    renew() {
        this.stale = true;
        this.draw();
    }

    last(show) {
        const steps = this.columns[show].step;
        return steps?.length ? steps[steps.length - 1] : -1;
    }

    mark(time) {
        this.time = time;
        this.draw();
    }

    // Lines are drawn anew a few times a second at most, where there are more of them; the mark goes with each frame.
    draw() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame((now) => {
            this.pending = false;
            if (this.stale && now - this.drawn >= REST) {
                this.stale = false;
                this.drawn = now;
                GRAPHS.forEach((graph, i) => this.drawOne(graph, this.canvases[i], this.pictures[i]));
            } else if (this.stale && !this.timer) {
                this.timer = setTimeout(() => { this.timer = 0; this.draw(); }, REST);
            }
            this.canvases.forEach((canvas, i) => this.drawMark(canvas, this.pictures[i]));
        });
    }

    drawMark(canvas, picture) {
        if (!picture.width) return;
        const context = canvas.getContext("2d");
        context.clearRect(0, 0, canvas.width, canvas.height);
        context.drawImage(picture, 0, 0);
        context.fillStyle = "#ffffff66";
        context.fillRect((this.time / this.end()) * canvas.width, 0, devicePixelRatio, canvas.height);
    }

    end() {
        return Math.max(1e-9, ...this.columns.map((c) => c.time?.at(-1) ?? 0));
    }

    // Layers upon each other, of the first run, from the bottom, and the line that they should reach.
    stack(graph) {
        const c = this.columns[0], count = c.time?.length ?? 0, below = new Float64Array(count);
        const layers = graph.lines.map(([name, colour]) => {
            const values = c[name] ?? [], least = values.reduce((a, v) => Math.min(a, v), 0);
            const bottom = below.slice();
            for (let i = 0; i < count; i++) below[i] += (values[i] ?? 0) - least;
            return { colour, bottom, top: below.slice() };
        });
        const [name, colour] = graph.given, given = c[name] ?? [];
        return { layers, line: { colour, show: 0, time: c.time ?? [], values: Array.from(below, (_, i) => below[0] + (given[i] ?? 0) - (given[0] ?? 0)) } };
    }

    fillLayers(context, layers, time, x, y, width) {
        const shown = thin(time, width);
        for (const layer of layers) {
            context.fillStyle = layer.colour;
            context.beginPath();
            for (const i of shown) context.lineTo(x(time[i]), y(layer.top[i]));
            for (let k = shown.length - 1; k >= 0; k--) context.lineTo(x(time[shown[k]]), y(layer.bottom[shown[k]]));
            context.fill();
        }
    }

    strokeLine(context, s, x, y, width) {
        context.strokeStyle = s.colour;
        context.lineWidth = devicePixelRatio * (s.show ? 1 : 1.5);
        context.setLineDash(s.show ? [4, 3] : []);
        context.beginPath();
        let drawing = false;
        for (const i of thin(s.time, width, s.values)) {
            if (!Number.isFinite(s.values[i])) { drawing = false; continue; }
            if (drawing) context.lineTo(x(s.time[i]), y(s.values[i]));
            else context.moveTo(x(s.time[i]), y(s.values[i]));
            drawing = true;
        }
        context.stroke();
        context.setLineDash([]);
    }

    // At the left, and to be read before any colour.
    write(context, text, height) {
        context.font = `${10 * devicePixelRatio}px system-ui`;
        context.lineWidth = 3 * devicePixelRatio;
        context.lineJoin = "round";
        context.strokeStyle = "#14171c";
        context.strokeText(text, 3, height);
        context.fillStyle = "#c3ccd9";
        context.fillText(text, 3, height);
    }

    drawOne(graph, canvas, picture) {
        const width = Math.round(canvas.clientWidth * devicePixelRatio), height = Math.round(canvas.clientHeight * devicePixelRatio);
        canvas.width = picture.width = width;
        canvas.height = picture.height = height;
        const context = picture.getContext("2d"), end = this.end();
        const stack = graph.stacked ? this.stack(graph) : null;
        const series = stack ? [stack.line] : this.columns.flatMap((c, show) => graph.lines.map(([name, colour]) => ({ colour, show, time: c.time ?? [], values: (c[name] ?? []).map((v) => (graph.log ? Math.log10(v) : v)) })));
        let low = graph.log ? Infinity : 0, high = -Infinity;
        for (const s of series) for (const v of s.values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
        for (const layer of stack?.layers ?? []) for (const v of layer.top) high = Math.max(high, v);
        if (!(low <= high) || !width) return;
        if (low === high) high = low + 1;
        const x = (t) => (t / end) * width, y = (v) => height - 4 - ((v - low) / (high - low)) * (height - 8);
        if (stack) this.fillLayers(context, stack.layers, this.columns[0].time, x, y, width);
        for (const s of series) this.strokeLine(context, s, x, y, width);
        const text = (v) => (graph.log ? `1e${v.toFixed(0)}` : shortNumber(Math.abs(v) < 1e-9 * (high - low) ? 0 : v));
        this.write(context, text(high), 11 * devicePixelRatio);
        this.write(context, text(low), height - 4);
    }
}
