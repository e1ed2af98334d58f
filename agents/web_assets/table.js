"use strict";
// The table as one seat knows it, or all of it, from the data that the server or the replay holds. Shared by both pages.

const Tressette = (() => {
  const words = JSON.parse(document.getElementById("words").textContent);
  let language = document.documentElement.lang;

  // ---- words ----
  function say(key, blanks = {}) {
    return words[language][key].replace(/\{(\w+)\}/g, (_, name) => blanks[name]);
  }
  function both(text) { return text[language]; }
  function cardName(card) { return card < 0 ? say("page_card") : words[language].cards[card]; }
  function seatName(seat) { return say("seat", { n: seat }); }
  function bidName(bid) { return bid === "pass" ? say("pass") : bid; }
  function setLanguage(next) {
    language = next;
    document.documentElement.lang = next;
    for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
    for (const element of document.querySelectorAll("[data-label]")) {
      element.setAttribute("aria-label", say(element.dataset.label));
      element.title = say(element.dataset.label);
    }
  }

  // ---- elements ----
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }
  function cardPicture(card) {
    return make("img", { class: "card", src: Tressette.source(card), alt: cardName(card), draggable: "false" });
  }

  // ---- seats ----
  const SLOTS = {
    2: ["bottom", "top"],
    3: ["bottom", "topright", "topleft"],
    4: ["bottom", "right", "top", "left"],
    5: ["bottom", "right", "topright", "topleft", "left"],
  };
  function slotsOf(facts) {
    const names = SLOTS[facts.seats.length];
    return Object.fromEntries(facts.seats.map((place, i) => [place.seat, names[i]]));
  }
  function sideClass(facts, side) {
    if (side < 0) return "";
    const own = facts.viewer === null ? 0 : facts.seats[0].side;
    return own < 0 ? "" : side === own ? "own" : "foe";
  }
  function drawSeat(facts, place, slot, player, held) {
    const marks = make("div", { class: "marks" });
    if (place.dealer) marks.append(make("span", { class: "mark dealer", title: say("page_dealer") }, say("page_dealer")));
    const said = [place.role && both(place.role), place.bid && bidName(place.bid), ...place.declared.map(both)];
    for (const mark of said.filter(Boolean)) marks.append(make("span", { class: "mark" }, mark));
    const count = place.count > place.cards.length ? cardCount(place.count) : "";
    const line = (...texts) => make("small", {}, texts.filter(Boolean).join(" · "));
    const plate = make("div", { class: "plate" },
      make("div", {}, make("b", {}, seatName(place.seat)), " ", line(place.due ? say(place.due) : count)),
      line(place.relation && say(place.relation), player));
    const classes = ["seat", `at-${slot}`, place.due ? "due" : "", sideClass(facts, place.side)];
    return make("div", { class: classes.join(" "), "data-seat": place.seat }, plate, marks, held ? heldCards(place) : null);
  }
  function heldCards(place) {
    const hidden = Array(place.count - Math.min(place.count, place.cards.length)).fill(-1);
    const open = !hidden.length && place.cards.length ? " open" : "";
    const cards = [...place.cards, ...hidden].map(cardPicture);
    return make("div", { class: `held${open}`, role: "img", "aria-label": heldLabel(place) }, ...cards);
  }
  function cardCount(count) { return `${count} ${say(count === 1 ? "page_card" : "page_cards")}`; }
  function heldLabel(place) { return [cardCount(place.count), ...place.cards.map(cardName)].join(", "); }

  // ---- the middle ----
  function drawTrick(facts, slots) {
    const trick = facts.trick;
    const cards = make("div", { class: `trick${trick && trick.finished ? " finished" : ""}` });
    if (trick) {
      trick.plays.forEach((play, i) => {
        const best = i === trick.best ? " best" : "";
        cards.append(make("div", { class: `played at-${slots[play.seat]}${best}`, "data-card": play.card },
          cardPicture(play.card),
          play.signal ? make("span", { class: "bubble" }, play.signal.replace("_", " ")) : null));
      });
    }
    return make("div", { class: "middle" }, cards, drawPiles(facts));
  }
  function drawPiles(facts) {
    const piles = make("div", { class: "piles" });
    const pile = (name, cards, count) => piles.append(make("div", { class: "pile" },
      make("div", { class: "row" }, ...cards.map(cardPicture)), count == null ? name : `${name} ${count}`));
    if (facts.stock) pile(say("page_stock"), [-1], facts.stock);
    if (facts.trump >= 0) pile(say("page_trump"), [facts.trump]);
    if (facts.monte.length) pile(say("page_monte"), facts.monte);
    const auction = facts.auction;
    if (auction && auction.called >= 0) pile(say("page_called"), [auction.called]);
    if (auction && auction.given >= 0) pile(say("page_given"), [auction.given]);
    if (auction && auction.monte.length) pile(say("page_monte"), auction.monte);
    if (auction && auction.discards.length) pile(say("page_discarded"), auction.discards);
    return piles;
  }
  function drawResult(facts, ...more) {
    const lines = both(facts.result).map((line) => make("p", {}, line));
    return make("div", { class: "result", role: "group", "aria-label": say("page_result") }, ...lines, ...more);
  }

  // ---- all of it ----
  // options: players (names by seat), ownHand (false: the viewer's cards are drawn elsewhere), result (elements below it)
  function drawTable(root, facts, options = {}) {
    const slots = slotsOf(facts);
    root.dataset.seats = facts.seats.length;
    const seats = facts.seats.map((place, i) => drawSeat(
      facts, place, slots[place.seat], (options.players || [])[place.seat], i > 0 || options.ownHand !== false));
    const middle = drawTrick(facts, slots);
    const result = facts.result && options.result ? [drawResult(facts, ...options.result)] : [];
    root.replaceChildren(...seats, middle, ...result);
  }
  function drawScore(root, facts) {
    const row = (name, shares) => make("div", {}, make("dt", {}, name), make("dd", {}, ...shares.map((share) => {
      const side = sideClass(facts, share.side);
      return make("span", { class: side ? (side === "own" ? "side-own" : "side-other") : "" },
        `${both(share.who)} `, make("b", {}, share.points));
    })));
    root.replaceChildren(
      row(say("page_taken"), facts.taken),
      row(`${say("page_total")} ${say("page_to")} ${facts.target}`, facts.totals));
  }
  function drawWhere(root, facts) { root.textContent = `${facts.rules} · ${say("page_deal")} ${facts.deal}`; }
  function trickRow(trick) {
    return make("div", { class: "trick-row" }, ...trick.plays.map((play, i) => make("figure", { class: i === trick.best ? "best" : "" },
      cardPicture(play.card), make("figcaption", {}, seatName(play.seat), play.signal ? make("br") : null, play.signal.replace("_", " ")))));
  }

  return {
    say, both, cardName, setLanguage, make, cardPicture, drawTable, drawScore, drawWhere, trickRow,
    get language() { return language; },
    source: (card) => `/cards/${card < 0 ? "back" : card}.png`,
  };
})();
