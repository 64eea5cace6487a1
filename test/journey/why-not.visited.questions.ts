import { type Question, at, crawled, sentenceWith } from './why-not.questions.js';

/** Questions about pages that were visited: what the answer says about that visit. */
export const questionsAboutVisits: Question[] = [
  {
    why: 'it redirects to another URL',
    setUp: crawled('/moved'),
    ask: () => ({ url: at('/moved') }),
    get reason() {
      return { code: 'REDIRECT', url: at('/b') };
    },
    answer: { page: { status: 'db_redir_perm' } },
  },
  {
    why: 'it redirects to a URL that was fetched',
    setUp: crawled('/b', '/moved'),
    ask: () => ({ url: at('/moved') }),
    reason: { code: 'REDIRECT', message: sentenceWith('/b', 'the content is there') },
  },
  {
    why: 'it redirects to a URL that redirects, too',
    async setUp(crawl) {
      await crawled('/around')(crawl);
      await crawl.round();
    },
    ask: () => ({ url: at('/around') }),
    reason: { code: 'REDIRECT', message: sentenceWith('/about, which is db_redir_temp') },
  },
  {
    why: 'it redirects to a URL that a filter rule rejects',
    setUp: crawled('/toquery'),
    ask: () => ({ url: at('/toquery') }),
    reason: { code: 'REDIRECT', message: sentenceWith('/b?q=1, which the crawl does not know') },
  },
  {
    why: 'its content cannot be parsed, and it stays as fetched',
    setUp: crawled('/archive'),
    ask: () => ({ url: at('/archive') }),
    reason: { code: 'PARSE_FAILED', blocks: false, message: sentenceWith('no parser for application/zip') },
    answer: { page: { status: 'db_fetched' } },
  },
  {
    why: 'its content cannot be parsed, and counts as failed',
    conf: { 'parser.delete.failed.parse': 'true' },
    setUp: crawled('/archive'),
    ask: () => ({ url: at('/archive') }),
    reason: { code: 'PARSE_FAILED', message: sentenceWith('no parser for application/zip') },
  },
];
