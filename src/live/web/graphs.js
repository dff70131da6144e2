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
        this.time = 0;
    }

    // Rows that have come before, to another question, are left out.
    add(show, data, arrays) {
        const steps = data.columns.find((column) => column.name === "step"), last = this.last(show);
        const known = Array.from(arrays.floats(steps.at, data.count)).filter((step) => step <= last).length;
        for (const column of data.columns) {
            const values = Array.from(arrays.floats(column.at, data.count).subarray(known));
            (this.columns[show][column.name] ??= []).push(...values);
        }
        this.draw();
    }

    clear(count) {
        this.columns = Array.from({ length: count }, () => ({}));
    }

    last(show) {
        const steps = this.columns[show].step;
        return steps?.length ? steps[steps.length - 1] : -1;
    }

    mark(time) {
        this.time = time;
        this.draw();
    }

    draw() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            GRAPHS.forEach((graph, i) => this.drawOne(graph, this.canvases[i]));
        });
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

    fillLayers(context, layers, time, x, y) {
        for (const layer of layers) {
            context.fillStyle = layer.colour;
            context.beginPath();
            time.forEach((t, i) => context.lineTo(x(t), y(layer.top[i])));
            for (let i = time.length - 1; i >= 0; i--) context.lineTo(x(time[i]), y(layer.bottom[i]));
            context.fill();
        }
    }

    drawOne(graph, canvas) {
        const width = (canvas.width = canvas.clientWidth * devicePixelRatio), height = (canvas.height = canvas.clientHeight * devicePixelRatio);
        const context = canvas.getContext("2d"), end = Math.max(1e-9, ...this.columns.map((c) => c.time?.at(-1) ?? 0));
        const stack = graph.stacked ? this.stack(graph) : null;
        const series = stack ? [stack.line] : this.columns.flatMap((c, show) => graph.lines.map(([name, colour]) => ({ colour, show, time: c.time ?? [], values: (c[name] ?? []).map((v) => (graph.log ? Math.log10(v) : v)) })));
        let low = graph.log ? Infinity : 0, high = -Infinity;
        for (const s of series) for (const v of s.values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
        for (const layer of stack?.layers ?? []) for (const v of layer.top) high = Math.max(high, v);
        if (!(low <= high)) return;
        if (low === high) high = low + 1;
        const x = (t) => (t / end) * width, y = (v) => height - 4 - ((v - low) / (high - low)) * (height - 8);
        if (stack) this.fillLayers(context, stack.layers, this.columns[0].time, x, y);
        for (const s of series) {
            context.strokeStyle = s.colour;
            context.lineWidth = devicePixelRatio * (s.show ? 1 : 1.5);
            context.setLineDash(s.show ? [4, 3] : []);
            context.beginPath();
            let drawing = false;
            s.values.forEach((v, i) => {
                if (!Number.isFinite(v)) { drawing = false; return; }
                if (drawing) context.lineTo(x(s.time[i]), y(v));
                else context.moveTo(x(s.time[i]), y(v));
                drawing = true;
            });
            context.stroke();
        }
        context.setLineDash([]);
        context.fillStyle = "#8d99ab";
        context.font = `${10 * devicePixelRatio}px system-ui`;
        const text = (v) => (graph.log ? `1e${v.toFixed(0)}` : Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(1) : v.toPrecision(3));
        context.fillText(text(high), 3, 11 * devicePixelRatio);
        context.fillText(text(low), 3, height - 4);
        context.fillStyle = "#ffffff66";
        context.fillRect(x(this.time), 0, devicePixelRatio, height);
    }
}
