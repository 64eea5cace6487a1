import { expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { PageParser } from '../../src/cycle/parse/page-parser.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';

it('encodes the query of a link in the charset of its page (Shift_JIS), as browsers do', () => {
  const html = Buffer.concat([
    Buffer.from('<meta charset=shift_jis><a href="/find?q='),
    Buffer.from([0x93, 0xfa]),
    Buffer.from('&r=1">x</a><a href="/plain?q=a">y</a>'),
  ]);
  const page = { url: 'http://a.com/', contentType: 'text/html', truncated: false, robotsTag: null };
  const parser = new PageParser(defaults, makeUrlRules(defaults));
  return expect(parser.explain(html, page)).resolves.toMatchObject({
    links: [{ url: 'http://a.com/find?q=%93%FA&r=1' }, { url: 'http://a.com/plain?q=a' }],
  });
});
