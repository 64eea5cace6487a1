import { describe, expect, it } from 'vitest';
import { looksLikeNone } from '../../../src/core/readability/conditional.js';
import { dataTables } from '../../../src/core/readability/table-kinds.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

/** Whether the element with the id `e` is removed as no part of the content. */
function isRemoved(html: string, weighsClasses = true): boolean {
  const document = parseTree(`<!doctype html><body>${html}`);
  const rules = { dataTables: dataTables(document.getElementsByTagName('table')), weighsClasses };
  return looksLikeNone(document.getElementById('e')!, rules);
}

const x = (length: number): string => 'x'.repeat(length);
const div = (inner: string, attributes = ''): string => `<div id=e ${attributes}>${inner}</div>`;
const linked = (length: number, ofLink: number, href = '/b'): string =>
  `<p>${x(length - ofLink)}<a href="${href}">${x(ofLink)}</a></p>`;
const paragraph = `<p>${x(100)}</p>`;

type Case = [rule: string, html: string];

describe('an element is kept', () => {
  it.each<Case>([
    ['that is a paragraph of text', div(paragraph)],
    ['that is a data table, in spite of its class', '<table id=e class=promo summary=s><tr><td>1</table>'],
    ['in a data table', `<table summary=s><tr><td>${div('a', 'class=promo')}</table>`],
    ['that has a data table in it', div('<table summary=s><tr><td>1</table>', 'class=promo')],
    ['in code', `<code>${div('a', 'class=promo')}</code>`],
    ['with ten commas', div(`<input>${','.repeat(10)}`)],
    ['with a video player', div('<iframe src="https://www.youtube.com/embed/1"></iframe>')],
    ['with an ad word inside of others', div('<p>Advertisement here</p>')],
    ['with a paragraph for two images', div('<img><img><p>a</p>')],
    ['with images only, in a figure', `<figure>${div('<img><img>')}</figure>`],
    ['with 100 items', div(`${x(200)}<ul>${'<li>a'.repeat(100)}</ul>`)],
    ['with an input for three paragraphs', div(`<input>${paragraph.repeat(3)}`)],
    ['of 25 characters with a link', div(linked(25, 1))],
    ['that is short with a link, and one image', div(`<img>${linked(24, 1)}`)],
    ['that is short with a link, and a heading', div(`<div><h3>${x(20)}<a href=/b>x</a></h3></div>`)],
    ['with 20 % of its text in links', div(linked(100, 20))],
    ['with 50 % of its text in links, and a class of content', div(linked(100, 50), 'class=article')],
    ['with 66 % of its text in links into the page, which weigh 0.3', div(linked(100, 66, '#b'))],
    ['with one embedded element and 75 characters', div(`<object></object><p>${x(75)}</p>`)],
    ['that is a list of pictures', '<ul id=e><li><img><li><img></ul>'],
    ['that is a list with half of its text in links', `<ul id=e><li>${x(50)}<li>${linked(50, 50)}</ul>`],
  ])('%s', (_rule, html) => expect(isRemoved(html)).toBe(false));
});

describe('an element is removed', () => {
  it.each<Case>([
    ['with a class of no content', div(paragraph, 'class=promo')],
    ['that is a layout table with such a class', '<table id=e class=promo role=presentation><tr><td>1</table>'],
    ['with nine commas and an input', div(`<input>${','.repeat(9)}`)],
    ['with ten commas of another script and an input', div(`<input>${'،'.repeat(10)}`)],
    ['with an embedded page that is no video', div('<iframe src="https://a.test/embed/1"></iframe>')],
    ['that says it is an ad', div('<p>Advertisement</p>')],
    ['that says so in German', div('<p> Werbung </p>')],
    ['that says that it is being loaded', div('<p>Loading...</p>')],
    ['with less than a paragraph for two images', div('<img><img><img><p>a</p>')],
    ['with 101 items and no paragraph', div(`${x(200)}<ul>${'<li>a'.repeat(101)}</ul>`)],
    ['with an input for two paragraphs', div(`<input>${paragraph.repeat(2)}`)],
    ['of 24 characters with a link', div(linked(24, 1))],
    ['that is short with a link, and three images', div(`${'<img>'.repeat(3)}<p></p>${linked(24, 1)}`)],
    ['with 21 % of its text in links', div(linked(100, 21))],
    ['with 51 % of its text in links, and a class of content', div(linked(100, 51), 'class=article')],
    ['with 67 % of its text in links into the page', div(linked(100, 67, '#b'))],
    ['with one embedded element and 74 characters', div(`<object></object><p>${x(74)}</p>`)],
    ['with two embedded elements', div(`<object></object><embed>${paragraph}`)],
    ['without text and images', div('<p></p>')],
    ['whose text is in no paragraph, list or table', div(`<b>${x(100)}</b>`)],
    ['that is a list with an item without a picture', '<ul id=e><li><img><li><img><li>a</ul>'],
    ['that is a list with more in an item than a picture', '<ul id=e><li><img><b>a</b><li><img></ul>'],
  ])('%s', (_rule, html) => expect(isRemoved(html)).toBe(true));
});

it('classes do not count in an attempt that does not weigh them', () => {
  expect(isRemoved(div(paragraph, 'class=promo'), false)).toBe(false);
  expect(isRemoved(div(linked(100, 21), 'class=article'), false)).toBe(true);
});

describe('a table is', () => {
  const cells = (columns: number): string => `<tr>${'<td>1'.repeat(columns)}`;
  const isData = (table: string): boolean => dataTables(parseTree(table).getElementsByTagName('table')).size > 0;

  it.each<Case>([
    ['that has a summary', '<table summary=s><tr><td>1</table>'],
    ['with a caption', '<table><caption>c</caption><tr><td>1</table>'],
    ['with a heading cell', '<table><tr><th>1</table>'],
    ['with a head', '<table><thead><tr><td>1</table>'],
    ['of ten rows with two columns', `<table>${cells(2).repeat(10)}</table>`],
    ['of ten rows without cells', `<table>${'<tr>'.repeat(10)}</table>`],
    ['of two rows with five columns', `<table>${cells(5).repeat(2)}</table>`],
    ['of more than ten cells', `<table>${cells(4).repeat(3)}</table>`],
    ['of more than ten cells by spans', '<table><tr rowspan=3><td colspan=3>1<tr><td>1</table>'],
  ])('data %s', (_rule, table) => expect(isData(table)).toBe(true));

  it.each<Case>([
    ['for presentation', '<table role=presentation summary=s><tr><th>1</table>'],
    ['marked as no data', '<table datatable=0 summary=s><tr><th>1</table>'],
    ['with an empty caption', '<table><caption></caption><tr><td>1</table>'],
    ['of one column', `<table>${cells(1).repeat(20)}</table>`],
    ['of one row', `<table>${cells(20)}</table>`],
    ['of ten cells', `<table>${cells(2).repeat(5)}</table>`],
  ])('layout %s', (_rule, table) => expect(isData(table)).toBe(false));

  it('layout with another table in it', () => {
    const outer = `<table id=e><tr><td><table>${cells(2)}</table><td>1${cells(6).repeat(9)}</table>`;
    expect(isData(outer)).toBe(false);
  });
});
