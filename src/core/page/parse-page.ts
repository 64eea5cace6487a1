/**
 * Turns the body of an answer into the parsed page.
 *
 * The detected type selects the parsers: they are tried in order until one succeeds, then the parse filters run. A type
 * without a parser is a failure with a reason. No content makes this throw. The caller then passes the links to
 * `keepOutlinks`; with a refresh (minor code 100) it treats the target as a redirect and drops the text.
 */
import { typeOfDocument } from './content-type.js';
import { obeyDirectives } from './obey-directives.js';
import { PARSE_MAJOR, PARSE_MINOR, parseFailure, type ParseStatus } from './parse-status.js';
import {
  andThen,
  type FetchedPage,
  type ParseChain,
  type ParsedPage,
  type Parser,
  type ParseFilter,
  type ParseProps,
  type ParserInput,
  type ReadPage,
  type TriedParser,
} from './parser.js';
import { md5Signature } from './signature.js';
import type { PluginImplementation } from '../plugin-implementation.js';
import { errorMessage } from '../error-message.js';

export function emptyPage(page: FetchedPage): Omit<ReadPage, 'status'> {
  return {
    title: '',
    text: '',
    outlinks: [],
    base: page.url,
    robots: { noindex: false, nofollow: false },
    refresh: null,
    canonical: null,
    charset: null,
    metadata: {},
  };
}

/**
 * Parses a page: synchronously, or as a promise where a parser or filter of the chain returns one. Never throws or
 * rejects; its own work is linear in the length of the content.
 */
export function parsePage(
  content: Uint8Array,
  page: FetchedPage,
  props: ParseProps,
  chain: ParseChain,
): ParsedPage | Promise<ParsedPage> {
  const sniffed = props['mime.type.magic'] ? content : null;
  const type = typeOfDocument({ contentType: page.contentType, name: page.url, content: sniffed });
  const input: ParserInput = { content, page, type, props };
  if (page.unreadable !== undefined) return failed(input, parseFailure(PARSE_MINOR.exception, page.unreadable), []);
  if (props['parser.skip.truncated'] && isTruncated(content, page)) {
    return failed(input, parseFailure(PARSE_MINOR.truncated, `only the first ${content.length} bytes were kept`), []);
  }
  const parsers = chain.parsersOf(type);
  if (parsers.length === 0) return failed(input, parseFailure(PARSE_MINOR.exception, `no parser for ${type}`), []);
  return andThen(firstSuccess(input, parsers, []), (parsed) =>
    parsed.parser === null ? parsed : finished(obeyDirectives(parsed, input), input, chain),
  );
}

function finished(parsed: ParsedPage, input: ParserInput, chain: ParseChain): ParsedPage | Promise<ParsedPage> {
  return andThen(filtered(parsed, input, chain.filters), (kept) => signed(kept, input, chain));
}

/** The result of the first parser that does not fail. */
function firstSuccess(
  input: ParserInput,
  [parser, ...others]: readonly PluginImplementation<Parser>[],
  tried: readonly TriedParser[],
): ParsedPage | Promise<ParsedPage> {
  if (parser === undefined) return failed(input, allFailed(tried), tried);
  const { id } = parser;
  const next = (status: ParseStatus) =>
    firstSuccess(input, others, [...tried, { parser: id, reason: status.args.join(' '), minor: status.minor }]);
  return orFailed(
    () => parser.run(input),
    (read) =>
      read.status.major === PARSE_MAJOR.failed ? next(read.status) : { ...read, type: input.type, parser: id, tried },
    (error) => next(parseFailure(PARSE_MINOR.exception, errorMessage(error))),
  );
}

/** A single reason as it is, several with the names of their parsers. */
function allFailed(tried: readonly TriedParser[]): ParseStatus {
  const [only] = tried;
  const minor = tried.at(-1)?.minor ?? PARSE_MINOR.exception;
  if (tried.length === 1) return parseFailure(minor, only?.reason ?? '');
  return parseFailure(minor, tried.map(({ parser, reason }) => `${parser}: ${reason}`).join('; '));
}

function filtered(
  parsed: ParsedPage,
  input: ParserInput,
  [filter, ...others]: readonly PluginImplementation<ParseFilter>[],
): ParsedPage | Promise<ParsedPage> {
  if (filter === undefined) return parsed;
  return orFailed(
    () => filter.run(parsed, input),
    (changed) => filtered(changed, input, others),
    (error) => {
      const reason = `${filter.id}: ${errorMessage(error)}`;
      return failed(input, parseFailure(PARSE_MINOR.exception, reason), parsed.tried);
    },
  );
}

function signed(parsed: ParsedPage, { content, page }: ParserInput, chain: ParseChain): ParsedPage {
  if (parsed.status.major !== PARSE_MAJOR.success) return parsed;
  const sign = chain.signature ?? md5Signature;
  return { ...parsed, signature: sign({ content, url: page.url, text: parsed.text }) };
}

/** `then` of the result of `run`, or `otherwise` of its error: a page that makes a parser throw fails alone. */
function orFailed<T>(
  run: () => T | Promise<T>,
  then: (value: T) => ParsedPage | Promise<ParsedPage>,
  otherwise: (error: unknown) => ParsedPage | Promise<ParsedPage>,
): ParsedPage | Promise<ParsedPage> {
  let value: T | Promise<T>;
  try {
    value = run();
  } catch (error) {
    return otherwise(error);
  }
  return value instanceof Promise ? value.then(then, otherwise) : then(value);
}

function isTruncated(content: Uint8Array, page: FetchedPage): boolean {
  return page.truncated === true || (page.contentLengthHeader ?? 0) > content.length;
}

function failed(input: ParserInput, status: ParseStatus, tried: readonly TriedParser[]): ParsedPage {
  return { ...emptyPage(input.page), type: input.type, parser: null, tried, status };
}
