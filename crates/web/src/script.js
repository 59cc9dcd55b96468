// Keys: n and p go to the next and the previous difference, j and k to the next and the previous pair,
// d and x judge, / goes to the search field.
"use strict";
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "/") {
    document.getElementById("q")?.focus();
    event.preventDefault();
    return;
  }
  const named = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (named) {
    named.click();
    return;
  }
  if (event.key !== "n" && event.key !== "p") return;
  const all = [...document.querySelectorAll(".difference")];
  if (all.length === 0) return;
  const here = all.findIndex((element) => element.classList.contains("here"));
  const step = event.key === "n" ? 1 : -1;
  const next = here < 0 ? (step > 0 ? 0 : all.length - 1) : (here + step + all.length) % all.length;
  if (here >= 0) all[here].classList.remove("here");
  all[next].classList.add("here");
  all[next].scrollIntoView({ block: "center" });
});
