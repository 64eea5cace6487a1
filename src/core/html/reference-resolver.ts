/**
 * References resolved against one base, the usual ones without a URL parser.
 *
 * Most references of a page are the name of a neighbour, a path from the root, or a fragment, in characters that no URL
 * parser changes. Those are put behind the folder, the root or the page as they stand; whatever is less plain goes to
 * the parser. The answers are those of WHATWG URL in either case.
 */
import { resolveUrl } from '../url/resolve.js';

/** `#top` */
const PLAIN_FRAGMENT = /^#[\w.:-]*$/;
/** `a/b.html#top`: no segment starts with a dot, so that there is nothing to resolve, and nothing is a scheme. */
const PLAIN_PATH = /^\/?[A-Za-z0-9_~-][\w.~-]*(?:\/[A-Za-z0-9_~-][\w.~-]*)*\/?(?:#[\w.:-]*)?$/;

export class ReferenceResolver {
  private readonly page: string;
  private readonly folder: string | null;
  private readonly root: string | null;

  /**
   * @param base an absolute URL; for any other text only absolute references resolve
   * @param charset of the page, in which queries are sent (`resolveUrl`)
   */
  constructor(
    private readonly base: string,
    private readonly charset = 'utf-8',
  ) {
    this.page = resolveUrl('', base) ?? base;
    const isWeb = /^https?:\/\//i.test(this.page);
    this.folder = isWeb ? resolveUrl('.', base) : null;
    this.root = isWeb ? resolveUrl('/', base)!.slice(0, -1) : null;
  }

  /** The absolute URL, of any scheme and with its fragment; null for what cannot be resolved. */
  resolve(reference: string): string | null {
    if (this.folder !== null && this.root !== null && PLAIN_PATH.test(reference))
      return (reference.startsWith('/') ? this.root : this.folder) + reference;
    if (this.folder !== null && PLAIN_FRAGMENT.test(reference)) return this.page + reference;
    return resolveUrl(reference, this.base, this.charset);
  }
}
