/** Makes the references of a page absolute, so that extracted parts are valid outside of it. */
import type { ReferenceResolver } from '../html/reference-resolver.js';
import type { PageBudget } from '../tree/page-budget.js';

interface Referring {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; value: string }> & { readonly length: number };
  remove: () => void;
}

/** Calls a function with each element. */
type Elements = (visit: (element: Referring) => void) => void;

const REFERENCES = new Set(['href', 'src', 'action', 'cite', 'poster', 'data']);

/** References for which an empty value means none: that it is the page itself would be wrong. */
const OF_RESOURCES = new Set(['src', 'poster', 'data']);

/** A reference that was changed. */
export interface ResolvedReference {
  readonly attribute: { value: string };
  readonly written: string;
  readonly absolute: string;
}

/**
 * Resolves all references; invalid ones, and those too long to be links, are left unchanged. Base elements are removed, as
 * they no longer apply.
 * @param changed gets those that were changed
 * @param budget that of a bounded tree
 */
export function makeAbsolute(
  elements: Elements,
  resolver: ReferenceResolver,
  { changed, budget }: { changed?: ResolvedReference[] | null; budget?: PageBudget | null } = {},
): void {
  const bases: Referring[] = [];
  elements((element) => {
    if (element.localName === 'base') bases.push(element);
    if (element.attributes.length === 0) return;
    for (const attribute of element.attributes) {
      if (!REFERENCES.has(attribute.name) || (attribute.value === '' && OF_RESOURCES.has(attribute.name))) continue;
      const { value: written } = attribute;
      attribute.value = resolver.resolve(written) ?? written;
      if (changed && attribute.value !== written) changed.push({ attribute, written, absolute: attribute.value });
      // A page may have a long base URL and many short references.
      budget?.spend(attribute.value.length);
    }
  });
  for (const element of bases) element.remove();
}

/** The result of `work` on the page as it is written. Afterwards the references are absolute again. */
export function asWritten<T>(references: readonly ResolvedReference[], work: () => T): T {
  for (const { attribute, written } of references) attribute.value = written;
  try {
    return work();
  } finally {
    for (const { attribute, absolute } of references) attribute.value = absolute;
  }
}

/** Whether a selector or XPath names an attribute with a reference. */
export const namesReference = (expression: string): boolean =>
  /(?<![\w-])(?:href|src|action|cite|poster|data)(?![\w-])/i.test(expression);
