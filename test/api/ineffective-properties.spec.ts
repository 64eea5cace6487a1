import { describe, expect, it } from 'vitest';
import { ineffectiveNotices } from '../../src/api/config/ineffective-properties.js';
import { parseConf } from '../../src/core/conf/properties.js';

/**
 * A configuration whose property changes nothing says so when it is sent, with the property that decides; with that one set
 * it says nothing.
 */

type Params = Record<string, string>;
const notices = (params: Params): string[] => ineffectiveNotices(params, parseConf(params).conf);
const also = (plugin: string): Params => ({ 'plugin.includes.also': plugin });
const scheduledBy = (schedule: string): Params => ({ 'db.fetch.schedule.class': schedule });
const simhash: Params = { 'db.signature.class': 'SimHashSignature' };

type Case = [property: string, value: string, why: string, effective: Params];

const cases: Case[] = [
  ['trap.template.similar.after', '12', 'only equal signatures are near duplicates', simhash],
  [
    'trap.template.similar.bits',
    '5',
    'trap.template.similar.after is -1',
    { ...simhash, 'trap.template.similar.after': '9' },
  ],
  [
    'trap.template.similar.share',
    '0.5',
    'trap.template.similar.after is -1',
    { ...simhash, 'trap.template.similar.after': '9' },
  ],
  ['deduplication.simhash.distance', '2', 'only equal signatures are near duplicates', simhash],
  ['db.fetch.schedule.adaptive.inc_rate', '0.3', 'is not adaptive', scheduledBy('AdaptiveFetchSchedule')],
  ['db.fetch.schedule.adaptive.dec_rate', '0.3', 'is not adaptive', scheduledBy('MimeAdaptiveFetchSchedule')],
  [
    'db.fetch.schedule.mime.rules',
    'text/html 0.1 0.1',
    'is not MimeAdaptiveFetchSchedule',
    scheduledBy('MimeAdaptiveFetchSchedule'),
  ],
  [
    'db.fetch.schedule.score.base',
    '3',
    'db.fetch.schedule.score.exponent is 0',
    { 'db.fetch.schedule.score.exponent': '1' },
  ],
  [
    'db.signature.text_profile.min_token_len',
    '4',
    'is not TextProfileSignature',
    { 'db.signature.class': 'TextProfileSignature' },
  ],
  ['http.proxy.port', '3128', 'http.proxy.host names no proxy', { 'http.proxy.host': 'proxy.test' }],
  ['http.agent.rotate.rules', 'a\nb', 'http.agent.rotate is false', { 'http.agent.rotate': 'true' }],
  ['generate.count.mode', 'domain', 'nothing is counted', { 'generate.max.count': '5' }],
  ['generate.count.mode', 'domain', 'nothing is counted', { 'generate.max.count.expr': '5' }],
  ['crawl.gen.delay', '1', 'generate.update.crawldb is false', { 'generate.update.crawldb': 'true' }],
  ...['fetcher.bandwidth.target.check.everyNSecs', 'fetcher.maxNum.threads'].map((property): Case => [
    property,
    '7',
    'fetcher.bandwidth.target names',
    { 'fetcher.bandwidth.target': '1' },
  ]),
  ...['fetcher.throughput.threshold.check.after', 'fetcher.throughput.threshold.retries'].map((property): Case => [
    property,
    '7',
    'threshold.pages names',
    { 'fetcher.throughput.threshold.pages': '1' },
  ]),
  ['fetcher.redirect.dedupcache.size', '7', 'is no time', { 'fetcher.redirect.dedupcache.seconds': '1' }],
  ['urlfilter.prefix.rules', 'http://a.test/', 'plugin urlfilter-prefix is not active', also('urlfilter-prefix')],
  ['scoring.depth.max', '5', 'plugin scoring-depth is not active', also('scoring-depth')],
  ['headings', 'h1', 'plugin headings is not active', also('headings')],
  ['index.static', 'a:b', 'plugin index-static is not active', also('index-static')],
  ['index.replace.regexp', 'title=/a/b/', 'plugin index-replace is not active', also('index-replace')],
  ['mimetype.filter.rules', 'text/html', 'plugin mimetype-filter is not active', also('mimetype-filter')],
];

describe('a property that changes nothing', () => {
  it.each(cases)('%s = %j is named, as %s; not with %j', (property, value, why, effective) => {
    const [notice, ...more] = notices({ [property]: value });
    expect(notice).toMatch(
      new RegExp(`^Property ${property.replaceAll('.', '\\.')} changes nothing with this configuration: .*\\.$`),
    );
    expect(notice).toContain(why);
    expect(more).toEqual([]);
    expect(notices({ [property]: value, ...effective })).toEqual([]);
  });

  it('is named beside another property whose value has no effect either', () => {
    const [notice] = notices({ 'generate.count.mode': 'domain', 'generate.max.count': '0' });
    expect(notice).toContain('nothing is counted');
  });

  it('is not named with its default value, which changes nothing anywhere', () => {
    expect(notices({ 'generate.count.mode': 'host', 'http.agent.rotate.rules': '' })).toEqual([]);
  });
});
