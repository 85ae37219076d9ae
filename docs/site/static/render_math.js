// Formulas of the pages, $...$ in Markdown, are drawn by KaTeX from this folder.
document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".math").forEach(function (element) {
    renderMathInElement(element, {
      delimiters: [
        { left: "\\(", right: "\\)", display: false },
        { left: "\\[", right: "\\]", display: true },
      ],
      throwOnError: false,
    });
  });
});
