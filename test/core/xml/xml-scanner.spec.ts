import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type XmlName, localName } from '../../../src/core/xml/xml-name.js';
import { XML_OPTIONS, type XmlOptions, scanXml } from '../../../src/core/xml/xml-scanner.js';

const BY_LOCAL_NAME: XmlOptions = {
  naming: localName,
  attributes: new Set(['href', 'about']),
  deepest: 3,
  maxNameLength: 8,
  maxValueLength: 10,
};

/** The events of a scan, as `+name(attributes)`, `-name` and `parent:text`. */
function eventsOf(xml: string, options?: XmlOptions, doneAt = '') {
  const events: string[] = [];
  let isDone = false;
  const called = ({ namespace, local }: XmlName): string => (namespace === '' ? local : `{${namespace}}${local}`);
  const listener = {
    open(name: XmlName, attributes: ReadonlyMap<string, string>) {
      const shown = [...attributes].map(([key, value]) => `${key}=${value}`).join(' ');
      events.push(`+${called(name)}${shown && `(${shown})`}`);
      isDone = name.local === doneAt;
    },
    close: (name: XmlName) => void events.push(`-${called(name)}`),
    text: (piece: string, parent: XmlName) => void events.push(`${parent.local}:${piece}`),
    isDone: () => isDone,
  };
  return { ...scanXml(xml, listener, options), events };
}

describe('names of elements and attributes (Namespaces in XML 1.0 §6)', () => {
  it.each<[string, string, string[]]>([
    ['default namespaces', '<a xmlns="u"><b/></a>', ['+{u}a(xmlns=u)', '+{u}b', '-{u}b', '-{u}a']],
    ['declared prefixes', '<p:a xmlns:p="u"/>', ['+{u}a(xmlns:p=u)', '-{u}a']],
    ['undeclared prefixes', '<p:A/>', ['+a', '-a']],
    ['the first colon as the end of the prefix', '<p:b:c/>', ['+b:c', '-b:c']],
    ['end tags by full name', '<p:a>x</a>y</p:a>', ['+a', 'a:x', 'a:y', '-a']],
    ['attributes by full name', '<a p:B="1" p:b="2" b="3"/>', ['+a(p:b=1 b=3)', '-a']],
  ])('with namespaces: %s', (_, xml, events) => {
    expect(eventsOf(xml).events).toEqual(events);
  });

  it.each<[string, string, string[]]>([
    ['no namespaces', '<p:a xmlns:p="u"/>', ['+a', '-a']],
    ['the last colon as the end of the prefix', '<p:b:c/>', ['+c', '-c']],
    ['end tags with any prefix', '<p:a>x</q:a>', ['+a', 'a:x', '-a']],
    ['requested attributes', '<a p:href="1" HREF="2" rel="3"/>', ['+a(href=1)', '-a']],
  ])('by local name: %s', (_, xml, events) => {
    expect(eventsOf(xml, BY_LOCAL_NAME).events).toEqual(events);
  });
});

describe('the limits of the XML scanner', () => {
  it('skips elements that are nested too deep, with their text', () => {
    const { events, tooDeep } = eventsOf('<a><b><c>1<d>2<e/></d>3</c></b></a>', BY_LOCAL_NAME);
    expect(events).toEqual(['+a', '+b', '+c', 'c:1', 'c:3', '-c', '-b', '-a']);
    expect(tooDeep).toBe(2);
  });

  it('truncates names, and skips values that are too long', () => {
    const xml = '<abcdefghij href="12345678901" about="1234567890"></abcdefghxx>';
    expect(eventsOf(xml, BY_LOCAL_NAME).events).toEqual(['+abcdefgh(about=1234567890)', '-abcdefgh']);
  });

  it('reports at most fifty attributes of an element', () => {
    const attributes = Array.from({ length: 60 }, (_, i) => `a${i}="x"`).join(' ');
    expect(eventsOf(`<a ${attributes}/>`).events[0]).toMatch(/ a49=x\)$/);
  });
});

describe('the XML scanner on malformed and partial documents', () => {
  it.each<[string, string, string[], boolean]>([
    ['reports an unclosed element as truncated', '<a>x', ['+a', 'a:x'], true],
    ['ignores a start tag that breaks off, and reports truncation', '<a b="c', [], true],
    ['closes open descendants at an end tag', '<a><b></a>', ['+a', '+b', '-b', '-a'], false],
    ['ignores an unmatched end tag', '<a></c></a>', ['+a', '-a'], false],
    [
      'passes CDATA sections and references on as text',
      '<a><![CDATA[<&]]>&lt;&#65;&x;</a>',
      ['+a', 'a:<&', 'a:<', 'a:A', 'a:&x;', '-a'],
      false,
    ],
    [
      'ends it after its declarations',
      '<!DOCTYPE a [<!ENTITY x "]>\'"><!-- ]>" --><?b ]>?>\n] ><a/>',
      ['+a', '-a'],
      false,
    ],
    [
      'ends it at the first bracket if a quote is open',
      '<!DOCTYPE a [<!ENTITY x "y>]><a/><!DOCTYPE b []>',
      ['+a', '-a'],
      false,
    ],
    ['takes a bracket without a DOCTYPE as text', ' [<a/>', [':[', '+a', '-a'], false],
    ['ignores a DOCTYPE', '<!DOCTYPE a SYSTEM "u"><a/>', ['+a', '-a'], false],
    [
      'ignores its declarations',
      '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "<b>[y]</b>"> %z;]>\n<a>&x;</a>',
      ['+a', 'a:&x;', '-a'],
      false,
    ],
    ['passes on text outside the root', 'x<a/>', [':x', '+a', '-a'], false],
  ])('%s', (_, xml, events, truncated) => {
    expect(eventsOf(xml)).toEqual({ events, truncated, tooDeep: 0 });
  });

  it('stops when the listener is done, and does not report truncation', () => {
    expect(eventsOf('<a><b>x</b></a>', XML_OPTIONS, 'b')).toEqual({
      events: ['+a', '+b'],
      truncated: false,
      tooDeep: 0,
    });
  });

  it('closes only open elements, innermost first, and never throws', () => {
    const piece = fc.constantFrom(
      '<a>',
      '<p:a>',
      '</a>',
      '</p:a>',
      '<b/>',
      '</b>',
      '<c',
      '</',
      '<![CDATA[',
      ']]>',
      '&',
      '"',
    );
    const options = fc.constantFrom(XML_OPTIONS, BY_LOCAL_NAME);
    fc.assert(
      fc.property(fc.array(piece), options, (pieces, chosen) => {
        const open: string[] = [];
        for (const event of eventsOf(pieces.join(''), chosen).events) {
          if (event.startsWith('+')) open.push(event.slice(1).replace(/\([^]*/, ''));
          else if (event.startsWith('-')) expect(event.slice(1)).toBe(open.pop());
        }
      }),
    );
  });
});
