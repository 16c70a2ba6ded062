"use strict";
// Every text of the report reaches the page through textContent: it is never markup.
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  // The cases in full are compressed, some together, and unpacked when one of them is opened.
  const packs = document.getElementById("details").textContent.trim().split("\n"), unpacked = [];
  const detail = async i => {
    const k = Math.floor(i / index.packed);
    unpacked[k] ??= new Response(new Blob([Uint8Array.from(atob(packs[k]), c => c.charCodeAt(0))]).stream()
      .pipeThrough(new DecompressionStream("gzip"))).text().then(text => text.split("\n"));
    return JSON.parse((await unpacked[k])[i % index.packed]);
  };
  // clean takes out what drives a terminal or turns the direction of writing.
  const clean = s => s.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)|[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "");
  const make = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = clean(text);
    return e;
  };
  const put = (parent, ...kids) => (parent.append(...kids.filter(k => k).map(k => typeof k === "string" ? clean(k) : k)), parent);
  const byId = id => document.getElementById(id);
  const took = ms => {
    if (ms < 60000) return ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s";
    const s = Math.round(ms / 1000);
    return Math.floor(s / 60) + "m" + s % 60 + "s";
  };
  const price = c => c === null ? "unknown" : c === 0 ? "$0" : "$" + c.toFixed(c < 0.01 ? 5 : 2);
  const many = n => n.toLocaleString("en-US");
  const usage = u => `${many(u.input_tokens)} in, ${many(u.output_tokens)} out`;

  // cases: [id, outcome, turns, tokens, cost, ms, reason, tags, begin]
  const cases = index.cases.map((c, i) => ({ i, id: c[0], outcome: c[1], turns: c[2], tokens: c[3], cost: c[4], ms: c[5], why: c[6], tags: c[7], begin: c[8] }));
  const outcomes = ["failed", "error", "flaky", "skipped", "passed"];
  const shown = new Set();
  let matches = [], drawn = 0;

  const chips = byId("chips");
  for (const o of outcomes) {
    const n = cases.filter(c => c.outcome === o).length;
    if (!n) continue;
    const b = put(make("button", "chip"), make("span", "dot " + o), `${many(n)} ${o}`);
    b.type = "button";
    b.setAttribute("aria-pressed", "false");
    b.onclick = () => {
      shown.has(o) ? shown.delete(o) : shown.add(o);
      b.setAttribute("aria-pressed", String(shown.has(o)));
      search();
    };
    chips.append(b);
  }

  const list = byId("list"), more = byId("more"), page = 100;
  function search() {
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(w => w);
    const by = byId("order").value;
    matches = cases.filter(c => (!shown.size || shown.has(c.outcome)) &&
      words.every(w => (c.id + " " + c.why + " " + c.tags.join(" ")).toLowerCase().includes(w)));
    if (by) matches.sort((a, b) => (b[by] ?? 0) - (a[by] ?? 0) || a.i - b.i);
    else matches.sort((a, b) => rank(a) - rank(b) || a.i - b.i);
    byId("count").textContent = matches.length === cases.length ? many(cases.length) : `${many(matches.length)} of ${many(cases.length)}`;
    list.replaceChildren();
    drawn = 0;
    grow();
  }
  const rank = c => c.outcome === "failed" || c.outcome === "error" ? 0 : c.outcome === "flaky" ? 1 : 2;
  function grow() {
    const rows = matches.slice(drawn, drawn + page).map(row);
    drawn += rows.length;
    list.append(...rows);
    more.hidden = drawn >= matches.length;
    more.textContent = `show more of ${many(matches.length - drawn)}`;
  }
  function row(c) {
    const d = make("details", "case"), s = make("summary");
    put(s, make("span", "dot " + c.outcome), put(make("span"), make("span", "id", c.id), c.why ? make("span", "why", c.why) : null),
      make("span", "num", c.turns + (c.turns === 1 ? " turn" : " turns")), make("span", "num", many(c.tokens)), make("span", "num", price(c.cost)), make("span", "num time", took(c.ms)));
    s.title = c.outcome;
    d.append(s);
    d.dataset.id = c.id;
    d.addEventListener("toggle", async () => {
      if (!d.open || d.dataset.full) return;
      d.dataset.full = "1";
      d.append(body(await detail(c.i)));
    });
    return d;
  }

  function body(c) {
    const b = make("div", "body"), tabs = make("div", "tabs"), pane = make("div");
    put(b, facts([["job file", c.file + ":" + c.line], ["agent", c.target], ["tags", (c.tags || []).join(", ")],
      ["passed", c.pass_rate && `${c.pass_rate.passed} of ${c.pass_rate.run}, wanted ${c.pass_rate.wanted}, likely ${c.pass_rate.low.toFixed(2)} to ${c.pass_rate.high.toFixed(2)}`],
      ...(c.matrix || []).map(a => [a.name, typeof a.value === "string" ? a.value : JSON.stringify(a.value)])]));
    if (!c.attempts.length) return put(b, make("p", "mute", c.reason || "not run"));
    const open = i => {
      [...tabs.children].forEach((t, j) => t.setAttribute("aria-pressed", String(i === j)));
      pane.replaceChildren(attempt(c.attempts[i]));
    };
    if (c.attempts.length > 1) c.attempts.forEach((a, i) => {
      const t = put(make("button", "chip"), make("span", "dot " + a.outcome), "run " + a.repetition + (a.try > 1 ? ", try " + a.try : ""));
      t.type = "button";
      t.onclick = () => open(i);
      tabs.append(t);
    });
    put(b, tabs, pane);
    open(Math.max(0, c.attempts.findIndex(a => a.outcome !== "passed")));
    return b;
  }
  const facts = pairs => put(make("p", "kv"), ...pairs.filter(p => p[1]).map(([k, v]) => put(make("span", "", k + " "), make("b", "", v))));
  const heading = (text, n) => make("h4", "", n === undefined ? text : `${text} (${n})`);

  function attempt(a) {
    const box = make("div"), script = transcript(a);
    put(box, facts([["model", a.model], ["recording", a.cassette && a.cassette + (a.tape ? " " + a.tape : "")], ["turns", String(a.turns)], ["tokens", usage(a.usage)],
      ["cost", price(a.usage.cost_usd)], ["agent took", took(a.run_ms)], ["in all", took(a.duration_ms)], ["kind", a.kind]]));
    if (a.message) put(box, make("pre", "", a.message));
    if (a.checks && a.checks.length) put(box, heading("checks", a.checks.length), ...a.checks.map(c => check(c, script)));
    if (a.findings && a.findings.length) put(box, heading("findings", a.findings.length), ...a.findings.map(f => {
      const d = put(make("div", "check" + (f.severity === "error" ? " no" : "")), make("code", "", (f.file || "") + (f.line ? ":" + f.line : "")), " " + f.message);
      return put(d, f.rule ? make("span", "code", " " + f.rule) : null);
    }));
    if (a.changed && a.changed.length) put(box, heading("changed files", a.changed.length), put(make("ul", "plain"), ...a.changed.map(f =>
      put(make("li"), make("code", "", f.path), ` ${f.status}` + (f.added || f.removed ? ` +${f.added} −${f.removed}` : "")))));
    if (a.output) put(box, heading("answer"), make("pre", "", a.output));
    if (script.rows.length) {
      const d = make("details");
      const s = strip(a);
      if (s.childElementCount) put(box, heading("time"), s);
      put(box, put(d, make("summary", "mute", `transcript, ${script.rows.length} entries` + (a.cut ? `, ${many(a.cut)} bytes left out` : "")), ...script.rows));
      script.box = d;
    }
    return box;
  }
  function check(c, script) {
    const d = make("div", "check" + (c.ok ? "" : " no"));
    put(d, (c.ok ? "✓ " : "✗ ") + c.name, c.ok ? null : make("span", "code", `  ${c.file}:${c.line}`));
    if (c.note) put(d, make("span", "mute", " " + c.note));
    if (c.ok) return d;
    if (c.at && script.rows[c.at.entry]) {
      const b = make("button", "chip", "where");
      b.type = "button";
      b.onclick = () => {
        script.box.open = true;
        script.rows.forEach(r => r.classList.remove("seen"));
        script.rows[c.at.entry].classList.add("seen");
        script.rows[c.at.entry].scrollIntoView({ block: "center" });
      };
      put(d, b);
    }
    const dl = make("dl");
    if (c.expected) put(dl, make("dt", "", "expected"), make("dd", "", c.expected));
    if (c.got) put(dl, make("dt", "", "got"), make("dd", "", c.got));
    put(d, dl);
    return d;
  }
  const names = { user_prompt: "prompt", agent_step: "model", tool_call: "calls", tool_result: "result of", delegation_start: "delegates to", delegation_result: "answer of" };
  function transcript(a) {
    return {
      rows: (a.transcript || []).map(e => {
        const r = make("div", "entry" + (e.error ? " bad" : "") + (e.depth ? " d" + Math.min(3, e.depth) : "")), right = make("div");
        put(right, put(make("div", "who"), make("b", "", names[e.event] || e.event.replaceAll("_", " ")), e.tool ? " " + e.tool : "", e.agent ? " · " + e.agent : "",
          e.model ? " · " + e.model : "", e.usage ? " · " + usage(e.usage) : "", e.duration_ms ? " · " + took(e.duration_ms) : ""));
        if (e.input !== undefined) put(right, make("pre", "", typeof e.input === "string" ? e.input : JSON.stringify(e.input, null, 2)));
        if (e.text) put(right, make("pre", "", e.text));
        if (e.cut) put(right, make("small", "mute", many(e.cut) + " bytes left out"));
        return put(r, make("div", "when", took(e.at_ms)), right);
      })
    };
  }
  // strip is the time of an attempt: what took how long.
  function strip(a) {
    const s = make("div", "strip"), all = Math.max(a.duration_ms, 1);
    let last = 0;
    for (const e of a.transcript) {
      const length = e.duration_ms || (e.event === "agent_step" ? e.at_ms - last : 0), i = make("i", e.event + (e.error ? " bad" : ""));
      i.style.left = Math.min(99, 100 * (e.at_ms - length) / all) + "%";
      i.style.width = Math.max(0, 100 * length / all) + "%";
      i.title = `${names[e.event] || e.event} ${e.tool || ""} ${took(length)}`;
      last = e.at_ms;
      if (length > 0) s.append(i);
    }
    return s;
  }

  // The timeline packs the cases into as many rows as ran side by side.
  function timeline() {
    const timed = cases.filter(c => c.begin !== null).sort((a, b) => a.begin - b.begin), box = byId("timeline"), canvas = box.querySelector("canvas");
    if (timed.length < 2) return;
    box.hidden = false;
    const lanes = [], end = Math.max(...timed.map(c => c.begin + c.ms), 1);
    for (const c of timed) {
      let k = lanes.findIndex(free => free <= c.begin);
      if (k < 0) k = lanes.length < 40 ? lanes.push(0) - 1 : lanes.indexOf(Math.min(...lanes));
      lanes[k] = c.begin + c.ms;
      c.lane = k;
    }
    const high = Math.max(4, Math.min(16, Math.floor(320 / lanes.length))), gap = high > 5 ? 2 : 1;
    const draw = () => {
      const style = getComputedStyle(document.documentElement), wide = box.querySelector(".canvas").clientWidth, ratio = devicePixelRatio || 1;
      canvas.width = wide * ratio;
      canvas.height = lanes.length * high * ratio;
      canvas.style.width = wide + "px";
      canvas.style.height = lanes.length * high + "px";
      const g = canvas.getContext("2d");
      g.scale(ratio, ratio);
      for (const c of timed) {
        g.fillStyle = style.getPropertyValue("--" + c.outcome);
        g.fillRect(c.begin / end * wide, c.lane * high, Math.max(1, c.ms / end * wide - 1), high - gap);
      }
    };
    const hit = e => timed.find(c => {
      const x = e.offsetX / canvas.clientWidth * end;
      return c.lane === Math.floor(e.offsetY / high) && c.begin <= x && x <= c.begin + Math.max(c.ms, end / canvas.clientWidth);
    });
    canvas.onmousemove = e => {
      const c = hit(e);
      canvas.style.cursor = c ? "pointer" : "";
      byId("at").textContent = c ? clean(`${c.id}: ${c.outcome}, ${took(c.ms)}, from ${took(c.begin)}`) : rest;
    };
    canvas.onclick = e => { const c = hit(e); if (c) show(c.id); };
    const rest = `${took(end)} from left to right, ${lanes.length} side by side`;
    byId("at").textContent = rest;
    addEventListener("resize", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    draw();
  }
  function show(id) {
    if (!cases.some(c => c.id === id)) return;
    shown.clear();
    [...chips.children].forEach(b => b.setAttribute("aria-pressed", "false"));
    byId("find").value = byId("order").value = "";
    search();
    while (drawn <= matches.findIndex(c => c.id === id)) grow();
    const d = [...list.children].find(e => e.dataset.id === id);
    d.open = true;
    d.scrollIntoView({ block: "start" });
  }
  const fromHash = () => {
    try { show(decodeURIComponent(location.hash.slice(1))); } catch { /* no id at all */ }
  };

  byId("cases").hidden = !cases.length;
  byId("find").oninput = byId("order").onchange = search;
  document.querySelector(".tools").onsubmit = () => false;
  more.onclick = grow;
  search();
  timeline();
  if (location.hash) fromHash();
  addEventListener("hashchange", fromHash);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
