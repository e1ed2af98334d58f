"use strict";
// The replay of one game: steps through the moments that a viewer noticed, with what a player makes of each decision.

(() => {
  const { say, both, make } = Tressette;
  const $ = (id) => document.getElementById(id);
  const DATA = JSON.parse($("data").textContent);
  const RUN_MS = 1300;
  Tressette.source = (card) => DATA.cards[card];

  let view = DATA.views[0];
  let place = 0;  // in the view's moments
  let timer = null;

  // ---- drawing ----
  function draw() {
    const moment = view.moments[place];
    const atEnd = place === view.moments.length - 1;
    Tressette.drawWhere($("where"), moment.table);
    Tressette.drawScore($("score"), moment.table);
    Tressette.drawTable($("table"), moment.table);
    $("slider").max = view.moments.length - 1;
    $("slider").value = place;
    $("slider").setAttribute("aria-valuetext", both(moment.lines).join(", "));
    $("count").textContent = `${place} / ${view.moments.length - 1}`;
    for (const id of ["first", "back"]) $(id).disabled = place === 0;
    for (const id of ["forward", "end"]) $(id).disabled = atEnd;
    $("run").textContent = say(timer ? "page_pause" : "page_run");
    const lines = [...both(moment.lines), ...(atEnd && DATA.status === "running" ? [say("unfinished")] : [])];
    $("lines").replaceChildren(...lines.map((line) => make("p", {}, line)));
    drawDecision(moment.explained ? DATA.explanations[moment.step] : null);
    $("results").hidden = !atEnd || !view.results.length;
    $("deals").replaceChildren(...view.results.map((result) => make("div", {}, ...both(result).map((line) => make("p", {}, line)))));
  }
  function drawDecision(told) {
    $("decision").hidden = !told;
    if (!told) return;
    $("player").textContent = told.player && `${told.player}`;
    const values = told.choices.map((choice) => choice.value).filter((value) => value !== null);
    const low = Math.min(...values), width = Math.max(...values) - low;
    const part = (choice) => choice.probability ?? (choice.value === null ? 0 : width ? (choice.value - low) / width : 1);
    const known = told.choices.filter((choice) => choice.id === told.taken || choice.probability > 0 || choice.value !== null);
    $("choices").replaceChildren(...known.map((choice) => choiceRow(choice, choice.id === told.taken, part(choice))));
    const verdict = [];
    if (told.value !== null) verdict.push(`${say("page_value")}: ${signed(told.value)}`);
    if (told.lost !== null) verdict.push(`${say("page_lost")}: ${told.lost}`);
    $("verdict").textContent = verdict.join(" · ");
  }
  function choiceRow(choice, taken, part) {
    const fill = make("i");
    fill.style.width = `${100 * part}%`;
    return make("div", { class: taken ? "choice taken" : "choice" }, both(choice.text),
      make("span", {}, choice.probability === null ? "" : `${Math.round(100 * choice.probability)}%`),
      make("span", {}, choice.value === null ? "" : signed(choice.value)),
      make("div", { class: "bar" }, fill));
  }
  function signed(value) { return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2); }

  // ---- moving ----
  function go(to) {
    place = Math.max(0, Math.min(view.moments.length - 1, to));
    if (place === view.moments.length - 1) stop();
    draw();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
  }
  function run() {
    if (timer) {
      stop();
    } else {
      if (place === view.moments.length - 1) place = 0;
      timer = setInterval(() => go(place + 1), RUN_MS);
    }
    draw();
  }
  function look(index) {
    const step = view.moments[place].step;
    view = DATA.views[index];
    place = view.moments.findLastIndex((moment) => moment.step <= step);
    draw();
  }
  function speak(language) {
    Tressette.setLanguage(language);
    $("view").replaceChildren(...DATA.views.map((one, i) => make("option", { value: i, selected: one === view }, both(one.name))));
    draw();
  }
  const ACTIONS = { first: () => go(0), back: () => go(place - 1), run, forward: () => go(place + 1), end: () => go(view.moments.length - 1) };
  const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "end", " ": "run" };
  for (const [id, action] of Object.entries(ACTIONS)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => {
    const inControl = event.target.closest("select") || (event.key === " " && event.target.closest("button"));
    if (!KEYS[event.key] || inControl || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    ACTIONS[KEYS[event.key]]();
  });
  $("slider").addEventListener("input", () => go(Number($("slider").value)));
  $("view").addEventListener("change", () => look(Number($("view").value)));
  $("language").addEventListener("click", () => speak(Tressette.language === "en" ? "it" : "en"));
  $("viewing").hidden = DATA.views.length === 1;
  speak(Tressette.language);
})();
