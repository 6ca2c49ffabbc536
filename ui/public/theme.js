// Runs before the first paint, so that no page flashes in the wrong theme. A file of its own: the
// content security policy allows no inline script.
(function () {
  var root = document.documentElement;
  var dark = matchMedia("(prefers-color-scheme: dark)");
  function apply() {
    var saved = null;
    try {
      saved = localStorage.getItem("sonde.theme");
      root.dataset.density = localStorage.getItem("sonde.density") || "compact";
    } catch (e) {
      // Storage may be forbidden; the system's choice stands.
    }
    root.dataset.theme = saved === "light" || saved === "dark" ? saved : dark.matches ? "dark" : "light";
  }
  apply();
  dark.addEventListener("change", apply);
  window.addEventListener("sonde:theme", apply);
})();
