/** References of a page made absolute, so that whatever is taken out of it can stand alone. */
import type { PageBudget } from '../tree/page-budget.js';

interface Referring {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; value: string }>;
  remove: () => void;
}

interface Page {
  getElementsByTagName: (name: string) => Iterable<Referring>;
  /** Of a tree that is bounded. */
  readonly budget?: PageBudget | null;
}

const REFERENCES = new Set(['href', 'src', 'action', 'cite', 'poster', 'data']);

/** References that resolve to nothing stay as they are; the base element goes, as it has done its work. */
export function makeAbsolute(page: Page, base: string): void {
  const bases: Referring[] = [];
  const resolve = resolver(base);
  for (const element of page.getElementsByTagName('*')) {
    if (element.localName === 'base') bases.push(element);
    for (const attribute of element.attributes) {
      if (!REFERENCES.has(attribute.name)) continue;
      attribute.value = resolve(attribute.value);
      // A base is as long as the page likes, a reference as short.
      page.budget?.spend(attribute.value.length);
    }
  }
  for (const element of bases) element.remove();
}

/** Names below the folder of the page: no scheme, no host, no query, nothing that a URL parser would change. */
const PLAIN_PATH = /^[\w-]+(?:[./][\w-]+)*\/?(?:#[\w.-]*)?$/;
const PLAIN_FRAGMENT = /^#[\w.-]*$/;

/** Most references of a page are plain, and are put behind the base as they are. */
function resolver(base: string): (reference: string) => string {
  const url = URL.parse(base);
  const parsed = (reference: string) => URL.parse(reference, base)?.href ?? reference;
  if (url === null || !/^https?:$/.test(url.protocol)) return parsed;
  const page = url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
  const folder = url.origin + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  // A URL with a user is none that `origin` begins.
  if (!url.href.startsWith(folder)) return parsed;
  return (reference) => {
    if (PLAIN_FRAGMENT.test(reference)) return page + reference;
    return PLAIN_PATH.test(reference) ? folder + reference : parsed(reference);
  };
}
