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

    toggle() {
        this.link.ask(this.playing ? "pause" : "play");
    }

    status(status) {
        this.playing = status.playing;
        this.button.textContent = status.playing ? "pause" : "simulate";
        this.message.textContent = status.message;
    }
}
