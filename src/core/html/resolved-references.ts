/**
 * Cache of resolved references for the pages of a site: navigation links repeat from page to page.
 *
 * The result of a reference with a path or an authority depends only on the folder of its base and the charset. The cache is
 * bounded, and its strings are copied: a substring would keep the whole page in memory. The same URL is always the same string,
 * so its hash is computed once.
 */

/** Limits of all folders together. */
const MAX_REFERENCES = 20_000;
const MAX_CHARACTERS = 4_194_304;
/** Longer references are not cached. */
const MAX_LENGTH = 1_000;

/** Resolved references of one folder; null for one that does not resolve. */
export type OfFolder = Map<string, string | null>;

export class ResolvedReferences {
  private readonly folders = new Map<string, OfFolder>();
  private references = 0;
  private characters = 0;

  /** The references of a folder, by its URL and the charset of the page. Clears the cache first if it is full. */
  referencesOf(folder: string, charset: string): OfFolder {
    if (this.isFull) this.forget();
    const key = `${charset} ${folder}`;
    let references = this.folders.get(key);
    if (references === undefined) {
      this.folders.set(key, (references = new Map()));
      this.count(key.length);
    }
    return references;
  }

  /** Caches the URL of a reference, unless the cache is full; returns the string to use from now on. */
  add(known: OfFolder, reference: string, url: string | null): string | null {
    if (this.isFull || reference.length > MAX_LENGTH || (url?.length ?? 0) > MAX_LENGTH) return url;
    this.count(reference.length + (url?.length ?? 0));
    const kept = url === null ? null : copied(url);
    known.set(copied(reference), kept);
    return kept;
  }

  private get isFull(): boolean {
    return this.references >= MAX_REFERENCES || this.characters >= MAX_CHARACTERS;
  }

  private count(characters: number): void {
    this.references++;
    this.characters += characters;
  }

  private forget(): void {
    this.folders.clear();
    this.references = 0;
    this.characters = 0;
  }
}

/**
 * Whether the result of a reference depends on no more than the folder of its base, not on its file name or query: it has a path
 * or an authority. A scheme without an authority (`http:`, `http:?a`) can be followed by just a query.
 */
export function dependsOnFolder(reference: string): boolean {
  const first = reference.charCodeAt(0);
  // The parser removes leading spaces and control characters.
  if (!(first > SPACE) || first === HASH || first === QUESTION) return false;
  return !reference.includes(':') || /^https?:\/\/|^[^:]*[/?#]/.test(reference);
}

const SPACE = 0x20;
const HASH = 0x23;
const QUESTION = 0x3f;

/** A copy of the text in its own memory. */
function copied(text: string): string {
  const latin1 = Buffer.from(text, 'latin1').toString('latin1');
  return latin1 === text ? latin1 : Buffer.from(text, 'utf16le').toString('utf16le');
}
