/**
 * References resolved against one base, the usual ones without a URL parser.
 *
 * Most references of a page are the name of a neighbour, a path from the root, a path that climbs some folders first, or a
 * fragment, in characters that no URL parser changes. Those are put behind the folder, the root or the page as they stand;
 * whatever is less plain goes to the parser. The answers are those of WHATWG URL in either case.
 */
import { MAX_REFERENCE_LENGTH, resolveUrl } from '../url/resolve.js';
import { type OfFolder, type ResolvedReferences, dependsOnFolder } from './resolved-references.js';

/** `#top`: nothing that the parser escapes (C0 controls, space, `"`, `<`, `>`, a backtick, what is not ASCII). */
const PLAIN_FRAGMENT = /^#[\w!#$%&'()*+,./:;=?@~-]*$/;
/** `a/b.html#top`: no segment starts with a dot, so that there is nothing to resolve, and nothing is a scheme. */
const PLAIN_PATH =
  /^\/?[A-Za-z0-9_~-][\w.~-]*(?:\/[A-Za-z0-9_~-][\w.~-]*)*\/?(?:\?[\w!$%&()*+,./:;=?@~-]*)?(?:#[\w!#$%&'()*+,./:;=?@~-]*)?$/;
/** `../`, `./`, `../../`: what stands behind them has to be a plain path that does not begin at the root. */
const CLIMB = /^(?:\.\.?\/)+/;
/** A web URL that the parser leaves as it is: a host of names, no port, and a plain path. */
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?=\/)/;

export class ReferenceResolver {
  private readonly page: string;
  /** The folder of the base with the slash behind it; null for a base that is not on the web. */
  private readonly folder: string | null;
  /** Scheme and authority. */
  private readonly root: string;
  /** Folders above that of the base, by the `../` that lead there: pages of a site climb alike. */
  private readonly climbed = new Map<string, string>();
  /** What is remembered of the folder. */
  private readonly known: OfFolder | null;

  /**
   * @param base an absolute URL; for any other text only absolute references resolve
   * @param charset of the page, in which queries are sent (`resolveUrl`)
   * @param memory of references resolved for other pages
   */
  constructor(
    readonly base: string,
    private readonly charset = 'utf-8',
    private readonly memory?: ResolvedReferences,
  ) {
    const page = resolveUrl('', base);
    const isWeb = page !== null && /^https?:/.test(page);
    const path = isWeb ? page.split('?', 1)[0]! : '';
    this.page = page ?? base;
    this.folder = isWeb ? path.slice(0, path.lastIndexOf('/') + 1) : null;
    this.root = path.slice(0, path.indexOf('/', 'https://'.length));
    this.known = this.folder === null ? null : (memory?.of(this.folder, charset) ?? null);
  }

  /** The absolute URL, of any scheme and with its fragment; null for what cannot be resolved. */
  resolve(reference: string): string | null {
    const { known, memory } = this;
    if (known === null || memory === undefined || !dependsOnFolder(reference)) return this.newlyResolved(reference);
    const before = known.get(reference);
    return before === undefined ? memory.add(known, reference, this.newlyResolved(reference)) : before;
  }

  private newlyResolved(reference: string): string | null {
    return this.joined(reference) ?? resolveUrl(reference, this.base, this.charset);
  }

  /** The URL of a plain reference; null for one that is not. */
  private joined(reference: string): string | null {
    if (this.folder === null || reference.length > MAX_REFERENCE_LENGTH) return null;
    if (PLAIN_PATH.test(reference)) return (reference.startsWith('/') ? this.root : this.folder) + reference;
    if (PLAIN_FRAGMENT.test(reference)) return this.page + reference;
    const climb = CLIMB.exec(reference)?.[0] ?? PLAIN_URL.exec(reference)?.[0];
    if (climb === undefined || climb.includes('xn--')) return null;
    const rest = reference.slice(climb.length);
    if (climb.startsWith('h')) return rest === '/' || PLAIN_PATH.test(rest) ? reference : null;
    return PLAIN_PATH.test(rest) && !rest.startsWith('/') ? this.above(climb, this.folder) + rest : null;
  }

  private above(climb: string, folder: string): string {
    let found = this.climbed.get(climb);
    if (found === undefined) this.climbed.set(climb, (found = resolveUrl(climb, folder)!));
    return found;
  }
}
