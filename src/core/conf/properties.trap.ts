import { MAX_INT32 } from '../int32.js';
import { float, int } from './property.js';

const limit = { min: -1, max: 1_000_000 };

/** Our own properties: shapes of traps, and budgets of hosts and URL templates. -1 disables each. */
export const trapProperties = {
  'trap.calendar.years.ahead': int(
    5,
    'Years from now up to which dates in URLs are followed. More than 150 years beyond that, digits that may be a number are none. -1: any date.',
    {
      ...limit,
      max: 10_000,
      unit: 'years',
    },
  ),
  'trap.calendar.years.back': int(
    300,
    'Years before now from which on dates in URLs are followed. More than 150 years before that, digits that may be a number are none. -1: any date.',
    {
      ...limit,
      max: 10_000,
      unit: 'years',
    },
  ),
  'trap.host.pages': int(
    -1,
    'Pages that a host may have in a crawl: UPDATEDB and SITEMAP add no further URLs of it. -1: any number.',
    { ...limit, max: MAX_INT32 },
  ),
  'trap.path.repeats': int(3, 'Equal segments that a path may have. -1: any number.', limit),
  'trap.path.segments': int(40, 'Segments that a path may have. -1: any number.', limit),
  'trap.query.parameters': int(30, 'Parameters that a query may have. -1: any number.', limit),
  'trap.query.repeats': int(10, 'Parameters of one name that a query may have. -1: any number.', limit),
  'trap.template.pages': int(
    -1,
    'URLs of one template of a host (/item/{n}) that UPDATEDB adds to a crawl. -1: any number.',
    { ...limit, max: MAX_INT32 },
  ),
  'trap.template.similar.after': int(
    -1,
    'Pages after which a template of a host is looked at: no further URLs of it are added when its pages are near duplicates. -1: never.',
    limit,
  ),
  'trap.template.similar.bits': int(
    6,
    'Bits in which two SimHash signatures of near duplicates may differ; signatures of other kinds must be equal.',
    { max: 64, unit: 'bits' },
  ),
  'trap.template.similar.share': float(0.9, 'Share of near duplicates that stops a template.', { min: 0, max: 1 }),
  'trap.url.length': int(1_800, 'Characters that a URL may have. -1: any number.', { ...limit, unit: 'characters' }),
};
