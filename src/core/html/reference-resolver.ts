/**
 * Resolves references against one base, the usual ones without a URL parser.
 *
 * Most references of a page are a name in the same folder, a path from the root, a path that begins with `../`, or a fragment,
 * with characters that a URL parser does not change. Those are appended to the folder, the root or the page as they are; all
 * others are parsed. The results are those of WHATWG URL in either case.
 */
import { MAX_REFERENCE_LENGTH, resolveUrl } from '../url/resolve.js';
import { type OfFolder, type ResolvedReferences, dependsOnFolder } from './resolved-references.js';

/** `#top`: without characters that the parser escapes (C0 controls, space, `"`, `<`, `>`, a backtick, non-ASCII). */
const PLAIN_FRAGMENT = /^#[\w!#$%&'()*+,./:;=?@~-]*$/;
/** `a/b.html#top`: no segment begins with a dot, so there are no dot segments, and there is no scheme. */
const PLAIN_PATH =
  /^\/?[A-Za-z0-9_~-][\w.~-]*(?:\/[A-Za-z0-9_~-][\w.~-]*)*\/?(?:\?[\w!$%&()*+,./:;=?@~-]*)?(?:#[\w!#$%&'()*+,./:;=?@~-]*)?$/;
/** `../`, `./`, `../../`: must be followed by a plain relative path. */
const DOT_SEGMENTS = /^(?:\.\.?\/)+/;
/** A web URL that the parser does not change: a host name, no port, and a plain path. */
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?=\/)/;

export class ReferenceResolver {
  private readonly page: string;
  /** The folder of the base with a slash at the end; null for a base that is not a web URL. */
  private readonly folder: string | null;
  /** Scheme and authority. */
  private readonly root: string;
  /** Parent folders of the base, by the `../` of the reference: most references of a site have the same ones. */
  private readonly parents = new Map<string, string>();
  /** Cached references of the folder. */
  private readonly known: OfFolder | null;

  /**
   * @param base an absolute URL; for any other text only absolute references resolve
   * @param charset of the page, in which queries are encoded (`resolveUrl`)
   * @param memory cache of references resolved for other pages
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
    this.known = this.folder === null ? null : (memory?.referencesOf(this.folder, charset) ?? null);
  }

  /** The absolute URL, of any scheme and with its fragment; null if the reference cannot be resolved. */
  resolve(reference: string): string | null {
    const { known, memory } = this;
    if (known === null || memory === undefined || !dependsOnFolder(reference)) return this.newlyResolved(reference);
    const before = known.get(reference);
    return before === undefined ? memory.add(known, reference, this.newlyResolved(reference)) : before;
  }

  private newlyResolved(reference: string): string | null {
    return this.joined(reference) ?? resolveUrl(reference, this.base, this.charset);
  }

  /** The URL of a plain reference; null for others. */
  private joined(reference: string): string | null {
    if (this.folder === null || reference.length > MAX_REFERENCE_LENGTH) return null;
    if (PLAIN_PATH.test(reference)) return (reference.startsWith('/') ? this.root : this.folder) + reference;
    if (PLAIN_FRAGMENT.test(reference)) return this.page + reference;
    const prefix = DOT_SEGMENTS.exec(reference)?.[0] ?? PLAIN_URL.exec(reference)?.[0];
    if (prefix === undefined || prefix.includes('xn--')) return null;
    const rest = reference.slice(prefix.length);
    if (prefix.startsWith('h')) return rest === '/' || PLAIN_PATH.test(rest) ? reference : null;
    return PLAIN_PATH.test(rest) && !rest.startsWith('/') ? this.parent(prefix, this.folder) + rest : null;
  }

  private parent(dots: string, folder: string): string {
    let url = this.parents.get(dots);
    if (url === undefined) this.parents.set(dots, (url = resolveUrl(dots, folder)!));
    return url;
  }
}
