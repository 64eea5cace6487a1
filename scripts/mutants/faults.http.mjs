/** Faults in what HTTP says: headers, validators, credentials, proxies. */

/** @type {import('./faults.mjs').Fault[]} */
export const http = [
  {
    id: 'proxy-exception-suffix',
    file: 'src/core/http/proxy.ts',
    text: 'name.endsWith(`.${listed}`)',
    replacement: 'name.endsWith(listed)',
    breaks: 'An exception for .example.org takes notexample.org out of the proxy, too.',
    specs: ['test/net/proxy.spec.ts'],
  },
  {
    id: 'proxy-any-realm',
    file: 'src/core/http/proxy.ts',
    text: "challenge.params['realm'] === realm",
    replacement: "challenge.params['realm'] !== undefined",
    breaks: 'The password of the proxy is sent to a realm that was not named.',
    specs: ['test/net/proxy.spec.ts'],
  },
  {
    id: 'head-end-divided',
    file: 'src/core/http/answer-head.ts',
    text: 'Math.max(0, bytes.length - EMPTY_LINE_BYTES)',
    replacement: 'bytes.length',
    breaks: 'The end of a header that comes in two packets is not found.',
    specs: ['test/core/http/answer-head.spec.ts'],
  },
  {
    id: 'header-robots-joined',
    file: 'src/core/http/header-fields.ts',
    text: "new Set(['set-cookie', 'x-robots-tag'])",
    replacement: "new Set(['set-cookie'])",
    breaks: 'Of two X-Robots-Tag headers the second counts for the agent of the first.',
    specs: ['test/core/http/header-fields.spec.ts'],
  },
  {
    id: 'digest-count-decimal',
    file: 'src/core/http/auth-challenge.ts',
    text: 'count.toString(16)',
    replacement: 'count.toString(10)',
    breaks: 'After nine requests a host with Digest refuses all further ones.',
    specs: ['test/net/digest.spec.ts'],
  },
  {
    id: 'request-since-own',
    file: 'src/core/http/request-headers.ts',
    text: 'lastModified || since',
    replacement: 'since || lastModified',
    breaks: 'A page is requested with another time than the server gave, and is never unmodified.',
    specs: ['test/core/http/request-headers.spec.ts'],
  },
];
