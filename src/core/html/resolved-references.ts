/**
 * What references resolve to, remembered over the pages of a site: navigation repeats itself from page to page.
 *
 * A reference that has a path, or more than that, depends on the folder of its base and on the charset alone. What is kept is
 * bounded, and is copied: a part of a page's text would keep the whole of it. The same URL comes as the same string each time, so
 * that tables which have seen it know its hash.
 */

/** Of all folders together. */
const MAX_REFERENCES = 20_000;
const MAX_CHARACTERS = 4_194_304;
/** Longer ones are not navigation. */
const MAX_LENGTH = 1_000;

/** What the references of one folder resolve to; null for what does not resolve. */
export type OfFolder = Map<string, string | null>;

export class ResolvedReferences {
  private readonly folders = new Map<string, OfFolder>();
  private references = 0;
  private characters = 0;

  /** Those of a folder, known by its URL, in pages of a charset. When there are too many, all is forgotten before. */
  of(folder: string, charset: string): OfFolder {
    if (this.isFull) this.forget();
    const key = `${charset} ${folder}`;
    let found = this.folders.get(key);
    if (found === undefined) {
      this.folders.set(key, (found = new Map()));
      this.count(key.length);
    }
    return found;
  }

  /** Notes what a reference of a folder resolves to, while there is room; the URL as it is to be used from now on. */
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
 * Whether what a reference leads to depends on its base's folder at most, and not on its query or name: it has a path, or an
 * authority. A scheme without one (`http:`, `http:?a`) may be followed by nothing but a query.
 */
export function dependsOnFolder(reference: string): boolean {
  const first = reference.charCodeAt(0);
  // The parser takes spaces and control characters away from the beginning.
  if (!(first > SPACE) || first === HASH || first === QUESTION) return false;
  return !reference.includes(':') || /^https?:\/\/|^[^:]*[/?#]/.test(reference);
}

const SPACE = 0x20;
const HASH = 0x23;
const QUESTION = 0x3f;

/** The same text in memory of its own. */
function copied(text: string): string {
  const latin1 = Buffer.from(text, 'latin1').toString('latin1');
  return latin1 === text ? latin1 : Buffer.from(text, 'utf16le').toString('utf16le');
}
