import { describe, expect, it } from 'vitest';
import { separatorsOf } from '../../../src/core/html/elements.js';
import { FACT_NAMES } from '../../../src/core/html/html-metadata.js';
import type { HtmlOptions } from '../../../src/core/html/html-collector.js';
import { HTML_OPTIONS, parseHtml } from '../../../src/core/html/parse-html.js';

const parse = (html: string, options: Partial<HtmlOptions> = {}) =>
  parseHtml(html, 'http://site.example/dir/page', { ...HTML_OPTIONS, ...options });
const facts = (html: string) => parse(html, { facts: new Set(FACT_NAMES) }).facts;

describe('metadata that a page declares', () => {
  it('includes a meta element under its name and under its property', () => {
    const html = '<meta name=description property=OG:description content=x><meta name=a property=A content=y>';
    expect(Object.fromEntries(parse(html).facts.metatags)).toEqual({
      description: ['x'],
      'og:description': ['x'],
      a: ['y'],
    });
  });

  it('includes JSON-LD blocks that are valid JSON, when requested', () => {
    const html =
      '<script type="application/ld+json"> {"@type":"A", "s": "</b>&amp;"} </script><script type=application/ld+json>{broken</script>' +
      '<script type="application/ld+json; charset=utf-8">[1]</script><script>{"no":1}</script>text';
    expect(facts(html).jsonLd).toEqual(['{"@type":"A", "s": "</b>&amp;"}', '[1]']);
    expect(parse(html).text).toBe('text');
    expect(parse(html).facts.jsonLd).toEqual([]);
  });

  it('bounds the number and the length of JSON-LD blocks', () => {
    const block = (json: string) => `<script type=application/ld+json>${json}</script>`;
    expect(facts(block('1').repeat(100)).jsonLd).toHaveLength(20);
    expect(facts(block(`"${'x'.repeat(70_000)}"`) + block('2')).jsonLd).toEqual(['2']);
  });

  it('includes alternates with their hreflang', () => {
    const html =
      '<link rel=alternate hreflang=de href=/de><link rel="alternate" hreflang="x-default" href="/">' +
      '<link rel=alternate type=application/rss+xml href=/feed><link rel=next hreflang=fr href=/fr><link rel=alternate hreflang=it href=javascript:1>';
    expect(facts(html).alternates).toEqual([
      { hreflang: 'de', url: 'http://site.example/de' },
      { hreflang: 'x-default', url: 'http://site.example/' },
    ]);
  });

  it('includes images with their alt text', () => {
    expect(facts('<base href=/b/><img src=i.png alt=" an  image "><img alt=x><img src=data:,x>').images).toEqual([
      { url: 'http://site.example/b/i.png', alt: 'an image' },
    ]);
  });
});

describe('links by their rel (HTML §4.6.7)', () => {
  const html =
    '<a rel=ugc href=/1>1</a><a rel="sponsored x" href=/2>2</a><a rel=NoFollow href=/3>3</a><a href=/4>4</a>';
  it.each([
    [['nofollow'], ['1', '2', '4']],
    [['nofollow', 'ugc', 'sponsored'], ['4']],
    [[], ['1', '2', '3', '4']],
  ])('with ignoredRels %j are %j', (ignoredRels, anchors) => {
    expect(parse(html, { ignoredRels }).links.map(({ anchor }) => anchor)).toEqual(anchors);
  });

  it('include their element with linkTags', () => {
    const all = '<a href=/1>1</a><img src=/2><link href=/3><script src=/4></script><iframe src=/5></iframe>';
    expect(parse(all, { linkTags: true }).links.map(({ tag }) => tag)).toEqual([
      'a',
      'img',
      'link',
      'script',
      'iframe',
    ]);
    expect(parse(all).links[0]).not.toHaveProperty('tag');
  });
});

describe('lines of a page text (parser.html.line.separators)', () => {
  it.each([
    ['<pre>one\n  two\r\n\n three</pre>four', 'one\ntwo\nthree\nfour'],
    ['<pre>a <b>b\nc</b> d</pre>', 'a b\nc d'],
    ['<p>one\ntwo', 'one two'],
    ['<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'a b\n1 2'],
    ['<ul><li>a<li>b</ul>c', 'a\nb\nc'],
    ['a<br>b<hr>c', 'a\nb\nc'],
    ['<dl><dt>a<dd>b</dl>', 'a\nb'],
    ['a<template><p>no</p></template>b', 'ab'],
    ['x<sub>2</sub><span>y</span>', 'x2y'],
    ['<select><option>a<option>b</select>', 'a b'],
  ])('of %j are %j', (html, text) => {
    expect(parse(html).text).toBe(text);
  });

  it('end at the elements in parser.html.line.separators', () => {
    const html = 'a<p>b<section>c</section>d<br>e<x-y>f</x-y>';
    expect(parse(html, { separators: separatorsOf(['section', 'X-Y']) }).text).toBe('a b\nc\nd\ne\nf');
    expect(parse(html, { separators: separatorsOf([]) }).text).toBe('a b c d\nef');
  });
});

describe('XHTML', () => {
  const html =
    '<html><head><title>t</title><script src="a.js"/></head><body><a name="x"/>text<div/><a href="b">b</a></body></html>';
  it('closes elements with a trailing slash', () => {
    expect(parse(html, { xhtml: true })).toMatchObject({
      text: 't\ntext\nb',
      links: [{ anchor: '' }, { anchor: 'b' }],
    });
  });
  it('has the text of CDATA sections, and none of its DOCTYPE (XML 1.0 §2.7, §2.8)', () => {
    const declared =
      '\ufeff<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y" [<!ENTITY mathml "z">\n<!-- ]> -->]><html><body>a<![CDATA[<b>&amp;]> c]]>d</body></html>';
    expect(parse(declared, { xhtml: true }).text).toBe('a<b>&amp;]> cd');
  });
  it('is parsed as HTML when it is sent as HTML', () => {
    expect(parse(html).text).toBe('t');
    expect(parse('a<![CDATA[b>c]]>').text).toBe('ac]]>');
  });
});
