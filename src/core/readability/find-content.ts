/**
 * The main content of a page, as the reader view of Firefox finds it.
 *
 * The algorithm, its weights and word lists are those of Readability 0.6.0 (Arc90 2010, Mozilla since; Apache License
 * 2.0); the implementation is independent, for our tree. It counts text, links and elements only once (`contentsOf`),
 * where Readability reads all text below an element for each test. Tests compare the two (test/core/readability).
 * Metadata such as authors, dates and excerpts is left out.
 */
import { contentsOf } from '../tree/contents.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import { chosenOf, initialScore, type Scores, topCandidates, withSiblings } from './candidates.js';
import { type AttemptSteps, clean } from './clean.js';
import { isHollow, nextElement, onlyChild, removeAndGoOn } from './elements.js';
import { findParagraphs, type SearchedPage } from './paragraphs.js';
import { prepare } from './prepare.js';
import { PreparedBody } from './prepared-body.js';
import { aboutPage, likeTitle } from './title.js';

/** If the content has fewer characters, a less strict attempt follows. */
const MIN_LENGTH = 500;
/** From strict to lenient. */
const ATTEMPTS: readonly AttemptSteps[] = [
  { stripsUnlikely: true, weighsClasses: true, cleansConditionally: true },
  { stripsUnlikely: false, weighsClasses: true, cleansConditionally: true },
  { stripsUnlikely: false, weighsClasses: false, cleansConditionally: true },
  { stripsUnlikely: false, weighsClasses: false, cleansConditionally: false },
];

/**
 * An element with the main content; null for a page without any. Modifies the tree.
 * @param again parses the page again
 */
export function findContent(document: TreeDocument, again: () => TreeDocument): TreeElement | null {
  const { title, hasAuthor } = aboutPage(document, prepare(document));
  const { body } = document;
  if (body === null) return null;
  const page = { hasByline: hasAuthor, saysTitle: likeTitle(title) };
  const scores: Scores = new Map();
  const prepared = new PreparedBody(body, again);
  let longest: { content: TreeElement; length: number } | null = null;
  for (const attempt of ATTEMPTS) {
    if (attempt !== ATTEMPTS[0]) prepared.restore();
    const wasScored = scores.has(body);
    const { content, isCleaned } = contentOf(body, { page, scores, attempt });
    const { length } = contentsOf(content);
    if (length >= MIN_LENGTH) return simplified(content);
    if (length > (longest?.length ?? 0)) longest = { content, length };
    // The last attempt would differ only by what this one removed, or where this one was the first to score the body.
    if (!attempt.weighsClasses && !isCleaned && wasScored === scores.has(body)) break;
  }
  return longest === null ? null : simplified(longest.content);
}

function contentOf(
  body: TreeElement,
  { page, scores, attempt }: { page: SearchedPage; scores: Scores; attempt: AttemptSteps },
): { content: TreeElement; isCleaned: boolean } {
  const document = body.ownerDocument!;
  const paragraphs = findParagraphs(document, page, attempt.stripsUnlikely);
  const top = topCandidates(paragraphs, scores, attempt.weighsClasses);
  const isWhole = top.length === 0 || top[0]!.tagName === 'BODY';
  const chosen = isWhole ? allOf(body) : chosenOf(top, scores, attempt.weighsClasses);
  if (isWhole) scores.set(chosen, initialScore(chosen, attempt.weighsClasses));
  const content = withSiblings(chosen, scores);
  const isCleaned = clean(content, attempt);
  if (isWhole) {
    named(chosen);
    return { content, isCleaned };
  }
  const inner = named(document.createElement('div'));
  while (content.firstChild !== null) inner.appendChild(content.firstChild);
  content.appendChild(inner);
  return { content, isCleaned };
}

/** Moves the content of the body into a new element in it. */
function allOf(body: TreeElement): TreeElement {
  const whole = body.ownerDocument!.createElement('div');
  while (body.firstChild !== null) whole.appendChild(body.firstChild);
  return body.appendChild(whole);
}

const NAME = 'readability-page-1';

function named(element: TreeElement): TreeElement {
  element.id = NAME;
  element.className = 'page';
  return element;
}

/** Merges divisions whose only content is another division. */
function simplified(content: TreeElement): TreeElement {
  let element: TreeElement | null = content;
  while (element !== null) element = simplify(element);
  return content;
}

/** @returns the next element to simplify */
function simplify(element: TreeElement): TreeElement | null {
  const isDivision = element.tagName === 'DIV' || element.tagName === 'SECTION';
  if (!isDivision || element.parentNode === null || element.id.startsWith('readability')) return nextElement(element);
  if (isHollow(element)) return removeAndGoOn(element);
  const only = onlyChild(element, 'DIV') ?? onlyChild(element, 'SECTION');
  if (only === null) return nextElement(element);
  for (const attribute of element.attributes) only.setAttributeNode(attribute.cloneNode());
  element.parentNode.replaceChild(only, element);
  return only;
}
