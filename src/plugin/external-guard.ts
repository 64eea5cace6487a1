/**
 * External plugins run behind a guard: whatever their code throws or returns, the crawl continues.
 *
 * If a maker throws or returns no extension, the configuration is invalid, as with invalid rules of a built-in plugin: it
 * is rejected when it is set, and a job that uses it fails before it does anything. If an extension later throws or
 * returns an invalid value, only that call fails: a normalizer leaves the URL unchanged; a filter rejects it, so that
 * a broken filter admits nothing; a link is not exempt; a parser fails, so that the next one of the type is tried; a parse
 * filter leaves the page unchanged; the default schedule or signature is used instead; a score stays the same; an
 * indexing filter leaves the document unchanged; a page is not merged into a segment; an error of a writer counts as a
 * failed write. The first failure is logged, then the tenth, the hundredth …
 */
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import type { ExemptLink, Normalizer } from '../core/url/url-rules.js';
import type { Conf } from '../core/conf/properties.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import { type Signature, type SignatureInput, md5Signature } from '../core/page/signature.js';
import type { FilterUrl, FilterVerdict } from '../core/url/url-filter.js';
import type { Rule } from '../core/url/linear-regex.js';
import { type Plugin, type Point, points } from './extension-points.js';
import { guardedExchange, guardedIndexBoost, guardedIndexWriter, guardedIndexingFilter } from './external-index.js';
import { guardedParseFilter, guardedParser } from './external-parse.js';
import { guardedSchedule } from './external-schedule.js';
import { guardedDistribute, guardedOrphanLimits, guardedScore, guardedSortValue } from './external-score.js';
import { reasonOf } from './error-text.js';
import { unawaited } from './unawaited.js';
import { checked, checkedFunction, type Fail, failureCounter, readBoolean } from './external-call.js';

/** A configuration for which an external plugin cannot create an extension. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

/** For each point: the guarded extension, or undefined when the maker returned none. */
type Guards = {
  readonly [P in Point]: (extension: unknown, fail: Fail, conf: Conf) => ReturnType<Required<Plugin>[P]> | undefined;
};

const MAX_URL_LENGTH = 65_536;
const MAX_RULES = 100;

/** The plugin with its makers and their extensions guarded. `report` receives lines for the log. */
export function guarded(plugin: Plugin, report: (line: string) => void): Plugin {
  const { id, className, description, requires = [] } = plugin;
  const { writesWithoutParameters = false, writesConcurrently = false } = plugin;
  const makers = (Object.keys(points) as Point[])
    .filter((point) => plugin[point] !== undefined)
    .map((point) => [point, guardedMaker(plugin, point, report)]);
  const flags = { writesWithoutParameters, writesConcurrently };
  return { id, className, description, requires, ...flags, ...Object.fromEntries(makers) };
}

function guardedMaker(plugin: Plugin, point: Point, report: (line: string) => void) {
  const fail = failureCounter(`plugin ${plugin.id}, ${point}`, report);
  const maker = plugin[point] as (conf: Conf, ...more: unknown[]) => unknown;
  return (conf: Conf, ...more: unknown[]): unknown => {
    let extension: unknown;
    try {
      extension = maker(copyOfConf(conf), ...more);
    } catch (error) {
      throw new PluginError(`Plugin ${plugin.id} (${point}): ${reasonOf(error)}`, { cause: error });
    }
    if (unawaited(extension))
      throw new PluginError(`Plugin ${plugin.id} (${point}): a maker must not return a promise.`);
    const guardedExtension = guards[point](extension, fail, conf);
    if (guardedExtension === undefined)
      throw new PluginError(`Plugin ${plugin.id} (${point}) made no ${points[point].name}.`);
    return guardedExtension;
  };
}

/** A copy with copies of its lists, so that a plugin cannot change the configuration of others. */
function copyOfConf(conf: Conf): Conf {
  const values = Object.entries(conf).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.freeze(Object.fromEntries(values) as unknown as Conf);
}

function guardedNormalizer(extension: unknown, fail: Fail): Normalizer | undefined {
  const normalizer = extension as Partial<Normalizer> | null | undefined;
  if (typeof normalizer?.normalize !== 'function') return undefined;
  const { appliedRules } = normalizer;
  return {
    normalize: (url) =>
      checked(
        fail,
        () => normalizer.normalize?.(url),
        (value) => (value === null ? null : readUrl(value)),
        () => url,
      ),
    ...(typeof appliedRules === 'function' && {
      appliedRules: (url: string) =>
        checked(
          fail,
          () => appliedRules.call(normalizer, url),
          readRules,
          () => [],
        ),
    }),
  };
}

const guardedFilter = (extension: unknown, fail: Fail): FilterUrl | undefined =>
  checkedFunction<[string], FilterVerdict>(extension, fail, readVerdict, (reason) => ({
    accepted: false,
    rule: { number: 0, text: `the plugin failed: ${reason}` },
  }));

/** If the plugin fails, the link is not exempt. */
const guardedExemption = (extension: unknown, fail: Fail): ExemptLink | undefined =>
  checkedFunction<[string, string], FilterVerdict>(extension, fail, readVerdict, () => ({
    accepted: false,
    rule: null,
  }));

/** If the plugin fails, the page is not merged. */
const guardedMergeFilter = (extension: unknown, fail: Fail): SegmentMergeFilter | undefined =>
  checkedFunction(extension, fail, readBoolean, () => false);

const HEX_SHAPE = /^(?:[0-9a-f]{2}){1,64}$/;

const readHex = (value: unknown): string | undefined =>
  typeof value === 'string' && HEX_SHAPE.test(value) ? value : undefined;

const guardedSignature = (extension: unknown, fail: Fail): Signature | undefined =>
  checkedFunction<[SignatureInput], string>(extension, fail, readHex, (_, page) => md5Signature(page));

const readUrl = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_URL_LENGTH ? value.toWellFormed() : undefined;

/** A boolean is a valid verdict, and so is an object without a rule. */
function readVerdict(value: unknown): FilterVerdict | undefined {
  if (typeof value === 'boolean') return { accepted: value, rule: null };
  const { accepted, rule } = (value ?? {}) as { accepted?: unknown; rule?: unknown };
  return typeof accepted === 'boolean' ? { accepted, rule: readRule(rule) } : undefined;
}

function readRule(value: unknown): Rule | null {
  const { number, text } = (value ?? {}) as { number?: unknown; text?: unknown };
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof text !== 'string') return null;
  return { number, text: text.toWellFormed().slice(0, STORED_LENGTHS.rule) };
}

const readRules = (value: unknown): Rule[] | undefined =>
  Array.isArray(value) ? value.slice(0, MAX_RULES).flatMap((rule) => readRule(rule) ?? []) : undefined;

const guards: Guards = {
  // No external plugin has one (external-shape.ts).
  makeProtocol: () => undefined,
  makeNormalizer: guardedNormalizer,
  makeFilter: guardedFilter,
  makeExemption: guardedExemption,
  makeParser: guardedParser,
  makeParseFilter: guardedParseFilter,
  makeSchedule: (extension, fail, conf) => guardedSchedule(extension, conf, fail),
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
