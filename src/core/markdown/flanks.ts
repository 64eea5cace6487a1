/** White space at the ends of an inline element: it moves outside of the delimiters, unless there is some already. */
import type { ContentElement, ContentNode } from './content-tree.js';

export interface Flanks {
  readonly leading: string;
  readonly trailing: string;
}

export const NO_FLANKS: Flanks = { leading: '', trailing: '' };

/** @param at index of the node in `parent` */
export function flanksOf(parent: ContentElement, at: number): Flanks {
  const node = parent.children[at] as ContentElement;
  const start = edgeOf(node, 'start');
  const end = start.isAll ? '' : edgeOf(node, 'end').space;
  if (start.space === '' && end === '') return NO_FLANKS;
  return {
    leading: isSpaced(parent.children[at - 1], 'end') ? start.space.replace(/^[\t\n\r ]+/, '') : start.space,
    trailing: isSpaced(parent.children[at + 1], 'start') ? withoutAsciiEnd(end) : end,
  };
}

function withoutAsciiEnd(space: string): string {
  let end = space.length;
  while (end > 0 && '\t\n\r '.includes(space[end - 1]!)) end--;
  return space.slice(0, end);
}

type Side = 'start' | 'end';

/** The white space at one end; `isAll`: the node contains nothing else. */
function edgeOf(node: ContentNode, side: Side): { space: string; isAll: boolean } {
  if (node.element === null) {
    const rest = side === 'start' ? node.text.trimStart() : node.text.trimEnd();
    const length = node.text.length - rest.length;
    return { space: side === 'start' ? node.text.slice(0, length) : node.text.slice(rest.length), isAll: rest === '' };
  }
  let space = '';
  for (const inner of side === 'start' ? node.children : node.children.toReversed()) {
    const edge = edgeOf(inner, side);
    space = side === 'start' ? space + edge.space : edge.space + space;
    if (!edge.isAll) return { space, isAll: false };
  }
  return { space, isAll: true };
}

/** Whether a text or inline element has a space on that side. */
function isSpaced(node: ContentNode | undefined, side: Side): boolean {
  if (node === undefined || (node.element !== null && node.isBlock)) return false;
  const character = characterAt(node, side);
  return character === ' ';
}

function characterAt(node: ContentNode, side: Side): string | undefined {
  if (node.element === null) return node.text.at(side === 'start' ? 0 : -1);
  for (const inner of side === 'start' ? node.children : node.children.toReversed()) {
    const character = characterAt(inner, side);
    if (character !== undefined) return character;
  }
  return undefined;
}
