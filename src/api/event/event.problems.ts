import { problem, retriable, shown } from '../problem.js';

export const lastEventIdInvalid = problem(
  400,
  'LAST_EVENT_ID_INVALID',
  'Last-Event-ID is not valid',
  (given: string) =>
    `Last-Event-ID must be the id of an event, up to 18 digits (given: ${shown(given)}); omit it to read from the beginning.`,
);
export const tooManyStreams = retriable(
  5,
  problem(
    429,
    'TOO_MANY_STREAMS',
    'Too many event streams',
    (open: number, whose = '') =>
      `${open} event streams${whose} are open already; poll with "Accept: application/json".`,
  ),
  ', or ',
);
export const eventsUnknown = problem(
  404,
  'EVENTS_UNKNOWN',
  'Unknown job or crawl',
  (id: string) => `There is neither a job nor a crawl ${shown(id)}; GET /job lists all jobs with their crawls.`,
);
