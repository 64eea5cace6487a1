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

/** What a listener hears, as `+name(attributes)`, `-name` and `parent:text`. */
function heard(xml: string, options?: XmlOptions, doneAt = '') {
  const events: string[] = [];
  let isDone = false;
  const called = ({ namespace, local }: XmlName): string => (namespace === '' ? local : `{${namespace}}${local}`);
  const listener = {
    open(name: XmlName, attributes: ReadonlyMap<string, string>) {
      const told = [...attributes].map(([key, value]) => `${key}=${value}`).join(' ');
      events.push(`+${called(name)}${told && `(${told})`}`);
      isDone = name.local === doneAt;
    },
    close: (name: XmlName) => void events.push(`-${called(name)}`),
    text: (piece: string, parent: XmlName) => void events.push(`${parent.local}:${piece}`),
    isDone: () => isDone,
  };
  return { ...scanXml(xml, listener, options), events };
}

describe('names of elements and attributes (Namespaces in XML 1.0, section 6)', () => {
  it.each<[string, string, string[]]>([
    ['default namespaces', '<a xmlns="u"><b/></a>', ['+{u}a(xmlns=u)', '+{u}b', '-{u}b', '-{u}a']],
    ['prefixes that are declared', '<p:a xmlns:p="u"/>', ['+{u}a(xmlns:p=u)', '-{u}a']],
    ['prefixes that nobody declares', '<p:A/>', ['+a', '-a']],
    ['the first colon as the end of the prefix', '<p:b:c/>', ['+b:c', '-b:c']],
    ['end tags by the whole name', '<p:a>x</a>y</p:a>', ['+a', 'a:x', 'a:y', '-a']],
    ['attributes by the whole name', '<a p:B="1" p:b="2" b="3"/>', ['+a(p:b=1 b=3)', '-a']],
  ])('with namespaces: %s', (_, xml, events) => {
    expect(heard(xml).events).toEqual(events);
  });

  it.each<[string, string, string[]]>([
    ['no namespaces', '<p:a xmlns:p="u"/>', ['+a', '-a']],
    ['the last colon as the end of the prefix', '<p:b:c/>', ['+c', '-c']],
    ['end tags whatever their prefix', '<p:a>x</q:a>', ['+a', 'a:x', '-a']],
    ['attributes that are asked for', '<a p:href="1" HREF="2" rel="3"/>', ['+a(href=1)', '-a']],
  ])('by local name: %s', (_, xml, events) => {
    expect(heard(xml, BY_LOCAL_NAME).events).toEqual(events);
  });
});

describe('the bounds of the XML scanner', () => {
  it('passes over what stands too deep, with its text', () => {
    const { events, tooDeep } = heard('<a><b><c>1<d>2<e/></d>3</c></b></a>', BY_LOCAL_NAME);
    expect(events).toEqual(['+a', '+b', '+c', 'c:1', 'c:3', '-c', '-b', '-a']);
    expect(tooDeep).toBe(2);
  });

  it('cuts names off, and passes over values that are too long', () => {
    const xml = '<abcdefghij href="12345678901" about="1234567890"></abcdefghxx>';
    expect(heard(xml, BY_LOCAL_NAME).events).toEqual(['+abcdefgh(about=1234567890)', '-abcdefgh']);
  });

  it('passes on fifty attributes of an element', () => {
    const attributes = Array.from({ length: 60 }, (_, i) => `a${i}="x"`).join(' ');
    expect(heard(`<a ${attributes}/>`).events[0]).toMatch(/ a49=x\)$/);
  });
});

describe('documents as they come', () => {
  it.each<[string, string, string[], boolean]>([
    ['an element left open', '<a>x', ['+a', 'a:x'], true],
    ['a start tag that breaks off behind its name', '<a b="c', [], true],
    ['an end tag closes what is open inside', '<a><b></a>', ['+a', '+b', '-b', '-a'], false],
    ['an end tag that matches nothing', '<a></c></a>', ['+a', '-a'], false],
    ['sections and entities', '<a><![CDATA[<&]]>&lt;&#65;&x;</a>', ['+a', 'a:<&', 'a:<', 'a:A', 'a:&x;', '-a'], false],
    ['a DOCTYPE', '<!DOCTYPE a SYSTEM "u"><a/>', ['+a', '-a'], false],
    ['text around the root', 'x<a/>', [':x', '+a', '-a'], false],
  ])('%s', (_, xml, events, truncated) => {
    expect(heard(xml)).toEqual({ events, truncated, tooDeep: 0 });
  });

  it('passes on nothing more once the listener is done, and calls no such document truncated', () => {
    expect(heard('<a><b>x</b></a>', XML_OPTIONS, 'b')).toEqual({ events: ['+a', '+b'], truncated: false, tooDeep: 0 });
  });

  it('ends only elements that it has begun, innermost first, and never throws', () => {
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
        for (const event of heard(pieces.join(''), chosen).events) {
          if (event.startsWith('+')) open.push(event.slice(1).replace(/\([^]*/, ''));
          else if (event.startsWith('-')) expect(event.slice(1)).toBe(open.pop());
        }
      }),
    );
  });
});
