"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const SEATS = D.names.length, LAST = D.frames.length - 1, PLACES = SEATS + 1;
const COLOURS = ["#0b6bcb", "#d1242f", "#1a7f37", "#b35900", "#8250df", "#0b8280", "#c2328f", "#6e7781", "#5a7d00", "#94184a", "#37478f", "#a3531a", "#00695c", "#868e96"];
const HEAT = D.heat === null ? null : Uint8Array.from(atob(D.heat), c => c.charCodeAt(0));
const KNOWN = 255;
const VIEWS = D.forSeat === null ? [null, ...D.names.keys()] : [D.forSeat];
let at = D.at, view = VIEWS[0], timer = null;

// Names come from outside: whatever is put together as HTML is escaped.
const safe = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const full = seat => D.names[seat] === `seat ${seat}` ? D.names[seat] : `${seat} ${D.names[seat]}`;
const svg = (w, h, inside, label) => `<svg viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="${safe(label)}">${inside}</svg>`;

// An event is [seat, words, short, words for others, short for others].
const sees = event => view === null || view === event[0];
const words = event => event[sees(event) ? 1 : 3];
const short = event => event[sees(event) ? 2 : 4];

const LOSSES = new Map((D.losses || []).map(row => [row[0], row]));
// The decision that led to a frame is the first of its events.
const lossOf = i => i === 0 ? undefined : LOSSES.get(D.frames[i].event);
const shownLoss = row => row[3] === null ? "" : row[5] === "best" ? "best move" : `${row[5]}: ${row[3].toFixed(1)} points lost, ${row[2]} was best`;
const mayShow = i => view === null || D.frames[i].told[0][0] === view;

function page() {
  document.title = D.title;
  $("title").textContent = D.title;
  $("result").textContent = D.result;
  $("slider").max = LAST;
  $("how").textContent = `${D.how}; fewer are better`;
  $("knows").textContent = D.forSeat === null ? "This page knows all hands. It uses no network." : `This page holds only what ${full(D.forSeat)} can see. It uses no network.`;
  let css = "";
  for (const v of VIEWS) for (let s = 0; s < SEATS; s++) if (v !== null && s !== v) css += `.as${v} .h${s} .up{display:none}.mx.as${v} .h${s} .down{display:inline}.as${v} .g${s},.as${v} .p${s}{display:none}`;
  document.head.append(Object.assign(document.createElement("style"), {textContent: css}));
  for (const v of VIEWS) {
    const button = document.createElement("button");
    button.textContent = v === null ? "All hands" : `As ${full(v)}`;
    button.dataset.view = v === null ? "all" : v;
    button.onclick = () => look(v);
    $("views").append(button);
  }
  D.frames.forEach((_, i) => {
    const item = document.createElement("li");
    item.onclick = () => go(i);
    $("list").append(item);
  });
  if (HEAT === null) $("places").hidden = true;
}

function graph() {
  const w = 860, h = 200, l = 36, r = 10, t = 8, b = 20;
  const most = Math.max(10, ...D.frames.flatMap(f => f.points));
  const x = i => l + (w - l - r) * i / Math.max(1, LAST), y = v => h - b - (h - t - b) * v / most;
  const step = most > 400 ? 100 : most > 160 ? 50 : most > 60 ? 20 : 10;
  let inside = "";
  for (let v = 0; v <= most; v += step) inside += `<path d="M${l} ${y(v)}H${w - r}" stroke="var(--line)"/><text x="${l - 6}" y="${y(v) + 4}" font-size="11" text-anchor="end" fill="var(--dim)">${v}</text>`;
  for (let s = 0; s < SEATS; s++) inside += `<path d="M${D.frames.map((f, i) => `${x(i).toFixed(1)} ${y(f.points[s]).toFixed(1)}`).join("L")}" fill="none" stroke="${COLOURS[s]}" stroke-width="${view === s ? 3.2 : 1.8}" opacity="${view === null || view === s ? 1 : .4}"/>`;
  LOSSES.forEach((row, event) => {
    const i = D.frames.findIndex((f, k) => k > 0 && f.event === event);
    if (i > 0 && mayShow(i) && (row[5] === "mistake" || row[5] === "blunder")) inside += `<circle cx="${x(i)}" cy="${y(D.frames[i].points[D.frames[i].told[0][0]])}" r="4" fill="var(--bad)"><title>${safe(words(D.frames[i].told[0]))}; ${safe(shownLoss(row))}</title></circle>`;
  });
  inside += `<path d="M${x(at)} ${t}V${h - b}" stroke="var(--ink)" stroke-dasharray="3 3"/><text x="${l}" y="${h - 5}" font-size="11" fill="var(--dim)">deal</text><text x="${w - r}" y="${h - 5}" font-size="11" text-anchor="end" fill="var(--dim)">decision ${LAST}</text>`;
  $("graph").innerHTML = svg(w, h, inside, "Expected points by seat over the round");
  const drawn = $("graph").firstChild;
  drawn.onclick = e => {
    const box = drawn.getBoundingClientRect();
    go(Math.round(((e.clientX - box.left) / box.width * w - l) / (w - l - r) * LAST));
  };
  $("legend").innerHTML = D.names.map((_, s) => `<span><b style="background:${COLOURS[s]}"></b>${safe(full(s))} ${D.frames[at].points[s].toFixed(1)}</span>`).join("");
}

function heat() {
  if (HEAT === null) return;
  const seat = view ?? D.frames[at].seat ?? 0, row = D.forSeat === null ? at * SEATS + seat : at;
  $("whose").textContent = `Where ${full(seat)} should expect the tiles that it cannot see`;
  const n = D.highs.length, c = Math.max(6, Math.floor(150 / n)), from = row * D.tiles.length * PLACES;
  let out = "";
  for (let place = 0; place < PLACES; place++) {
    if (place === seat) continue;
    const name = place === SEATS ? "boneyard" : full(place);
    let inside = "";
    D.tiles.forEach(([tile, x, y], i) => {
      const value = HEAT[from + i * PLACES + place];
      inside += value === KNOWN
        ? `<rect x="${x * c + c * .3}" y="${y * c + c * .3}" width="${c * .4}" height="${c * .4}" fill="var(--line)"/>`
        : `<rect x="${x * c}" y="${y * c}" width="${c - 1}" height="${c - 1}" fill="rgba(var(--heat),${(.05 + .95 * Math.pow(value / D.steps, .6)).toFixed(2)})"><title>${safe(tile)}, ${safe(name)}: ${Math.round(100 * value / D.steps)} %</title></rect>`;
    });
    D.highs.forEach((half, i) => {
      if (i % 3 === 0 || !/\d/.test(half)) inside += `<text x="${i * c + c / 2}" y="${D.rows * c + 9}" font-size="8.5" text-anchor="middle" fill="var(--dim)">${safe(half)}</text>`;
    });
    out += `<figure>${svg(n * c, D.rows * c + 12, inside, `Probable tiles: ${name}`)}<figcaption>${safe(name)}</figcaption></figure>`;
  }
  $("heat").innerHTML = out;
}

function list() {
  [...$("list").children].forEach((item, i) => {
    const row = lossOf(i);
    const grade = row && mayShow(i) && row[3] !== null && row[5] !== "best" && row[5] !== "fine" ? ` <span class="${safe(row[5])}">−${row[3].toFixed(1)}</span>` : "";
    item.innerHTML = `<i>${i}</i> ${safe(D.frames[i].told.map(short).join(" · ") || "deal")}${grade}`;
    if (i === at) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const item = $("list").children[at];
  $("list").scrollTop = item.offsetTop - $("list").offsetTop - 120;
}

function draw() {
  const frame = D.frames[at];
  $("table").innerHTML = `<svg class="mx${view === null ? "" : ` as${view}`}" viewBox="0 0 ${D.width} ${frame.height}" role="img" aria-label="The table at decision ${at}"><rect class="felt" width="${D.width}" height="${frame.height}"/>${frame.parts.map(i => D.pool[i]).join("")}</svg>`;
  const row = lossOf(at);
  $("said").textContent = `${at ? "" : "The deal. "}${frame.told.map(words).join("; ")}${frame.told.length ? "." : ""}`;
  if (row && mayShow(at) && row[3] !== null) $("said").insertAdjacentHTML("beforeend", ` <b class="${safe(row[5])}">${safe(shownLoss(row))}</b>`);
  for (const button of $("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === (view === null ? "all" : String(view))));
  $("slider").value = at;
  $("slider").setAttribute("aria-valuetext", $("said").textContent);
  $("number").textContent = `${at} / ${LAST}`;
  graph();
  heat();
  fit();
  list();
  try { history.replaceState(null, "", `#${at}${view === null ? "" : `,${view}`}`); } catch { /* a page in a frame without an address */ }
}

function fit() { document.documentElement.style.setProperty("--tall", `${Math.max(220, $("table").clientHeight - 52)}px`); }
function look(v) { if (VIEWS.includes(v)) { view = v; draw(); } }
function go(i) { at = Math.max(0, Math.min(LAST, i)); if (at === LAST) stop(); draw(); }
function stop() { clearTimeout(timer); timer = null; $("play").classList.remove("on"); $("play").setAttribute("aria-label", "Play"); }
function tick() { timer = setTimeout(() => { go(at + 1); if (timer !== null) tick(); }, +$("speed").value); }
function play() {
  if (timer !== null) return stop();
  if (at === LAST) go(0);
  if (LAST === 0) return;
  $("play").classList.add("on");
  $("play").setAttribute("aria-label", "Pause");
  tick();
}

$("play").onclick = play;
$("first").onclick = () => go(0);
$("back").onclick = () => go(at - 1);
$("forward").onclick = () => go(at + 1);
$("last").onclick = () => go(LAST);
$("slider").oninput = e => go(+e.target.value);
addEventListener("resize", fit);
addEventListener("keydown", e => {
  if (e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
  const moves = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: LAST};
  if (e.key in moves) { e.preventDefault(); go(moves[e.key]); }
  else if (e.key === " " && e.target.tagName !== "BUTTON") { e.preventDefault(); play(); }
  else if (e.key.toLowerCase() === "a") look(null);
  else if (/^\d$/.test(e.key)) look(+e.key);
});
page();
const [frame, seat] = location.hash.slice(1).split(",");
if (/^\d+$/.test(frame)) at = Math.min(LAST, +frame);
if (/^\d+$/.test(seat) && VIEWS.includes(+seat)) view = +seat;
draw();
