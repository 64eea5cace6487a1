/**
 * Keeps the number of words of a page, and the minutes that reading it takes.
 * @type {import('orbweaver/plugin').ExternalPlugin}
 */
export const wordCount = {
  id: 'parse-word-count',
  description: 'Keeps the number of words of a page, and the time that reading it takes.',
  properties: {
    'words.minute': { kind: 'int', default: 200, description: 'Words that somebody reads in a minute.' },
  },
  makeParseFilter(conf) {
    const speed = Math.max(1, Number(conf['words.minute']));
    return (page) => {
      const words = page.text.split(/\s+/).filter((word) => word !== '').length;
      return { metadata: { ...page.metadata, words, minutes: Math.ceil(words / speed) } };
    };
  },
};
