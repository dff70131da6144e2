// Search without a server: every word has to begin a word of the section; headings count most, then titles.
"use strict";
(function () {
    const box = document.getElementById("search"), found = document.getElementById("found");
    const pages = document.getElementById("pages");
    const plain = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");
    const rows = INDEX.map(([url, title, heading, text, more]) => ({
        url, title, heading, text, words: [plain(heading), plain(title), plain(text + " " + more)],
    }));

    // How well a row has the word; 0: not at all.
    function weight(row, word) {
        const begins = (text) => text.startsWith(word) || /[^a-z0-9]/.test(text[text.indexOf(word) - 1] || "a");
        const at = row.words.findIndex((text) => text.includes(word));
        return at < 0 ? 0 : [30, 8, 1][at] * (begins(row.words[at]) ? 3 : 1) * (row.words[at] === word ? 3 : 1);
    }

    function search(text) {
        const words = plain(text).split(/\s+/).filter(Boolean);
        if (words.length === 0) return [];
        const scored = rows.map((row) => {
            const each = words.map((word) => weight(row, word));
            return { row, score: each.includes(0) ? 0 : each.reduce((a, b) => a + b, 0) };
        });
        return scored.filter((s) => s.score > 0).sort((a, b) => b.score - a.score).slice(0, 30).map((s) => s.row);
    }

    function link(row) {
        const a = document.createElement("a"), small = document.createElement("small");
        a.href = row.url;
        a.textContent = row.heading;
        small.textContent = row.heading === row.title ? row.text.slice(0, 90) : row.title;
        a.append(small);
        return a;
    }

    box.addEventListener("input", () => {
        const list = search(box.value);
        pages.hidden = box.value.trim() !== "";
        found.replaceChildren(...list.map(link));
        if (pages.hidden && list.length === 0) found.textContent = "nothing was found";
    });
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && document.activeElement !== box) event.preventDefault(), box.focus();
        if (event.key === "Enter" && document.activeElement === box && found.firstElementChild) location = found.firstElementChild.href;
    });
    globalThis.sinewSearch = search; // for the test
})();
