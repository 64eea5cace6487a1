/** Scores: text adds to the scores of its ancestors; the element with the highest score contains the main content. */
import { contentsOf } from '../tree/contents.js';
import type { TreeElement } from '../tree/element.js';
import { ELEMENT, type TreeNode } from '../tree/node.js';
import { classWeight } from './class-names.js';
import { renamed } from './elements.js';

/** Scores by element; an attempt starts with the score that the body had in the previous one. */
export type Scores = Map<TreeElement, number>;

const BY_NAME = new Map<string, number>([['DIV', 5]]);
for (const name of ['PRE', 'TD', 'BLOCKQUOTE']) BY_NAME.set(name, 3);
for (const name of 'ADDRESS OL UL DL DD DT LI FORM'.split(' ')) BY_NAME.set(name, -3);
for (const name of 'H1 H2 H3 H4 H5 H6 TH'.split(' ')) BY_NAME.set(name, -5);

export const initialScore = (element: TreeElement, weighsClasses: boolean): number =>
  (BY_NAME.get(element.tagName) ?? 0) + (weighsClasses ? classWeight(element) : 0);

/** Shorter texts do not count. */
const MIN_LENGTH = 25;
/** Number of ancestors to whose scores a text adds. */
const LEVELS = 5;
/** Number of candidates that are compared. */
const MAX_TOP = 5;

/** Scores the ancestors of the paragraphs. @returns the best candidates, in descending order */
export function topCandidates(
  paragraphs: readonly TreeElement[],
  scores: Scores,
  weighsClasses: boolean,
): readonly TreeElement[] {
  const candidates: TreeElement[] = [];
  for (const paragraph of paragraphs) {
    if (paragraph.parentElement === null) continue;
    const points = pointsOf(paragraph);
    if (points === 0) continue;
    let above = paragraph.parentElement;
    for (let level = 0; level < LEVELS && above !== null && above.parentElement !== null; level++) {
      const score = scores.get(above);
      if (score === undefined) candidates.push(above);
      const divisor = level < 2 ? level + 1 : level * 3;
      scores.set(above, (score ?? initialScore(above, weighsClasses)) + points / divisor);
      above = above.parentElement;
    }
  }
  return best(candidates, scores);
}

/** One point for a text, one for each of its parts between commas, and up to three for its length. */
function pointsOf(paragraph: TreeElement): number {
  const { length, commas } = contentsOf(paragraph);
  return length < MIN_LENGTH ? 0 : 2 + commas + Math.min(Math.floor(length / 100), 3);
}

/** Reduces scores by link density and selects the best. */
function best(candidates: readonly TreeElement[], scores: Scores): readonly TreeElement[] {
  const top: TreeElement[] = [];
  for (const candidate of candidates) {
    const score = scores.get(candidate)! * (1 - contentsOf(candidate).linkDensity);
    scores.set(candidate, score);
    const better = top.findIndex((ranked) => score > scores.get(ranked)!);
    top.splice(better < 0 ? top.length : better, 0, candidate);
    if (top.length > MAX_TOP) top.pop();
  }
  return top;
}

const isBelowBody = (node: TreeNode | null): node is TreeElement =>
  node?.nodeType === ELEMENT && node.nodeName !== 'BODY';

/** The best candidate, or an ancestor of it with more of the content. */
export function chosenOf(top: readonly TreeElement[], scores: Scores, weighsClasses: boolean): TreeElement {
  let chosen = commonAncestor(top, scores) ?? top[0]!;
  const scoreOf = (element: TreeElement) => {
    if (!scores.has(element)) scores.set(element, initialScore(element, weighsClasses));
    return scores.get(element)!;
  };
  let last = scoreOf(chosen);
  const least = last / 3;
  for (let above = chosen.parentNode; isBelowBody(above); above = above.parentNode) {
    const score = scores.get(above);
    if (score === undefined) continue;
    if (score < least) break;
    if (score > last) {
      chosen = above;
      break;
    }
    last = score;
  }
  // If it has no siblings, those of its parent are considered instead.
  let above = chosen.parentNode;
  while (isBelowBody(above) && above.firstElementChild === above.lastElementChild) {
    chosen = above;
    above = above.parentNode;
  }
  scoreOf(chosen);
  return chosen;
}

/** The nearest ancestor of the best candidate that contains three others with nearly its score. */
function commonAncestor([first, ...others]: readonly TreeElement[], scores: Scores): TreeElement | null {
  const near = others.filter((candidate) => scores.get(candidate)! / scores.get(first!)! >= 0.75).map(ancestorsOf);
  if (near.length < 3) return null;
  for (let above = first!.parentNode; isBelowBody(above); above = above.parentNode) {
    const element = above;
    if (near.filter((ancestors) => ancestors.has(element)).length >= 3) return element;
  }
  return null;
}

function ancestorsOf(element: TreeElement): ReadonlySet<TreeNode> {
  const ancestors = new Set<TreeNode>();
  for (let above = element.parentNode; above !== null; above = above.parentNode) ancestors.add(above);
  return ancestors;
}

const AS_THEY_ARE = new Set('DIV ARTICLE SECTION P OL UL'.split(' '));

/** Moves the chosen element into a new one, together with the siblings that belong to it. */
export function withSiblings(chosen: TreeElement, scores: Scores): TreeElement {
  const content = chosen.ownerDocument!.createElement('div');
  content.id = 'readability-content';
  const score = scores.get(chosen)!;
  for (const sibling of chosen.parentNode!.children) {
    if (sibling !== chosen && !belongs(sibling, chosen, { score, scores })) continue;
    content.appendChild(AS_THEY_ARE.has(sibling.nodeName) ? sibling : renamed(sibling, 'div'));
  }
  return content;
}

function belongs(
  sibling: TreeElement,
  chosen: TreeElement,
  { score, scores }: { score: number; scores: Scores },
): boolean {
  const { className } = chosen;
  const siblingScore = scores.get(sibling);
  const bonus = className !== '' && sibling.className === className ? score * 0.2 : 0;
  if (siblingScore !== undefined && siblingScore + bonus >= Math.max(10, score * 0.2)) return true;
  if (sibling.nodeName !== 'P') return false;
  const { length, linkDensity } = contentsOf(sibling);
  if (length > 80) return linkDensity < 0.25;
  if (length === 0 || length === 80 || linkDensity !== 0) return false;
  return /\.( |$)/.test(sibling.textContent.trim().replaceAll(/\s{2,}/g, ' '));
}
