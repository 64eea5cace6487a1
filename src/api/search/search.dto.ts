/** Searches under /v1. */
import { Transform } from 'class-transformer';
import { IsBoolean, Matches } from 'class-validator';
import { type ExpandMode, expandModes } from '../../core/search/feedback.js';
import { type SimilarityName, similarities } from '../../core/search/score/ranking.js';
import { facetNames } from '../../core/search/score/facets.js';
import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalFieldOf, RecordField } from '../openapi/fields.js';
import { queryBooleanOf } from '../request/boolean-text.js';
import { ConfIdField, OptionalCrawlIdField } from '../request/ids.js';
import { NextCursor } from '../request/list-cursor.js';
import { OneWord } from '../request/one-word.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { PageTime } from '../page/page.dto.js';

const FACETS = new RegExp(`^(?:(?:${facetNames.join('|')})(?:,(?!$)|$)){0,3}$`);

export class SearchQuery {
  @OptionalText(
    65_536,
    'The query: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT` (also `&&`, `||`, `!`), brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query.',
    'interactive rebase',
  )
  q: string = '';

  @OptionalCrawlIdField('The crawl; without it, the only crawl that has an index.')
  crawlId?: string;

  @OptionalText(128, 'Only pages of this batch: its id, or its name as a segment. The same as `segment:` in the query.')
  segment?: string;

  @ConfIdField('Configuration whose properties `search.boost.*` and `search.bm25.*` are used.')
  confId: string = 'default';

  @WholeNumber({ description: 'Maximum number of hits.', default: 10, minimum: 1, maximum: 100, example: 10 })
  limit: number = 10;

  @OptionalText(4_500, '`cursor` of the previous answer: continues after it.')
  cursor?: string;

  @FieldWithDefault(
    '',
    'Facets to count over all matching documents: `host`, `lang`, `type`, separated by commas.',
    'host,lang',
  )
  @Matches(FACETS, { message: `$property must be some of ${facetNames.join(', ')}, separated by commas` })
  facets: string = '';

  @OneWord(
    expandModes,
    'Whether to add significant words of the first hits to the query: auto, if the query has five words or more and is not a title; on; off.',
    { example: 'auto', default: 'auto' },
  )
  expand: ExpandMode = 'auto';

  @OneWord(
    similarities,
    'How documents are scored: bm25f, by words, title and links; bm25, as in Lucene 8; classic, TF-IDF as in Lucene 3. The latter two return the scores of Lucene, and add words only with `expand=on`.',
    { example: 'classic', default: 'bm25f' },
  )
  similarity: SimilarityName = 'bm25f';

  @FieldWithDefault(
    true,
    'Show pages whose texts are nearly equal as one hit, with the number of `duplicates`; false shows each.',
    true,
  )
  @Transform(({ value }) => queryBooleanOf(value))
  @IsBoolean()
  collapse: boolean = true;

  @WholeNumber({
    description: 'Maximum number of snippets per hit.',
    default: 2,
    minimum: 0,
    maximum: 5,
    example: 2,
  })
  snippets: number = 2;

  @FieldWithDefault(false, 'Explain the score of each hit.', false)
  @Transform(({ value }) => queryBooleanOf(value))
  @IsBoolean()
  explain: boolean = false;
}

export class ExplanationDto {
  @Field('The value.', 4.2)
  value!: number;

  @Field('What the value is.', 'idf: ln(1 + (N − n + 0.5) / (n + 0.5))')
  description!: string;

  @FieldOf([Object], 'Its components, each of the same form.', [])
  details!: readonly object[];
}

export class SnippetDto {
  @Field('A range of the text, with … where text is omitted.', 'The night ferry sails …')
  text!: string;

  @Field('Start and end of each word or phrase of the query, in UTF-16 units.', [[4, 9]], {
    type: 'array',
    items: { type: 'array', items: { type: 'integer' } },
  })
  marks!: (readonly [start: number, end: number])[];
}

export class SearchHitDto {
  @Field('The URL; if redirects led to the page, the representative one of them.', 'http://example.org/docs/')
  url!: string;

  @Field(
    'The URL of the page in the table, for `GET /v1/pages/{url}`. It differs from `url` if redirects led to the page.',
    'http://example.org/docs/',
  )
  pageUrl!: string;

  @Field('Id of the document: the row key of its page.', 'test.site:http/docs/')
  id!: string;

  @Field('Title.', 'Documentation')
  title!: string;

  @Field('Start and end of each word or phrase of the query in the title, in UTF-16 units.', [[0, 13]], {
    type: 'array',
    items: { type: 'array', items: { type: 'integer' } },
  })
  titleMarks!: (readonly [start: number, end: number])[];

  @FieldOf([SnippetDto], 'The ranges of its text that match most of the query; empty if no text is stored.', [])
  snippets!: SnippetDto[];

  @Field('Number of near-duplicate hits that this one represents; 0 with `collapse=false`.', 0)
  duplicates!: number;

  @Field('Score; comparable only within one response.', 12.5)
  score!: number;

  @Field('Host.', 'example.org')
  host!: string;

  @FieldOrNull(String, 'Language, ISO 639-1; null if unknown.', 'en')
  lang!: string | null;

  @FieldOrNull(String, 'Media type; null if unknown.', 'text/html')
  type!: string | null;

  @PageTime('When the page was fetched.', true)
  fetchTime!: string | null;

  @OptionalFieldOf(ExplanationDto, 'Explanation of the score; with `explain`.')
  explanation?: ExplanationDto;
}

export class FacetCount {
  @Field('A host, language or type.', 'example.org')
  value!: string;

  @Field('Number of documents with it.', 12)
  documents!: number;
}

export class ExpansionDto {
  @Field('Why words were added, or why not.', 'the query has fewer than 5 different words')
  reason!: string;

  @FieldOf([String], 'The words, as terms of the index, highest weight first.', [])
  added!: string[];
}

export class SearchAnswer {
  @Field('The crawl that was searched.', 'k1')
  crawlId!: string;

  @Field('The parsed query, in Lucene syntax.', 'interactive rebase')
  query!: string;

  @FieldOf([SearchHitDto], 'The hits, best first.')
  hits!: SearchHitDto[];

  @Field('Number of documents found.', 120)
  total!: number;

  @Field(
    'Whether `total` is exact; otherwise it is a lower bound, because a word occurs in too many documents, or a prefix begins too many words, to count all.',
    true,
  )
  exact!: boolean;

  @NextCursor('12.5:9.4:test.site:http/docs/')
  cursor!: string | null;

  @RecordField(
    'Counts of the requested facets, most frequent values first.',
    { host: [{ value: 'example.org', documents: 12 }] },
    { type: 'array', items: { $ref: '#/components/schemas/FacetCount' } },
  )
  facets!: Record<string, FacetCount[]>;

  @FieldOf([String], 'Parts of the query that were interpreted differently or ignored: sentences for people.', [])
  notes!: string[];

  @FieldOrNull(
    String,
    'A suggested spelling of the query, from the words of the index; null if there is none.',
    'ferry',
  )
  didYouMean!: string | null;

  @FieldOf(ExpansionDto, 'Whether words were added to the query.')
  expansion!: ExpansionDto;

  @Field('State of the index; it changes with every write.', '9.4')
  generation!: string;
}
