import { describe, expect, it } from 'vitest';
import { authRulesOfXml } from '../../src/core/http/auth-file-xml.js';

const file = (content: string) => `<?xml version="1.0"?>\n<auth-configuration>${content}</auth-configuration>`;

describe('httpclient-auth.xml', () => {
  it('yields a rule for each authscope', () => {
    const text = file(`<!-- staff -->
      <credentials username="me" password="a&amp;b&lt;">
        <authscope host="192.168.101.33" port="80" realm="login" scheme="basic"/>
        <authscope host="A.test" port="-1"/>
      </credentials>
      <credentials username="you" password=""><authscope host="b.test"></authscope></credentials>`);
    expect(authRulesOfXml(text)).toEqual([
      { scheme: null, host: '192.168.101.33', port: 80, realm: 'login', user: 'me', password: 'a&b<' },
      { scheme: null, host: 'a.test', port: null, realm: '*', user: 'me', password: 'a&b<' },
      { scheme: null, host: 'b.test', port: null, realm: '*', user: 'you', password: '' },
    ]);
    expect(authRulesOfXml(file(''))).toEqual([]);
  });

  it.each([
    [
      '<credentials username="me" password="secret"><default realm="sso"/></credentials>',
      'rule 1: XML: credentials for any host',
    ],
    ['<credentials username="me" password="secret"><authscope port="80"/></credentials>', 'an authscope needs a host'],
    [
      '<credentials username="me" password="secret"><authscope host="a" port="x"/></credentials>',
      'host or port cannot be read',
    ],
    [
      '<credentials username="me" password="secret"><authscope host="a" scheme="NTLM"/></credentials>',
      'NTLM is not supported',
    ],
    ['<credentials password="secret"/>', 'credentials need a username'],
    ['<authscope host="a"/>', '<authscope> is not allowed in <auth-configuration>'],
    ['<other password="secret"/>', 'unknown element <other>'],
    ['<auth-configuration/>', '<auth-configuration> is not allowed in <auth-configuration>'],
  ])('with %s is refused, without the secret in the message', (content, message) => {
    expect(() => authRulesOfXml(file(content))).toThrow(message);
    expect(() => authRulesOfXml(file(content))).not.toThrow('secret');
  });

  it.each([
    '<!DOCTYPE x [<!ENTITY a "b">]><auth-configuration/>',
    '<x/>',
    '< nothing',
    '<auth-configuration><credentials username="u" password="secret">',
  ])('%s is refused', (text) => {
    expect(() => authRulesOfXml(text)).toThrow('XML: ');
  });
});
