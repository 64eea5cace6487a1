/** White space at the ends of an inline element: it moves outside of the marks, unless there is some already. */
import type { ElementPart, MarkdownPart } from './parts.js';

export interface Flanks {
  readonly leading: string;
  readonly trailing: string;
}

const NONE: Flanks = { leading: '', trailing: '' };

/** @param at index of the part in `parent` */
export function flanksOf(parent: ElementPart, at: number): Flanks {
  const part = parent.parts[at] as ElementPart;
  const start = edgeOf(part, 'start');
  const end = start.isAll ? '' : edgeOf(part, 'end').space;
  if (start.space === '' && end === '') return NONE;
  return {
    leading: isSpaced(parent.parts[at - 1], 'end') ? start.space.replace(/^[\t\n\r ]+/, '') : start.space,
    trailing: isSpaced(parent.parts[at + 1], 'start') ? withoutAsciiEnd(end) : end,
  };
}

function withoutAsciiEnd(space: string): string {
  let end = space.length;
  while (end > 0 && '\t\n\r '.includes(space[end - 1]!)) end--;
  return space.slice(0, end);
}

type Side = 'start' | 'end';

/** The white space at one end; `isAll`: the part contains nothing else. */
function edgeOf(part: MarkdownPart, side: Side): { space: string; isAll: boolean } {
  if (part.element === null) {
    const rest = side === 'start' ? part.text.trimStart() : part.text.trimEnd();
    const length = part.text.length - rest.length;
    return { space: side === 'start' ? part.text.slice(0, length) : part.text.slice(rest.length), isAll: rest === '' };
  }
  let space = '';
  for (const inner of side === 'start' ? part.parts : part.parts.toReversed()) {
    const edge = edgeOf(inner, side);
    space = side === 'start' ? space + edge.space : edge.space + space;
    if (!edge.isAll) return { space, isAll: false };
  }
  return { space, isAll: true };
}

/** Whether a text or inline element has a space on that side. */
function isSpaced(part: MarkdownPart | undefined, side: Side): boolean {
  if (part === undefined || (part.element !== null && part.isBlock)) return false;
  const character = characterAt(part, side);
  return character === ' ';
}

function characterAt(part: MarkdownPart, side: Side): string | undefined {
  if (part.element === null) return part.text.at(side === 'start' ? 0 : -1);
  for (const inner of side === 'start' ? part.parts : part.parts.toReversed()) {
    const character = characterAt(inner, side);
    if (character !== undefined) return character;
  }
  return undefined;
}
