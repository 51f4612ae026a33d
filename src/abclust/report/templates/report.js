"use strict";
// Nothing here is needed to read the report: it lets one point at a pair, sort the table and print all sets.

const palette = document.body.dataset.palette.split(" ").map((hex) =>
  [0, 2, 4].map((start) => parseInt(hex.slice(start, start + 2), 16)));

function pixelsOf(image, side) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  // Some browsers hide what is on a canvas from scripts; a colour we know tells whether this one does.
  context.fillStyle = "rgb(10, 20, 30)";
  context.fillRect(0, 0, 1, 1);
  const known = context.getImageData(0, 0, 1, 1).data;
  if (known[0] !== 10 || known[1] !== 20 || known[2] !== 30) return null;
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, side, side).data;
}

function probabilityAt(pixels, place) {
  let best = 0, bestDistance = Infinity;
  palette.forEach((colour, level) => {
    const distance = colour.reduce((sum, channel, axis) => sum + (channel - pixels[4 * place + axis]) ** 2, 0);
    if (distance < bestDistance) [best, bestDistance] = [level, distance];
  });
  return (best / (palette.length - 1)).toFixed(2);
}

function letPointAtPairs(heat) {
  const n = Number(heat.dataset.n);
  const set = heat.closest(".body"), output = heat.parentElement.querySelector(".pair");
  const crosses = heat.querySelectorAll(".cross");
  let names = null, pixels = null, row = 0, column = 0;

  function prepare() {
    names = JSON.parse(heat.dataset.names);
    pixels = pixelsOf(heat.querySelector("img"), n);
  }
  function picture(position) {
    const found = set.querySelector(`.strip img[data-p="${position}"]`);
    if (!found) return [];
    const copy = document.createElement("img");
    copy.src = found.src;
    copy.alt = "";
    return [copy];
  }
  function show() {
    if (!names) prepare();
    const box = [[0, row, n, 1], [column, 0, 1, n]];
    crosses.forEach((cross, place) => ["x", "y", "width", "height"].forEach((name, axis) =>
      cross.setAttribute(name, box[place][axis])));
    const text = document.createElement("span");
    const probability = pixels ? `: ${probabilityAt(pixels, row * n + column)}` : "";
    text.textContent = row === column ? names[row] : `${names[row]} and ${names[column]}${probability}`;
    output.replaceChildren(...picture(row), ...(row === column ? [] : picture(column)), text);
  }
  function clamp(value) {
    return Math.min(n - 1, Math.max(0, value));
  }
  function point(event) {
    const box = heat.getBoundingClientRect();
    column = clamp(Math.floor(((event.clientX - box.left) / box.width) * n));
    row = clamp(Math.floor(((event.clientY - box.top) / box.height) * n));
    show();
  }
  output.textContent = "Point at the picture to see a pair.";
  output.hidden = false;
  heat.addEventListener("pointermove", point);
  heat.addEventListener("pointerdown", point);
  heat.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    row = clamp(row + step[0]);
    column = clamp(column + step[1]);
    show();
  });
}

function letSort(table) {
  const body = table.tBodies[0], rows = [...body.rows];
  const valueOf = (row, column) => {
    const text = column < row.cells.length ? row.cells[column].textContent.trim() : "";
    const number = parseFloat(text.replaceAll(",", ""));
    return column > 0 ? (Number.isNaN(number) ? -Infinity : number) : text;
  };
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const direction = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      const compare = (first, second) => {
        const [a, b] = [valueOf(first, column), valueOf(second, column)];
        return typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : (a > b) - (a < b);
      };
      body.append(...[...rows].sort((first, second) => direction * compare(first, second)));
    });
  });
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}

document.querySelectorAll(".heat[data-n]").forEach(letPointAtPairs);
document.querySelectorAll("table.index").forEach(letSort);
addEventListener("hashchange", openTarget);
openTarget();

let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.set:not([open])")];
  closed.forEach((set) => { set.open = true; });
});
addEventListener("afterprint", () => closed.forEach((set) => { set.open = false; }));
