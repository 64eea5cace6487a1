/** Prepares a page for the search: images from noscript, no scripts and styles, paragraphs for line breaks. */
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import { elementsIn } from '../tree/node.js';
import { firstThatCounts, hasNoText, isBreak, isPhrase, removeAll, renamed, trimEnd } from './elements.js';
import { PICTURE } from './lazy-images.js';

const OF_INTEREST = new Set('img noscript script style br font meta'.split(' '));

/** @returns its meta elements */
export function prepare(document: TreeDocument): readonly TreeElement[] {
  const elementsByName = Map.groupBy(
    elementsIn(document, ({ localName }) => OF_INTEREST.has(localName)),
    ({ localName }) => localName,
  );
  const named = (name: string) => elementsByName.get(name) ?? [];
  const noscripts = named('noscript');
  removeAll(named('img'), hasNoSource);
  for (const noscript of noscripts) unwrapPicture(noscript);
  removeAll(named('script'));
  removeAll(noscripts);
  removeAll(named('style'));
  const { body } = document;
  // Content of a noscript may have been moved.
  if (body !== null && named('br').length > 0) for (const line of body.getElementsByTagName('br')) makeParagraph(line);
  if (named('font').length > 0) for (const font of document.getElementsByTagName('font')) renamed(font, 'span');
  return noscripts.length === 0 ? named('meta') : document.getElementsByTagName('meta');
}

const SOURCES = new Set(['src', 'srcset', 'data-src', 'data-srcset']);

const hasNoSource = ({ attributes }: TreeElement): boolean =>
  !attributes.some(({ name, value }) => SOURCES.has(name) || PICTURE.test(value));

/** Whether it is an image, or contains only an image. */
function isOnePicture(start: TreeElement): boolean {
  let element = start;
  while (element.tagName !== 'IMG') {
    const child = element.firstElementChild;
    if (child === null || child.nextElementSibling !== null || !hasNoText(element)) return false;
    element = child;
  }
  return true;
}

/** Replaces a placeholder image by the image in the noscript after it. */
function unwrapPicture(noscript: TreeElement): void {
  if (!isOnePicture(noscript)) return;
  const previous = noscript.previousElementSibling;
  if (previous === null || !isOnePicture(previous)) return;
  const inside = noscript.ownerDocument!.createElement('div');
  inside.innerHTML = noscript.innerHTML;
  const [old] = previous.tagName === 'IMG' ? [previous] : previous.getElementsByTagName('img');
  const [picture] = inside.getElementsByTagName('img');
  for (const { name, value } of old!.attributes) {
    if (value === '' || (name !== 'src' && name !== 'srcset' && !PICTURE.test(value))) continue;
    if (picture!.getAttribute(name) === value) continue;
    picture!.setAttribute(picture!.hasAttribute(name) ? `data-old-${name}` : name, value);
  }
  noscript.parentNode!.replaceChild(inside.firstElementChild!, previous);
}

/** Replaces two or more line breaks by a paragraph with the phrasing content after them. */
function makeParagraph(line: TreeElement): void {
  let isParagraph = false;
  let next = firstThatCounts(line.nextSibling);
  while (next !== null && isBreak(next)) {
    isParagraph = true;
    const after = next.nextSibling;
    next.remove();
    next = firstThatCounts(after);
  }
  if (!isParagraph) return;
  const paragraph = line.ownerDocument!.createElement('p');
  line.parentNode!.replaceChild(paragraph, line);
  for (let node = paragraph.nextSibling; node !== null && isPhrase(node); node = paragraph.nextSibling) {
    const after = isBreak(node) ? firstThatCounts(node.nextSibling) : null;
    if (after !== null && isBreak(after)) break;
    paragraph.appendChild(node);
  }
  trimEnd(paragraph);
  if (paragraph.parentElement?.tagName === 'P') renamed(paragraph.parentElement, 'div');
}
