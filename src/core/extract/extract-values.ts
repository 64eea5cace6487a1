/** Runs extractions on a document. A rule selects elements, attributes, texts, or (XPath) a value. */
import type { Extraction } from './extract-rules.js';
import { MAX_VALUE_LENGTH, MAX_CHARACTERS, MAX_VALUES, numberIn, collapsedValue } from './extracted-value.js';

/** A selected node, or the number, boolean or string that an XPath expression evaluates to. */
export type Picked = string | PickedNode | PickedElement;

interface PickedNode {
  readonly textContent: string | null;
}

interface PickedElement extends PickedNode {
  readonly innerHTML: string;
  getAttribute: (name: string) => string | null;
}

/** A page on which expressions are run. Both functions throw for an expression that cannot be run. */
export interface Pickable {
  css: (selector: string) => Iterable<Picked>;
  xpath: (expression: string) => Iterable<Picked>;
}

/**
 * The values of a page by the names of the rules; several of one name are separated by tabs, in the order of rules and
 * page. A rule that cannot be run on this page yields none. Number and length are bounded.
 */
export function extractValues(page: Pickable, extractions: readonly Extraction[]): Record<string, string> {
  const valuesByName = new Map<string, string[]>();
  let left = MAX_CHARACTERS;
  for (const extraction of extractions) {
    const values = valuesOf(page, extraction);
    const kept = valuesByName.get(extraction.name) ?? [];
    for (const value of values.slice(0, MAX_VALUES - kept.length)) {
      if (value.length > left) break;
      left -= value.length;
      kept.push(value);
    }
    if (kept.length > 0) valuesByName.set(extraction.name, kept);
  }
  return Object.fromEntries([...valuesByName].map(([name, values]) => [name, values.join('\t')]));
}

function valuesOf(page: Pickable, extraction: Extraction): string[] {
  const max = extraction.all ? MAX_VALUES : 1;
  const values: string[] = [];
  try {
    for (const picked of page[extraction.language](extraction.expression)) {
      if (values.length >= max) break;
      const value = taken(picked, extraction.take);
      if (value !== '') values.push(value);
    }
  } catch {
    return [];
  }
  return values;
}

function taken(picked: Picked, take: string): string {
  if (typeof picked === 'string') return take === 'number' ? numberIn(picked) : collapsedValue(picked);
  const text = picked.textContent ?? '';
  // Before `collapsedValue`, which turns the narrow spaces that group thousands into plain ones.
  if (take === 'number') return numberIn(text);
  if (take === 'text' || !('innerHTML' in picked)) return collapsedValue(text);
  return collapsedValue(
    take === 'html' ? picked.innerHTML.slice(0, MAX_VALUE_LENGTH) : (picked.getAttribute(take.slice(1)) ?? ''),
  );
}
