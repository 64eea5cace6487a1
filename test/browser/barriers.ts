/**
 * Accessibility faults of a page, found inside the browser: controls and images without a name, headings out of order,
 * missing landmarks, duplicate ids, dangling label references, and text with too little contrast (WCAG 2.2: 1.1.1, 1.3.1, 1.4.3,
 * 2.4.6, 4.1.2). One function without imports, because `page.evaluate` sends it as text.
 */
export function barriers(): string[] {
  const found: string[] = [];
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const shows = (element: Element) => (element as HTMLElement).checkVisibility();
  const named = (element: HTMLElement) => `<${element.tagName.toLowerCase()} ${element.id || element.className}>`;

  const labelledBy = (element: HTMLElement) =>
    (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ');
  const nameOf = (element: HTMLElement) =>
    (element.getAttribute('aria-label') ?? labelledBy(element).trim()) ||
    [...((element as HTMLInputElement).labels ?? [])]
      .map((label) => label.textContent)
      .join(' ')
      .trim();
  for (const control of all('input, select, textarea, progress')) {
    if (shows(control) && nameOf(control) === '') found.push(`${named(control)} has no label`);
  }
  for (const element of all('a[href], button, summary')) {
    if (shows(element) && element.textContent.trim() === '' && nameOf(element) === '')
      found.push(`${named(element)} has no name`);
  }
  for (const image of all('img:not([alt])')) found.push(`${named(image)} has no alt`);
  for (const region of all('section, [role=region], form, nav, [role=group], dialog')) {
    if (nameOf(region) === '' && !region.querySelector('h2')) found.push(`${named(region)} has no name`);
  }
  for (const landmark of ['body > header', 'main', 'body > footer', 'nav']) {
    if (all(landmark).length === 0) found.push(`there is no ${landmark}`);
  }
  const headings = all('h1, h2, h3, h4')
    .filter(shows)
    .map(({ tagName }) => Number(tagName[1]));
  if (headings.filter((level) => level === 1).length !== 1) found.push(`headings of level 1: ${headings.join(' ')}`);
  headings.forEach((level, at) => {
    if (level > (headings[at - 1] ?? 0) + 1) found.push(`headings skip a level: ${headings.join(' ')}`);
  });
  const ids = all('[id]').map(({ id }) => id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`id ${id} is used twice`);
  for (const element of all('[for], [aria-describedby], [aria-labelledby]')) {
    for (const attribute of ['for', 'aria-describedby', 'aria-labelledby']) {
      for (const id of element.getAttribute(attribute)?.split(' ') ?? []) {
        if (!document.getElementById(id))
          found.push(`${named(element)}: ${attribute} points to ${id}, which is not there`);
      }
    }
  }
  if (!document.documentElement.lang) found.push('the page has no language');

  type Colour = [red: number, green: number, blue: number, alpha: number];
  const colour = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const luminance = ([red, green, blue]: Colour) => {
    const linear = (value: number) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const groundOf = (element: Element): Colour => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const ground = colour(getComputedStyle(at).backgroundColor);
      if (ground[3] === 1) return ground;
    }
    return [255, 255, 255, 1];
  };
  for (const element of all('body *')) {
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    if (!hasText || !shows(element) || element.closest('.unseen, noscript')) continue;
    const [text, ground] = [luminance(colour(getComputedStyle(element).color)), luminance(groundOf(element))];
    const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (ratio < 4.5)
      found.push(`${named(element)} has contrast ${ratio.toFixed(2)}: ${element.textContent.slice(0, 40)}`);
  }
  return [...new Set(found)];
}
