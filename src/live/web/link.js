// The link to the server: messages of a JSON text and arrays, requests as lines. It comes back by itself.

export class Link {
    constructor(on) {
        this.on = on; // {hello, frame, frames, steps, status, error, lost}
        this.connect();
    }

    connect() {
        const scheme = location.protocol === "https:" ? "wss:" : "ws:";
        this.socket = new WebSocket(`${scheme}//${location.host}/${location.search}`, "sinew");
        this.socket.binaryType = "arraybuffer";
        this.socket.onmessage = (event) => this.receive(event.data);
        this.socket.onclose = () => {
            this.on.lost?.();
            setTimeout(() => this.connect(), 1000);
        };
    }

    receive(buffer) {
        const length = new DataView(buffer).getUint32(0, true);
        const message = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        message.arrays = new Arrays(buffer, 4 + length);
        this.on[message.type]?.(message);
    }

    ask(request) {
        if (this.socket.readyState === WebSocket.OPEN) this.socket.send(request);
    }
}

class Arrays {
    constructor(buffer, base) {
        this.buffer = buffer;
        this.base = base;
    }
    shorts(at, count) { return new Uint16Array(this.buffer, this.base + at, count); }
    floats(at, count) { return new Float32Array(this.buffer, this.base + at, count); }
    ints(at, count) { return new Uint32Array(this.buffer, this.base + at, count); }
}
