import { choice, flag, float, int, list, rules, text } from './property.js';
import { ruleFile } from './rule-file-name.js';

const seconds = { unit: 's' };
const percent = { min: 0, max: 1 };
/** The class of a plugin is its id if it names none: letters, digits, `-`, `_` and `.`. */
const CLASS_NAME = /^[\w.$-]{1,300}$/;

/** Properties of the page table: intervals, links, scores, signatures (Nutch `db.*`, `crawldb.*`). */
export const dbProperties = {
  'crawldb.url.filters': flag(false, 'Filter links again while updating the table.'),
  'crawldb.url.normalizers': flag(false, 'Normalize links again while updating the table.'),
  'db.fetch.interval.default': int(2_592_000, 'Time between two fetches of a page.', { min: 1, ...seconds }),
  'db.fetch.interval.max': int(7_776_000, 'Longest time between two fetches; older pages are fetched again.', {
    min: 1,
    ...seconds,
  }),
  'db.fetch.retry.max': int(3, 'Temporary failures in a row until a page counts as gone.', { max: 1_000 }),
  'db.fetch.schedule.class': text(
    'org.apache.nutch.crawl.DefaultFetchSchedule',
    'Which schedule decides the time of the next fetch: DefaultFetchSchedule, AdaptiveFetchSchedule, MimeAdaptiveFetchSchedule (also without FetchSchedule), or that of a plugin.',
    CLASS_NAME,
    'the name of a class such as AdaptiveFetchSchedule or DefaultFetchSchedule, with or without its package',
  ),
  'db.fetch.schedule.adaptive.host.file': ruleFile(
    'adaptive-host-specific-intervals.txt',
    'File of the hosts with bounds of their own, see db.fetch.schedule.adaptive.host.rules.',
  ),
  'db.fetch.schedule.adaptive.host.rules': rules(
    '',
    'Hosts with bounds of their own for the adaptive interval, one a line: host min max, in seconds; default or 0 for the bound of all hosts.',
  ),
  'db.fetch.schedule.mime.file': ruleFile(
    'adaptive-mimetypes.txt',
    'File of the rates by content type, see db.fetch.schedule.mime.rules.',
  ),
  'db.fetch.schedule.mime.rules': rules(
    '',
    'Rates of MimeAdaptiveFetchSchedule by content type, one a line: type TAB inc TAB dec. Other types have the rates of all pages.',
  ),
  'db.fetch.schedule.adaptive.inc_rate': float(
    0.4,
    'Share added to the interval of a page that did not change.',
    percent,
  ),
  'db.fetch.schedule.adaptive.dec_rate': float(0.2, 'Share taken off the interval of a page that changed.', percent),
  'db.fetch.schedule.adaptive.min_interval': float(60, 'Shortest adaptive interval.', { min: 1, ...seconds }),
  'db.fetch.schedule.adaptive.max_interval': float(31_536_000, 'Longest adaptive interval.', { min: 1, ...seconds }),
  'db.fetch.schedule.adaptive.sync_delta': flag(true, "Shift the next fetch toward the page's own time of change."),
  'db.fetch.schedule.adaptive.sync_delta_rate': float(0.3, 'Share of the page age used for that shift.', percent),
  'db.fetch.schedule.score.base': float(
    1,
    'Score up to which a page keeps its interval, see db.fetch.schedule.score.exponent.',
    { min: 1e-9, max: 1e9 },
  ),
  'db.fetch.schedule.score.exponent': float(
    0,
    'Pages of higher score are fetched again sooner: the time until the next fetch is divided by (score / db.fetch.schedule.score.base) to this power. 0: the score does not count. 1: ten times the score, a tenth of the time.',
    { max: 4 },
  ),
  'db.fetch.schedule.score.min_interval': int(
    86_400,
    'A high score makes no page due sooner than this after a fetch.',
    {
      min: 1,
      ...seconds,
    },
  ),
  'db.ignore.also.redirects': flag(true, 'Apply db.ignore.external.links to redirect targets too.'),
  'db.ignore.external.exemptions.file': ruleFile('db-ignore-external-exemptions.txt', 'File of exempt links.'),
  'db.ignore.external.exemptions.rules': rules(
    '',
    'Links that may leave their host though db.ignore.external.links is set (plugin urlfilter-ignoreexempt): lines of + or - and an expression over the target, the first that is found decides. Empty: none.',
  ),
  'db.ignore.external.links': flag(false, 'Drop links that leave the host (or domain, see the mode).'),
  'db.ignore.external.links.mode': choice('byHost', 'What an external link leaves: the host or the domain.', [
    'byHost',
    'byDomain',
  ]),
  'db.ignore.internal.links': flag(
    true,
    'Do not store links inside a host as inlinks (2.x meaning). The links are followed all the same.',
  ),
  'db.injector.overwrite': flag(
    false,
    'If the page of a seed is known, it becomes new: status, score, interval and metadata are those of the seed.',
  ),
  'db.injector.update': flag(
    false,
    'If the page of a seed is known, the score, interval and metadata of the seed replace those of the page.',
  ),
  'db.max.anchor.length': int(100, 'Anchor texts are cut to this length.', { max: 10_000, unit: 'characters' }),
  'db.max.outlink.length': int(4_096, 'Longer links are dropped. -1: those of more than 65,536 characters.', {
    min: 1,
    max: 65_536,
    unit: 'characters',
    noLimit: -1,
  }),
  'db.max.outlinks.per.page': int(100, 'Links kept of a page. -1: all, up to db.max.outlinks.per.page.cap.', {
    min: -1,
    max: 1_000_000,
  }),
  'db.max.outlinks.per.page.cap': int(100_000, 'Links kept of a page even where there is no limit.', {
    min: 1,
    max: 1_000_000,
  }),
  'db.parsemeta.to.crawldb': list(
    [],
    'Parse metadata that the page row has besides what it always has: OriginalCharEncoding, CharEncodingForConversion.',
  ),
  'db.score.count.filtered': flag(
    false,
    'Links that rules left out have a share of the score too, and it is lost (scoring-opic; counted by PARSE).',
  ),
  'db.score.injected': float(1, 'Score of a page that INJECT adds, unless its seed names one.', { min: 0, max: 1e9 }),
  'db.score.link.external': float(1, 'Factor of the score passed to other hosts.', { min: 0, max: 1e6 }),
  'db.score.link.internal': float(1, 'Factor of the score passed inside a host.', { min: 0, max: 1e6 }),
  'db.signature.class': text(
    'org.apache.nutch.crawl.MD5Signature',
    'How the signature of a page is computed: MD5Signature, TextMD5Signature, TextProfileSignature, SimHashSignature, or that of a plugin.',
    CLASS_NAME,
    'the name of a class such as MD5Signature or SimHashSignature, with or without its package',
  ),
  'db.signature.text_profile.min_token_len': int(2, 'Shorter words do not count in a text profile.', { max: 100 }),
  'db.signature.text_profile.quant_rate': float(
    0.01,
    'Rounding step of word counts, relative to the largest.',
    percent,
  ),
  'db.signature.text_profile.sec_sort_lex': flag(
    true,
    'Words of equal count are ordered by themselves; false: as they come in the text.',
  ),
  'db.stats.score.quantiles': text(
    '.01,.05,.1,.2,.25,.3,.4,.5,.6,.7,.75,.8,.9,.95,.99',
    'Quantiles of the score in sorted statistics (READDB `stats` with `sort`). In crawls of more than 200,000 pages they are computed from a sample.',
    /^\s*(?:(?:0?\.\d{1,9}|[01](?:\.0{0,9})?)\s*(?:,\s*(?=\S)|$)){0,100}$/,
    'at most 100 numbers from 0 to 1, separated by commas',
  ),
  'db.update.additions.allowed': flag(
    true,
    'UPDATEDB, and FETCH that follows redirects immediately, may add URLs that were not known.',
  ),
  'db.update.max.inlinks': int(10_000, 'Inlinks kept of a page; the best-scored stay.', { max: 1_000_000 }),
  'db.update.purge.404': flag(false, 'Remove gone pages from the table.'),
  'db.update.purge.orphans': flag(false, 'Remove orphaned pages from the table.'),
};
