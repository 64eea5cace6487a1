/** References of a page made absolute, so that whatever is taken out of it can stand alone. */

interface Referring {
  readonly localName: string;
  getAttribute: (name: string) => string | null;
  setAttribute: (name: string, value: string) => void;
  remove: () => void;
}

interface Page {
  getElementsByTagName: (name: string) => Iterable<Referring>;
}

const REFERENCES = ['href', 'src', 'action', 'cite', 'poster', 'data'];

/** References that resolve to nothing stay as they are; the base element goes, as it has done its work. */
export function makeAbsolute(page: Page, base: string): void {
  const bases: Referring[] = [];
  for (const element of page.getElementsByTagName('*')) {
    if (element.localName === 'base') bases.push(element);
    for (const name of REFERENCES) {
      const value = element.getAttribute(name);
      const url = value === null ? null : URL.parse(value, base);
      if (url !== null) element.setAttribute(name, url.href);
    }
  }
  for (const element of bases) element.remove();
}
