"use strict";
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView({ block: target.classList.contains("line") ? "center" : "start" });
}
function filter(field) {
  const list = document.getElementById(field.dataset.filter);
  const output = document.querySelector(`[data-result="${field.dataset.filter}"]`);
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = list.querySelectorAll("[data-row]");
  let shown = 0;
  for (const row of rows) {
    row.searchable ??= row.textContent.toLowerCase();
    row.hidden = !words.every((word) => row.searchable.includes(word));
    if (!row.hidden) shown += 1;
  }
  for (const group of list.querySelectorAll("details.group, details.module")) {
    const any = group.querySelector("[data-row]:not([hidden])") !== null;
    group.hidden = !any;
    if (words.length && any) group.open = true;
  }
  output.textContent = words.length ? `${shown} of ${rows.length}` : "";
}
function offerCopy(snippet) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(snippet.querySelector("pre").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  snippet.append(button);
}
addEventListener("hashchange", reveal);
for (const field of document.querySelectorAll("[data-filter]")) field.addEventListener("input", () => filter(field));
if (navigator.clipboard) document.querySelectorAll(".snippet").forEach(offerCopy);
reveal();
