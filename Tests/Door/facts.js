// What a page shows, as statements.py judges it. The value of this expression is a function.
() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isSeen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const name = (e) => (e.labels?.[0]?.textContent || e.getAttribute("aria-label") || e.textContent || e.value
    || e.tagName).trim().replace(/\s+/g, " ").slice(0, 60);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const isRed = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    const most = Math.max(r, g, b), least = Math.min(r, g, b);
    return alpha > 100 && r === most && most - least > 60 && r - Math.max(g, b) > 50 && Math.abs(g - b) < 70;
  };
  const texts = [];
  const small = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim().replace(/\s+/g, " "), e = walker.currentNode.parentElement;
    if (!text || e.closest("script, style, noscript, option, template") || !isSeen(e)) continue;
    texts.push({ text, isFixed: e.closest("[translate=no]") !== null, isFolded: e.closest("details") !== null });
    if (parseFloat(getComputedStyle(e).fontSize) < 14) small.push(e);
  }
  const isInline = (e) => e.tagName === "A" && getComputedStyle(e).display.startsWith("inline")
    && e.parentElement.textContent.trim().length > e.textContent.trim().length;
  const size = (e) => {
    const boxes = [e, ...(["radio", "checkbox"].includes(e.type) ? e.labels : [])].map((b) => b.getBoundingClientRect());
    const least = Math.min(...boxes.map((b) => b.top)), most = Math.max(...boxes.map((b) => b.bottom));
    return { height: most - least, width: Math.max(...boxes.map((b) => b.width)) };
  };
  const controls = all("a[href], button, input:not([type=hidden]), select, textarea, summary").filter(isSeen);
  const targets = controls.filter((e) => !isInline(e)).filter((e) => {
    const { height, width } = size(e);
    return height < 43.5 || width < 43.5;
  });
  const acts = controls.filter((e) => e.matches("button, a[href]"));
  const red = acts.filter((e) => {
    const style = getComputedStyle(e);
    return isRed(style.backgroundColor) || isRed(style.color) || isRed(style.borderTopColor);
  });
  const isChooser = (e) => e.matches("[hreflang]") || e.closest("[hreflang], form[action*=language], nav[lang]") !== null;
  const width = document.documentElement.clientWidth;
  // The pictures outline what is wrong.
  globalThis.walkFaults = { small, targets, red };
  return {
    lang: document.documentElement.lang,
    reader: navigator.language.slice(0, 2),
    title: document.title.trim(),
    headings: all("h1").map((e) => e.textContent.trim().replace(/\s+/g, " ")),
    alts: all("img[alt]").filter(isSeen).map((e) => e.alt),
    icon: document.querySelector("link[rel~=icon]")?.getAttribute("href") ?? "",
    texts,
    small: small.map(name),
    targets: targets.map((e) => `${name(e)} (${Math.round(size(e).width)} × ${Math.round(size(e).height)})`),
    red: red.map(name),
    acts: acts.map(name),
    next: acts.filter((e) => !e.disabled && !isChooser(e) && !e.closest("footer")).length
      + controls.filter((e) => e.matches("button.act")).length,
    isLive: document.querySelector("#live, meta[http-equiv=refresh i], form[data-challenge], form[data-wait]") !== null,
    hasProblems: all(".problems, [role=alert]").some(isSeen),
    values: Object.fromEntries(controls.filter((e) => e.name && e.type !== "password").map((e) => [e.name, e.value])),
    languages: controls.filter(isChooser).length,
    contacts: all("a[href^='mailto:'], a[href^='http']").filter(isSeen).length,
    inline: all("script:not([src]), [style], [onclick], style")
      // Playwright hides the caret while it takes a picture.
      .filter((e) => e.matches("script, style, [onclick]") || !/^(caret-color: [^;]+;?)?$/.test(e.getAttribute("style") ?? ""))
      .map((e) => e.outerHTML.slice(0, 120)),
    wide: document.documentElement.scrollWidth > innerWidth
      ? ["the page"] : all("body *").filter((e) => e.getBoundingClientRect().right > width + 1).slice(0, 3).map(name),
  };
}
