/**
 * Drops URLs that lie too deep.
 * @type {import('orbweaver/plugin').ExternalPlugin}
 */
export const depthFilter = {
  id: 'urlfilter-depth',
  description: 'Drops URLs with too many path segments.',
  properties: {
    'depth.segments': { kind: 'int', default: 8, description: 'Path segments that a URL may have.' },
  },
  makeFilter(conf) {
    const most = Number(conf['depth.segments']);
    // What stands behind the verdict in POST /v1/inspect/url.
    const rule = { number: 1, text: `more than ${most} segments` };
    return (url) => {
      const [, , , ...segments] = (url.split(/[?#]/)[0] ?? '').split('/');
      return segments.filter((segment) => segment !== '').length <= most || { accepted: false, rule };
    };
  },
};
