// Runs before the first paint so that a chosen theme never flashes; external because the page allows no inline script.
(function () {
  var root = document.documentElement;
  var scheme = "auto";
  try {
    scheme = localStorage.getItem("panel-theme") || "auto";
    root.lang = localStorage.getItem("panel-language") || ((navigator.language || "").indexOf("ru") === 0 ? "ru" : "en");
  } catch (denied) {
    root.lang = "en";
  }
  if (scheme !== "light" && scheme !== "dark") {
    scheme = window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  }
  root.setAttribute("data-mantine-color-scheme", scheme);
})();
