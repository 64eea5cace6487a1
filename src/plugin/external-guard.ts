/**
 * Plugins from outside run behind a guard: whatever their code throws or returns, the crawl goes on.
 *
 * A maker that throws, or makes no extension, refuses the configuration, as bad rules of a built-in plugin do: where it
 * is given, and a job that finds it so fails before it does anything. An extension that throws or returns nonsense
 * later costs one answer only: a normalizer leaves that URL as it is, a filter rejects it, for what a filter was to
 * keep out must not come in because the filter is broken; a link is not exempt; a parser fails, so that the next one of
 * the type is tried; a parse filter leaves the page as it is; a schedule or a signature gives way to the default one; a
 * score stays what it was; an indexing filter leaves the document as it is, a page enters no merged segment, and what a
 * writer throws is its failure to write. The first failure is logged, then the tenth, the hundredth …
 */
import type { Conf } from '../conf/properties.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import { type Signature, type SignatureInput, md5Signature } from '../core/page/signature.js';
import type { FilterAnswer } from '../core/url/filter-regex.js';
import type { Rule } from '../core/url/linear-regex.js';
import { type ExemptLink, type Normalizer, type Plugin, type Point, points } from './extension-points.js';
import { guardedExchange, guardedIndexBoost, guardedIndexWriter, guardedIndexingFilter } from './external-index.js';
import { guardedParseFilter, guardedParser } from './external-parse.js';
import { guardedSchedule } from './external-schedule.js';
import { guardedDistribute, guardedOrphanLimits, guardedScore, guardedSortValue } from './external-score.js';
import { reasonOf } from './error-text.js';
import { unawaited } from './unawaited.js';

/** A configuration with which a plugin from outside cannot be made. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

/** Says that an extension failed; returns the reason in words. */
type Fail = (error: unknown) => string;

/** For each point: the extension as it may be called, or undefined when what was made is none. */
type Guards = {
  readonly [P in Point]: (made: unknown, fail: Fail, conf: Conf) => ReturnType<Required<Plugin>[P]> | undefined;
};

const MAX_URL_LENGTH = 65_536;
const MAX_RULES = 100;

const guards: Guards = {
  makeNormalizer: guardedNormalizer,
  makeFilter: guardedFilter,
  makeExemption: guardedExemption,
  makeParser: guardedParser,
  makeParseFilter: guardedParseFilter,
  makeSchedule: (made, fail, conf) => guardedSchedule(made, conf, fail),
  makeSignature: guardedSignature,
  makeSeedScore: guardedScore,
  makeSortValue: guardedSortValue,
  makePageScore: guardedScore,
  makeDistribute: guardedDistribute,
  makeOrphanLimits: guardedOrphanLimits,
  makeIndexingFilter: guardedIndexingFilter,
  makeIndexBoost: guardedIndexBoost,
  makeSegmentMergeFilter: guardedMergeFilter,
  makeExchange: guardedExchange,
  makeIndexWriter: guardedIndexWriter,
};

/** The plugin with each of its makers, and what they make, behind the guard. `report` gets lines for the log. */
export function guarded(plugin: Plugin, report: (line: string) => void): Plugin {
  const { id, className, description, requires = [] } = plugin;
  const makers = (Object.keys(points) as Point[])
    .filter((point) => plugin[point] !== undefined)
    .map((point) => [point, guardedMaker(plugin, point, report)]);
  return { id, className, description, requires, ...Object.fromEntries(makers) };
}

function guardedMaker(plugin: Plugin, point: Point, report: (line: string) => void) {
  const fail = failureCounter(`plugin ${plugin.id}, ${point}`, report);
  const maker = plugin[point] as (conf: Conf, ...more: unknown[]) => unknown;
  return (conf: Conf, ...more: unknown[]): unknown => {
    let made: unknown;
    try {
      // A copy: what a plugin writes into its configuration is not read by others.
      made = maker(Object.freeze({ ...conf }), ...more);
    } catch (error) {
      throw new PluginError(`Plugin ${plugin.id} (${point}): ${reasonOf(error)}`, { cause: error });
    }
    const extension = guards[point](made, fail, conf);
    if (extension === undefined) throw new PluginError(`Plugin ${plugin.id} (${point}) made no ${points[point].name}.`);
    return extension;
  };
}

function failureCounter(path: string, report: (line: string) => void): Fail {
  let count = 0;
  return (error) => {
    const reason = reasonOf(error);
    count++;
    if (Number.isInteger(Math.log10(count))) report(`${path} failed${count > 1 ? ` ${count} times` : ''}: ${reason}`);
    return reason;
  };
}

/** Calls `work`; an answer that `read` cannot read is a failure like one that was thrown. */
function answer<T>(work: () => unknown, read: (given: unknown) => T | undefined, otherwise: (error: unknown) => T): T {
  try {
    const given = work();
    const value = read(given);
    if (value !== undefined) return value;
    return otherwise(`it answered ${unawaited(given) ? 'a promise' : typeof given}`);
  } catch (error) {
    return otherwise(error);
  }
}

function guardedNormalizer(made: unknown, fail: Fail): Normalizer | undefined {
  const extension = made as Partial<Normalizer> | null | undefined;
  if (typeof extension?.normalize !== 'function') return undefined;
  const { appliedRules } = extension;
  return {
    normalize: (url) =>
      answer(
        () => extension.normalize?.(url),
        (given) => (given === null ? null : readUrl(given)),
        (error) => {
          fail(error);
          return url;
        },
      ),
    ...(typeof appliedRules === 'function' && {
      appliedRules: (url: string) =>
        answer(
          () => appliedRules.call(extension, url),
          readRules,
          (error) => {
            fail(error);
            return [];
          },
        ),
    }),
  };
}

function guardedFilter(made: unknown, fail: Fail): ((url: string) => FilterAnswer) | undefined {
  if (typeof made !== 'function') return undefined;
  return (url) =>
    answer<FilterAnswer>(
      () => (made as (url: string) => unknown)(url),
      readAnswer,
      (error) => ({ accepted: false, rule: { number: 0, text: `the plugin failed: ${fail(error)}` } }),
    );
}

/** A link that the plugin fails at is not exempt. */
function guardedExemption(made: unknown, fail: Fail): ExemptLink | undefined {
  if (typeof made !== 'function') return undefined;
  return (from, to) =>
    answer<FilterAnswer>(
      () => (made as (...given: unknown[]) => unknown)(from, to),
      readAnswer,
      (error) => {
        fail(error);
        return { accepted: false, rule: null };
      },
    );
}

/** A page that the plugin fails at stays where it is. */
function guardedMergeFilter(made: unknown, fail: Fail): SegmentMergeFilter | undefined {
  if (typeof made !== 'function') return undefined;
  return (page) =>
    answer(
      () => (made as SegmentMergeFilter)(page),
      (given) => (typeof given === 'boolean' ? given : undefined),
      (error) => {
        fail(error);
        return false;
      },
    );
}

const hexShape = /^(?:[0-9a-f]{2}){1,64}$/;

function guardedSignature(made: unknown, fail: Fail): Signature | undefined {
  if (typeof made !== 'function') return undefined;
  return (page) =>
    answer(
      () => (made as (page: SignatureInput) => unknown)(page),
      (given) => (typeof given === 'string' && hexShape.test(given) ? given : undefined),
      (error) => {
        fail(error);
        return md5Signature(page);
      },
    );
}

const readUrl = (given: unknown): string | undefined =>
  typeof given === 'string' && given !== '' && given.length <= MAX_URL_LENGTH ? given.toWellFormed() : undefined;

/** true and false do as answers; so does an object without a rule. */
function readAnswer(given: unknown): FilterAnswer | undefined {
  if (typeof given === 'boolean') return { accepted: given, rule: null };
  const { accepted, rule } = (given ?? {}) as { accepted?: unknown; rule?: unknown };
  return typeof accepted === 'boolean' ? { accepted, rule: readRule(rule) } : undefined;
}

function readRule(given: unknown): Rule | null {
  const { number, text } = (given ?? {}) as { number?: unknown; text?: unknown };
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof text !== 'string') return null;
  return { number, text: text.toWellFormed().slice(0, 1_000) };
}

const readRules = (given: unknown): Rule[] | undefined =>
  Array.isArray(given) ? given.slice(0, MAX_RULES).flatMap((rule) => readRule(rule) ?? []) : undefined;
