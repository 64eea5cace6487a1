import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/conf/properties.js';
import { trapShape } from '../../../src/core/trap/trap-shape.js';
import { unicodeText } from '../../support/unicode-text.js';

const year = 2026;
const property = (url: string, limits = {}) => {
  const rule = trapShape(url, { ...defaults, ...limits }, year);
  return rule === null ? null : rule.text.split(':')[0];
};

describe('URLs of ordinary sites', () => {
  it.each([
    'http://a.test/',
    'http://a.test/1999/12/31/party.html',
    'http://a.test/archive/1851-09-18',
    'http://a.test/news/2027/01/',
    'http://a.test/item/3021',
    'http://a.test/phone/4930123456',
    'http://a.test/20500101234',
    'http://a.test/9999',
    'http://a.test/2077/',
    'https://pubmed.ncbi.nlm.nih.gov/31051234/',
    'https://stackoverflow.com/questions/11021234/why',
    'https://forum.test/topic/4521/2',
    'http://a.test/p/9045-12',
    'http://a.test/show?id=30120599',
    'http://a.test/20320100',
    'http://a.test/20321332',
    // Digits that may be a plain number are no date if a calendar reaches them only through years that are refused.
    'http://a.test/2182/01',
    'http://a.test/1575/12',
    'http://a.test/events/21881205/',
    'http://a.test/agenda/21881205',
    'http://a.test/calendar/99991332',
    'http://a.test/calendar/event/99991231',
    'http://a.test/p/99991231',
    'http://a.test/calendar/4521/13',
    'http://a.test/archive/topic/4521/2',
    'http://a.test/substance/7440-05-3',
    'http://a.test/whats-new/6000.1.12',
    'http://a.test/4521-12-32',
    'http://a.test/0000-00-00',
    'http://a.test/tile?x=4521&y=6012',
    'http://a.test/show?update=30120509&candidate=4521-12',
    'http://a.test/search?q=2099&page=12&sort=a&lang=en',
    'http://a.test/list?f=1&f=2&f=3&f=4',
    'http://a.test/a/b/a/b/a/c',
    `http://a.test/${'x'.repeat(1_000)}`,
    'http://a.test/api/docs/com/example/very/deep/java/package/name/Class.html',
    '',
    'no url',
  ])('%s is not a trap', (url) => {
    expect(trapShape(url, defaults, year)).toBeNull();
  });
});

describe('a trap is reported with the property that sets its limit', () => {
  const many = (n: number, part: (i: number) => string, by: string) =>
    Array.from({ length: n }, (_, i) => part(i)).join(by);
  it.each([
    [`http://a.test/${'x'.repeat(1_800)}`, 'trap.url.length'],
    [`http://a.test/${many(41, String, '/')}`, 'trap.path.segments'],
    [`http://a.test/${many(4, (i) => `a/${i}`, '/')}`, 'trap.path.repeats'],
    ['http://a.test/a/a/a/a/x', 'trap.path.repeats'],
    [`http://a.test/?${many(31, (i) => `p${i}=1`, '&')}`, 'trap.query.parameters'],
    [`http://a.test/?${many(11, (i) => `f=${i}`, '&')}`, 'trap.query.repeats'],
    ['http://a.test/calendar/2032/01', 'trap.calendar.years'],
    ['http://a.test/calendar/2032/1/', 'trap.calendar.years'],
    ['http://a.test/calendar/2032-01', 'trap.calendar.years'],
    ['http://a.test/calendar/2032-01-31', 'trap.calendar.years'],
    ['http://a.test/calendar/20320131', 'trap.calendar.years'],
    ['http://a.test/events?date=2032-01', 'trap.calendar.years'],
    ['http://a.test/events?year=2032&month=1', 'trap.calendar.years'],
    ['http://a.test/events/1600-01', 'trap.calendar.years'],
    ['http://a.test/2032/01', 'trap.calendar.years'],
    ['http://a.test/2181/12', 'trap.calendar.years'],
    ['http://a.test/1725/12', 'trap.calendar.years'],
    ['http://a.test/1576/01', 'trap.calendar.years'],
    // An unambiguous date is refused at any distance.
    ['http://a.test/calendar/0001/01', 'trap.calendar.years'],
    ['http://a.test/Calendar/9999/12/31', 'trap.calendar.years'],
    ['http://a.test/calendar/99991231', 'trap.calendar.years'],
    ['http://a.test/calendar/00010101/', 'trap.calendar.years'],
    ['http://a.test/calendar/day/21881205', 'trap.calendar.years'],
    ['http://a.test/date/99991231T000000', 'trap.calendar.years'],
    ['http://a.test/archive/99991231', 'trap.calendar.years'],
    ['http://a.test/calendar/month/9999/12', 'trap.calendar.years'],
    ['http://a.test/cal/2500-01', 'trap.calendar.years'],
    ['http://a.test/events/2500-01', 'trap.calendar.years'],
    ['http://a.test/archive/2500/1/', 'trap.calendar.years'],
    ['http://a.test/x/9999-12-31', 'trap.calendar.years'],
    ['http://a.test/x?q=9999-12-31T23:59:59', 'trap.calendar.years'],
    ['http://a.test/events?date=0001-01-01', 'trap.calendar.years'],
    ['http://a.test/events?date=9999-12-31', 'trap.calendar.years'],
    ['http://a.test/events?date=99991231', 'trap.calendar.years'],
    ['http://a.test/events?startDate=2500-1', 'trap.calendar.years'],
    ['http://a.test/events?event-month=2500-01', 'trap.calendar.years'],
    ['http://a.test/calendar?year=9999&month=12', 'trap.calendar.years'],
    ['http://a.test/calendar?cal_year=0001', 'trap.calendar.years'],
  ])('%s exceeds %s', (url, name) => {
    expect(property(url)).toBe(name);
  });

  it('calendar years before and after the allowed range are refused', () => {
    const limits = { 'trap.calendar.years.ahead': 0, 'trap.calendar.years.back': 10 };
    expect([2015, 2016, 2026, 2027].map((y) => property(`http://a.test/${y}/01`, limits) === null)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('-1 disables a limit', () => {
    expect(property('http://a.test/calendar/2032/01', { 'trap.calendar.years.ahead': -1 })).toBeNull();
    expect(property(`http://a.test/${'x'.repeat(9_000)}`, { 'trap.url.length': -1 })).toBeNull();
  });

  it('any text is checked without an error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), unicodeText()), (url) => {
        const rule = trapShape(url, defaults, year);
        expect(rule === null || rule.text !== '').toBe(true);
      }),
    );
  });
});
