// Texts of the page whose contrast with their ground is below what WCAG AA asks for.
(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parts = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = parts(color).map((value) => linear(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const color = getComputedStyle(up).backgroundColor;
      if (parts(color)[3] === 255) return color;
    }
    return "white";
  };
  const found = new Set();
  for (const element of document.querySelectorAll("main *, nav *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const left = element.closest("svg, :disabled, .zero, .chip, .hidden, option");
    if (!own || left || !element.checkVisibility()) continue;
    const pair = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) found.add(`${element.className} ${element.textContent.slice(0, 20)} ${ratio.toFixed(2)}`);
  }
  return [...found];
})();
