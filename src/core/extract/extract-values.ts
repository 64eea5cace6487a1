/** Runs extractions on a document. What a rule picks is an element, an attribute, a text, or (XPath) a value. */
import type { Extraction } from './extract-rules.js';
import { MAX_VALUE_LENGTH, MAX_CHARACTERS, MAX_VALUES, numberIn, oneLine } from './extracted-value.js';

/** Something picked: a node, or the number, truth or string that an XPath expression is worth. */
type Picked = Node | string;

/**
 * The values of a page by the names of the rules; several of one name are divided by tabs, in the order of rules and
 * page. A rule that cannot be run on this page gives none. Bounded in number and length.
 * @param lender a document with a window, which runs XPath for those that have none
 */
export function extractValues(
  lender: Document,
  document: Document,
  extractions: readonly Extraction[],
): Record<string, string> {
  const found = new Map<string, string[]>();
  let left = MAX_CHARACTERS;
  for (const extraction of extractions) {
    const values = valuesOf(lender, document, extraction);
    const kept = found.get(extraction.name) ?? [];
    for (const value of values.slice(0, MAX_VALUES - kept.length)) {
      if (value.length > left) break;
      left -= value.length;
      kept.push(value);
    }
    if (kept.length > 0) found.set(extraction.name, kept);
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, values.join('\t')]));
}

function valuesOf(lender: Document, document: Document, extraction: Extraction): string[] {
  const max = extraction.all ? MAX_VALUES : 1;
  let picked: Iterable<Picked>;
  try {
    picked =
      extraction.language === 'css'
        ? document.querySelectorAll(extraction.expression)
        : pickByXPath(lender, document, extraction.expression);
  } catch {
    return [];
  }
  const values: string[] = [];
  for (const one of picked) {
    if (values.length >= max) break;
    const value = taken(one, extraction.take);
    if (value !== '') values.push(value);
  }
  return values;
}

/** Kinds of results (DOM XPathResult). */
const ANY = 0;
const NUMBER = 1;
const STRING = 2;
const BOOLEAN = 3;

function* pickByXPath(lender: Document, document: Document, expression: string): Generator<Picked> {
  const result = lender.evaluate(expression, document, null, ANY, null);
  if (result.resultType === NUMBER) yield String(result.numberValue);
  else if (result.resultType === STRING) yield result.stringValue;
  else if (result.resultType === BOOLEAN) yield String(result.booleanValue);
  else for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) yield node;
}

function taken(picked: Picked, take: string): string {
  if (typeof picked === 'string') return take === 'number' ? numberIn(picked) : oneLine(picked);
  const text = picked.textContent ?? '';
  // Before it is one line: there the narrow blanks that divide thousands are blanks like others.
  if (take === 'number') return numberIn(text);
  if (take === 'text' || !('innerHTML' in picked)) return oneLine(text);
  const element = picked as Element;
  return oneLine(
    take === 'html' ? element.innerHTML.slice(0, MAX_VALUE_LENGTH) : (element.getAttribute(take.slice(1)) ?? ''),
  );
}
