/** The base URLs of nested elements (`xml:base`). A base is resolved when a link needs it: most elements have no links. */

/** Longest URL. */
const MAX_URL_LENGTH = 4_096;

export class BaseUrl {
  private resolved: string | undefined;

  /** @param written the `xml:base` of an element @param around the base of the element around it */
  constructor(
    private readonly written: string,
    private readonly around: BaseUrl | undefined,
  ) {}

  /** Empty where it is too long. */
  get url(): string {
    return (this.resolved ??= against(this.written.trim(), this.around) ?? '');
  }
}

/** Resolves a reference against an absolute base; unchanged without a base; null where the result is too long. */
export function against(reference: string, around: BaseUrl | undefined): string | null {
  const base = /^[a-z][\w+.-]*:/i.test(reference) ? '' : (around?.url ?? '');
  const url = base === '' ? reference : (URL.parse(reference, base)?.href ?? reference);
  return url.length > MAX_URL_LENGTH ? null : url;
}
