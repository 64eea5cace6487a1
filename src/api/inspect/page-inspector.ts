/** Parses given bytes as PARSE would: with its parser and its rules, bounded in time. */
import type { Admission, UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import { MASK } from '../../core/conf/properties.js';
import type { HtmlFacts } from '../../core/html/html-metadata.js';
import { parseStatusText } from '../../core/page/parse-status.js';
import { maskedUserInfo, urlWithoutUserInfo } from '../../core/url/url-credentials.js';
import { webUrl } from '../../core/url/web-url.js';
import { type JudgedLink, PageParser } from '../../cycle/parse/page-parser.js';
import { ConfRules } from './conf-rules.js';
import { inspectTooLong } from './inspect.problems.js';
import type { InspectParse, InspectedPage, PageData, ParsedLink } from './parse.dto.js';
import { bytesOfBase64 } from './strict-base64.js';
import { valueRefused } from '../refused-fields.js';

/** Milliseconds for checking links: a configuration may have many rules. */
const JUDGE_MS = 2_000;
const ANSWER_CHARS = 4_194_304;

@Injectable()
export class PageInspector {
  constructor(private readonly confs: ConfRules) {}

  /** Throws FIELDS_INVALID, CONFIG_ID_UNKNOWN, INSPECT_TOO_LONG. */
  async inspect({
    url: givenUrl,
    contentBase64,
    contentType,
    robotsTag,
    confId,
  }: InspectParse): Promise<InspectedPage> {
    const content = bytesOfBase64('contentBase64', contentBase64);
    const { conf, rules } = await this.confs.read(confId);
    const url = webUrlOf(givenUrl);
    const parser = new PageParser(conf, withTimeLimit(rules));
    const { parsed, links } = await parser.explain(content, {
      url,
      contentType: contentType ?? null,
      truncated: false,
      robotsTag: robotsTag ?? null,
    });
    const { status, refresh, facts } = parsed;
    const shown = withinLimit(links);
    return {
      status: { ...status, args: [...status.args], name: parseStatusText(status).split(' ', 1)[0] ?? '' },
      type: parsed.type,
      parser: parsed.parser,
      tried: parsed.tried.map(({ parser, reason }) => ({ parser, reason })),
      title: parsed.title,
      text: parsed.text,
      outlinks: shown.map((link) => parsedLink(parser, link)),
      outlinksLeftOut: links.length - shown.length,
      base: maskedUserInfo(parsed.base, MASK),
      robots: { nocache: false, ...parsed.robots },
      canonical: parsed.canonical && urlWithoutUserInfo(parsed.canonical),
      refresh: refresh && {
        ...refresh,
        url: urlWithoutUserInfo(refresh.url),
        kept: parser.redirectTarget(refresh.url, url) !== null,
      },
      charset: parsed.charset,
      signature: parsed.signature ?? null,
      data: facts === undefined ? null : dataOf(facts),
      metadata: { ...parsed.metadata },
    };
  }
}

function dataOf({ metatags, headings, jsonLd, alternates, images }: HtmlFacts): PageData {
  return {
    metatags: Object.fromEntries([...metatags].map(([name, values]) => [name, [...values]])),
    headings: Object.fromEntries([...headings].map(([tag, texts]) => [tag, [...texts]])),
    jsonLd: [...jsonLd],
    alternates: [...alternates],
    images: [...images],
  };
}

function webUrlOf(text: string): string {
  const form = webUrl(URL.parse(text)?.href ?? text);
  if ('url' in form) return form.url;
  throw valueRefused('url', text, 'an http or https URL');
}

/** The first links, as many as fit into an answer: a long base with many short references would make very much text. */
function withinLimit(links: readonly JudgedLink[]): readonly JudgedLink[] {
  let left = ANSWER_CHARS;
  const end = links.findIndex(
    ({ url, anchor, keptAs }) => (left -= url.length + anchor.length + (keptAs?.length ?? 0)) < 0,
  );
  return end < 0 ? links : links.slice(0, end);
}

/** Rules with a limit on their total time; time between two links (parsing the page, other requests) does not count. */
function withTimeLimit(rules: UrlRules): UrlRules {
  let leftMs = JUDGE_MS;
  return {
    ...rules,
    admit(...args) {
      if (leftMs < 0) throw inspectTooLong('The check of links', JUDGE_MS / 1_000);
      const begin = performance.now();
      const admission = rules.admit(...args);
      leftMs -= performance.now() - begin;
      return admission;
    },
  };
}

function parsedLink(parser: PageParser, { url, anchor, tag, keptAs, dropped }: JudgedLink): ParsedLink {
  const link = { url: maskedUserInfo(url, MASK), anchor, ...(tag !== undefined && { tag }) };
  if (dropped === null) return { ...link, kept: true, ...(keptAs !== null && keptAs !== url && { keptAs }) };
  return {
    ...link,
    kept: false,
    ...(dropped === 'filtered' ? whoRefused(parser.admission(url)) : { droppedBy: dropped }),
  };
}

/** Names the plugin that made a decision. */
function whoRefused(admission: Admission): { droppedBy: string; rule?: { number: number; text: string } } {
  if (!('rejected' in admission)) return { droppedBy: 'filtered' };
  const { rejected, plugin, rule } = admission;
  return { droppedBy: plugin ?? rejected, ...(rule && { rule }) };
}
