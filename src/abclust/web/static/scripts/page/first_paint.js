"use strict";
// Runs before the first paint, so that a chosen theme never flashes in the other colours. See theme.js.
try {
  const chosen = localStorage.getItem("abclust-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps no storage follows the system's colours.
}
