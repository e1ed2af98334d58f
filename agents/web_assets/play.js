"use strict";
// The page to play on: shows what the server tells of the person's table, sends the person's choices.

(() => {
  const { say, both, make, cardPicture, cardName } = Tressette;
  const $ = (id) => document.getElementById(id);
  const CALM = matchMedia("(prefers-reduced-motion: reduce)");
  const NARROW = matchMedia("(max-width: 34rem)");
  const CARD_MS = 600, TRICK_MS = 1100, LOOK_MS = 3000;
  const IN_HAND = ["play", "give", "discard"];  // actions that are a card of the hand

  let state = null;     // what the server told last
  let shown = null;     // the table on show: the state's, or one on the way to it
  let busy = true;      // a request or the others' cards are under way
  let chosen = -1;      // card whose signal is asked for
  let hint = null;      // what the server told of the decision that is due
  let hurry = false;    // the person does not want to wait for the others' cards
  let byKeyboard = false;  // the last thing the person used
  let status = null;    // function that returns what is said below, in the page's language

  // ---- talking to the server ----
  async function ask(path, body) {
    const options = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw { kind: "lost" };
    }
    const data = await answer.json();
    if (!answer.ok) throw data;
    return data;
  }
  async function send(path, body) {
    if (busy) return;
    busy = true;
    chosen = -1;
    tell(() => say("page_thinking"));
    draw();
    try {
      await follow(await ask(path, { ...body, turn: state.turn }));
    } catch (problem) {
      busy = false;
      if (problem.kind === "stale") return look(true);
      tellProblem(problem);
      draw();
    }
  }
  async function look(force = false) {
    if (!force && (busy || document.hidden)) return;
    try {
      const next = await ask("/api/state");
      if (!busy && (force || !state || next.turn !== state.turn)) await follow(next);
      else if (status && status.lost) tell(null);
    } catch (problem) {
      tellProblem(problem);
    }
  }
  function tellProblem(problem) {
    if (!problem.kind) throw problem;
    const text = problem.kind === "lost" ? () => say("page_lost_server") : () => problem.error;
    text.lost = problem.kind === "lost";
    tell(text, true);
  }

  // ---- from one state to the next: the others' cards are put down one by one ----
  async function follow(next) {
    busy = true;
    hint = null;
    hurry = CALM.matches;
    const before = state;
    state = next;
    for (const table of between(before && before.table, next.table)) {
      shown = table;
      draw();
      await pause(table.trick.finished ? TRICK_MS : CARD_MS);
    }
    shown = next.table;
    busy = false;
    document.body.dataset.turn = next.turn;
    tell(() => state.events.map(both).join("  ·  "));
    draw();
    if (byKeyboard) focusFirst(".hand .legal, .ask button, .result button");
    await refreshHint();
  }
  function pause(ms) {
    return new Promise((done) => {
      const end = performance.now() + ms;
      const step = () => (hurry || performance.now() >= end ? done() : setTimeout(step, 30));
      step();
    });
  }
  function* between(old, next) {
    const all = playsOf(next);
    const known = old && old.deal === next.deal && all.length >= playsOf(old).length ? playsOf(old).length : 0;
    if (!old && all.length) return;  // a page opened in the middle of a deal
    const size = next.seats.length;
    for (let count = known + 1; count < all.length + (next.result ? 1 : 0); count++) {
      const from = Math.floor((count - 1) / size) * size;
      const source = next.tricks[from / size] || next.trick;
      const plays = all.slice(from, count);
      const finished = plays.length === size;
      const later = all.slice(count);
      yield {
        ...next,
        result: null,
        taken: (old || next).taken,
        totals: (old || next).totals,
        trick: { ...source, plays, finished, best: finished ? source.best : -1 },
        seats: next.seats.map((place) => ({ ...place, due: "", count: place.count + later.filter((play) => play.seat === place.seat).length })),
        hand: handOf(old && old.deal === next.deal ? old : next).filter((card) => !plays.some((play) => play.card === card)),
      };
    }
  }
  function playsOf(table) {
    const open = table.trick && !table.trick.finished ? [table.trick] : [];
    return [...table.tricks, ...open].flatMap((trick) => trick.plays);
  }
  function handOf(table) { return table.hand || table.seats[0].cards; }

  // ---- drawing ----
  function draw() {
    Tressette.drawWhere($("where"), shown);
    Tressette.drawScore($("score"), shown);
    Tressette.drawTable($("table"), shown, { players: state.players, ownHand: false, result: busy ? [] : resultButtons() });
    $("save").hidden = !state.saves;
    $("last").disabled = !shown.tricks.length;
    drawHand();
    drawAsk();
  }
  function actionsOf(card) {
    return busy ? [] : state.actions.filter((action) => IN_HAND.includes(action.kind) && action.card === card);
  }
  function drawHand() {
    const cards = handOf(shown);
    const perRow = NARROW.matches && cards.length > 10 ? Math.ceil(cards.length / 2) : Math.max(1, cards.length);
    const rows = [];
    for (let at = 0; at < cards.length; at += perRow) {
      const row = cards.slice(at, at + perRow);
      const element = make("div", { class: "row" }, ...row.map(cardButton));
      element.style.setProperty("--n", Math.max(2, row.length));
      rows.push(element);
    }
    const waiting = busy || !state.due || !cards.some((card) => actionsOf(card).length);
    $("hand").classList.toggle("waiting", waiting);
    $("hand").replaceChildren(...rows);
  }
  function cardButton(card) {
    const actions = actionsOf(card);
    const classes = ["cardbutton", actions.length ? "legal" : "", card === chosen ? "chosen" : ""];
    const signals = actions.filter((action) => action.signal).map((action) => action.signal.replace("_", " "));
    return make("button", {
      type: "button", class: classes.join(" "), "data-card": card, disabled: !actions.length,
      "aria-label": [cardName(card), ...signals].join(", "), title: [cardName(card), ...signals].join(", "),
      onclick: () => choose(card, actions),
    }, cardPicture(card), hintMark(actions));
  }
  function choose(card, actions) {
    if (actions.length === 1) return act(actions[0]);
    chosen = card;
    draw();
    focusFirst(".ask button");
  }
  function act(action) { return send("/api/act", { action: action.id }); }
  function drawAsk() {
    const root = $("ask");
    root.replaceChildren();
    if (busy || !state.due) return;
    if (chosen >= 0) {
      root.append(make("p", {}, say("ask_signal", { card: cardName(chosen) })));
      for (const action of actionsOf(chosen)) root.append(choiceButton(action, signalWords(action)));
      root.append(make("button", { type: "button", onclick: back }, say("page_cancel")));
      return;
    }
    root.append(make("p", {}, both(state.ask)));
    for (const action of state.actions.filter((action) => !IN_HAND.includes(action.kind))) {
      root.append(choiceButton(action, [both(action.text)]));
    }
  }
  function signalWords(action) {
    if (!action.signal) return [say("page_silent")];
    return [action.signal.replace("_", " "), make("small", {}, say(action.signal))];
  }
  function choiceButton(action, children) {
    const picture = action.card >= 0 && action.kind === "call" ? cardPicture(action.card) : null;
    return make("button", { type: "button", "data-action": action.id, onclick: () => act(action) }, picture, ...children, hintMark([action]));
  }
  function back() {
    const card = chosen;
    chosen = -1;
    draw();
    focusFirst(`.hand [data-card="${card}"]`);
  }
  function focusFirst(selector) { document.querySelector(selector)?.focus({ preventScroll: true }); }
  function resultButtons() {
    if (!state.deal_over) return [];
    const next = make("button", { type: "button", class: "main", id: "next", onclick: () => send("/api/next", {}) }, say(state.over ? "page_new" : "page_next"));
    const record = state.over ? make("a", { class: "button", href: "/api/record", download: "game.jsonl" }, say("page_download")) : null;
    return [make("div", { class: "doing" }, next, record)];
  }
  function tell(text, bad = false) {
    status = text;
    $("status").textContent = text ? text() : "";
    $("status").classList.toggle("bad", bad);
  }

  // ---- hints ----
  function hinting() { return $("hints").getAttribute("aria-pressed") === "true"; }
  async function refreshHint() {
    if (!hinting() || busy || !state.due || (hint && hint.turn === state.turn)) return;
    try {
      const found = await ask("/api/hint");
      if (found.turn !== state.turn || busy) return;
      hint = found;
      const focus = document.activeElement && document.activeElement.dataset.card;
      draw();
      if (focus) focusFirst(`.hand [data-card="${focus}"]`);
      tell(() => `${say("page_hints")}: ${hint.player}`);
    } catch (problem) {
      if (problem.kind !== "stale") tellProblem(problem);
    }
  }
  function hintMark(actions) {
    if (!hint || !hinting() || !actions.length) return null;
    const ids = actions.map((action) => action.id);
    const choices = hint.choices.filter((choice) => ids.includes(choice.id));
    const shares = choices.filter((choice) => choice.probability !== null);
    const values = choices.filter((choice) => choice.value !== null).map((choice) => choice.value);
    if (!shares.length && !values.length) return null;
    const best = ids.includes(hint.choices[0].id) ? " best" : "";
    const share = shares.reduce((sum, choice) => sum + choice.probability, 0);
    const text = shares.length ? `${Math.round(100 * share)}%` : signed(Math.max(...values));
    return make("span", { class: `hint${best}` }, text);
  }
  function signed(value) { return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(1); }

  // ---- controls ----
  function toggleHints() {
    $("hints").setAttribute("aria-pressed", String(!hinting()));
    hint = null;
    draw();
    return refreshHint();
  }
  function showLast() {
    if (!shown.tricks.length || $("look").open) return;
    $("look-cards").replaceChildren(Tressette.trickRow(shown.tricks[shown.tricks.length - 1]));
    $("look").showModal();
  }
  async function save() {
    try {
      const answer = await ask("/api/save", {});
      tell(() => say("saved", { path: answer.saved }));
    } catch (problem) {
      tellProblem(problem);
    }
  }
  function speak(language) {
    Tressette.setLanguage(language);
    localStorage.setItem("language", language);
    if (state) draw();
    if (status) $("status").textContent = status();
  }
  function move(step) {
    const buttons = [...document.querySelectorAll(".hand .legal")];
    const at = buttons.indexOf(document.activeElement);
    if (buttons.length) buttons[(at + step + buttons.length) % buttons.length].focus();
  }
  const KEYS = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    Escape: () => { if (chosen >= 0) back(); },
    h: toggleHints,
    l: showLast,
    n: () => { const next = $("next"); if (next) next.click(); },
  };
  document.addEventListener("pointerdown", () => { byKeyboard = false; }, true);
  document.addEventListener("keydown", (event) => {
    byKeyboard = true;
    if (event.ctrlKey || event.metaKey || event.altKey || !state || $("look").open || !KEYS[event.key]) return;
    KEYS[event.key]();
    event.preventDefault();
  });
  $("hints").addEventListener("click", toggleHints);
  $("last").addEventListener("click", showLast);
  $("save").addEventListener("click", save);
  $("language").addEventListener("click", () => speak(Tressette.language === "en" ? "it" : "en"));
  $("table").addEventListener("click", () => { hurry = true; });
  NARROW.addEventListener("change", () => { if (shown) draw(); });

  const wanted = localStorage.getItem("language");
  Tressette.setLanguage(wanted === "en" || wanted === "it" ? wanted : Tressette.language);
  busy = false;
  look(true);
  setInterval(look, LOOK_MS);
})();
