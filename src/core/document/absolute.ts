/** References of a page made absolute, so that whatever is taken out of it can stand alone. */

interface Referring {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; value: string }>;
  remove: () => void;
}

interface Page {
  getElementsByTagName: (name: string) => Iterable<Referring>;
}

const REFERENCES = new Set(['href', 'src', 'action', 'cite', 'poster', 'data']);

/** References that resolve to nothing stay as they are; the base element goes, as it has done its work. */
export function makeAbsolute(page: Page, base: string): void {
  const bases: Referring[] = [];
  for (const element of page.getElementsByTagName('*')) {
    if (element.localName === 'base') bases.push(element);
    for (const attribute of element.attributes) {
      if (!REFERENCES.has(attribute.name)) continue;
      const url = URL.parse(attribute.value, base);
      if (url !== null) attribute.value = url.href;
    }
  }
  for (const element of bases) element.remove();
}
