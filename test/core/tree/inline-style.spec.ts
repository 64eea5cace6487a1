import { describe, expect, it } from 'vitest';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const styleOf = (style: string) => {
  const [element] = parseTree('<p>').getElementsByTagName('p');
  element!.setAttribute('style', style);
  return element!.style;
};

describe('the display of an element by its style', () => {
  it.each<[rule: string, style: string, display: string]>([
    ['is the declared one', 'display:none', 'none'],
    ['is the last one', 'display:none; display: block', 'block'],
    ['is the important one, though another follows', 'display: none !important; display: block', 'none'],
    ['is the last important one', 'display: none !important; display: block ! important', 'block'],
    ['is not an invalid one', 'display: none; display: nothing', 'none'],
    ['is not one with an unknown mark', 'display: none; display: block !imp', 'none'],
    ['is read in any case', 'DISPLAY : None', 'none'],
    ['is not that of another property', '-x-display: none; displays: none', ''],
    ['is not in a comment', '/* display: none; */ color: red', ''],
    ['is not in a comment that does not end', 'color: red; /* ; display: none', ''],
    ['is not in a string', 'content: "; display: none; "', ''],
    ['is not in a string with a quote', String.raw`content: "\"; display: none; "`, ''],
    ['is after a string in a comment', '/* " */; display: none', 'none'],
  ])('%s', (_rule, style, display) => expect(styleOf(style).display).toBe(display));

  it('is set after the other declarations', () => {
    const [element] = parseTree('<p style="color: red">').getElementsByTagName('p');
    element!.style.display = 'none';
    expect([element!.getAttribute('style'), element!.style.display]).toEqual(['color: red; display: none', 'none']);
  });
});

it.each([
  ['visibility: hidden', 'hidden'],
  ['visibility: hidden; visibility: visible', 'visible'],
  ['visibility: none', ''],
  ['', ''],
])('the visibility by the style "%s" is "%s"', (style, visibility) =>
  expect(styleOf(style).visibility).toBe(visibility),
);
