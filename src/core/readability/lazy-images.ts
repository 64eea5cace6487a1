/** Sets the source of images that a script would load from another attribute. */
import type { TreeElement } from '../tree/element.js';

/** The name of a picture in the value of an attribute. */
export const PICTURE = /\.(jpg|jpeg|png|webp)/i;
const INLINE = /^data:\s*([^\s;,]+)\s*;\s*base64\s*,/i;
/** An inline image with fewer base64 characters is a placeholder. */
const MIN_INLINE = 133;
const OWN = new Set(['src', 'srcset', 'alt']);

/** @param element an image, a picture, or a figure */
export function fixLazyImage(element: TreeElement): void {
  const inline = INLINE.exec(element.src);
  if (inline?.[1] === 'image/svg+xml') return;
  if (inline !== null) dropPlaceholder(element, inline[0].length);
  const { src, srcset } = element;
  const hasSource = src !== '' || (srcset !== '' && srcset !== 'null');
  if (hasSource && !element.className.toLowerCase().includes('lazy')) return;
  // Attributes added in the loop are read too.
  for (let at = 0; at < element.attributes.length; at++) {
    const { name, value } = element.attributes[at]!;
    if (OWN.has(name)) continue;
    if (/\.(jpg|jpeg|png|webp)\s+\d/.test(value)) setSource(element, 'srcset', value);
    else if (/^\s*\S+\.(jpg|jpeg|png|webp)\S*\s*$/.test(value)) setSource(element, 'src', value);
  }
}

function dropPlaceholder(element: TreeElement, start: number): void {
  const hasOther = element.attributes.some(({ name, value }) => name !== 'src' && PICTURE.test(value));
  if (hasOther && element.src.length - start < MIN_INLINE) element.removeAttribute('src');
}

function setSource(element: TreeElement, attribute: string, value: string): void {
  if (element.tagName === 'IMG' || element.tagName === 'PICTURE') element.setAttribute(attribute, value);
  else if (element.tagName === 'FIGURE' && element.querySelector('img,picture') === null) {
    const picture = element.ownerDocument!.createElement('img');
    picture.setAttribute(attribute, value);
    element.appendChild(picture);
  }
}
