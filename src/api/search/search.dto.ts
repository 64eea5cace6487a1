/** Searches as /v1 shows them. */
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import { type SimilarityName, similarities } from '../../core/search/score/ranking.js';
import { facetNames } from '../../core/search/score/facets.js';
import {
  Field,
  FieldOf,
  FieldOrNull,
  FieldWithDefault,
  NextCursor,
  OptionalField,
  OptionalFieldOf,
  RecordField,
} from '../openapi/fields.js';
import { ConfIdField, crawlIdShape, mustBeCrawlId } from '../request/ids.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { PageTime } from '../page/page.dto.js';

const FACETS = new RegExp(`^(?:(?:${facetNames.join('|')})(?:,(?!$)|$)){0,3}$`);

const flagOf = ({ value }: { value: unknown }): unknown =>
  value === 'true' || value === '' ? true : value === 'false' ? false : value;

export class SearchQuery {
  @OptionalText(
    65_536,
    'What is searched for: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT`, brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query.',
    'interactive rebase',
  )
  q: string = '';

  @Matches(crawlIdShape, mustBeCrawlId)
  @IsOptional()
  @OptionalField('The crawl; without it the one that has an index.', 'k1')
  crawlId?: string;

  @ConfIdField('Configuration whose weights of fields (`search.boost.*`) count.')
  confId: string = 'default';

  @WholeNumber({ description: 'Hits at most.', default: 10, minimum: 1, maximum: 100, example: 10 })
  limit: number = 10;

  @OptionalText(4_500, '`cursor` of the answer before: goes on behind it.')
  cursor?: string;

  @FieldWithDefault(
    '',
    'What is counted over all that was found: `host`, `lang`, `type`, separated by commas.',
    'host,lang',
  )
  @Matches(FACETS, { message: `$property must be some of ${facetNames.join(', ')}, separated by commas` })
  facets: string = '';

  @FieldWithDefault(
    'auto',
    'Whether words that stand out in the first hits are searched for as well: auto, where the query is five words or more and no title; on; off.',
    'auto',
  )
  @IsIn(['auto', 'on', 'off'])
  expand: 'auto' | 'on' | 'off' = 'auto';

  @OptionalField(
    'How documents are scored: bm25f, by words, title and links; bm25, as Lucene 8 does; classic, by TF-IDF as Lucene 3 did. The latter two give the numbers of Lucene, and add words with `expand=on` only.',
    'classic',
    { default: 'bm25f', enum: [...similarities] },
  )
  @IsIn(similarities)
  similarity: SimilarityName = 'bm25f';

  @WholeNumber({
    description: 'Fragments of its text that a hit shows, at most.',
    default: 2,
    minimum: 0,
    maximum: 5,
    example: 2,
  })
  snippets: number = 2;

  @FieldWithDefault(false, 'Each hit says how its score came about.', false)
  @Transform(flagOf)
  @IsBoolean()
  explain: boolean = false;
}

export class ExplanationDto {
  @Field('The value.', 4.2)
  value!: number;

  @Field('What it is.', 'idf: ln(1 + (N − n + 0.5) / (n + 0.5))')
  description!: string;

  @FieldOf([Object], 'What it is made of, each of the same shape.', [])
  details!: readonly object[];
}

export class SnippetDto {
  @Field('A piece of the text; … where it goes on.', 'The night ferry sails …')
  text!: string;

  @Field('Start and end of each word or phrase of the query, in UTF-16 units.', [[4, 9]], {
    type: 'array',
    items: { type: 'array', items: { type: 'integer' } },
  })
  marks!: (readonly [start: number, end: number])[];
}

export class SearchHitDto {
  @Field('The URL.', 'http://example.org/docs/')
  url!: string;

  @Field('Id of the document: the row key of its page.', 'test.site:http/docs/')
  id!: string;

  @Field('Title.', 'Documentation')
  title!: string;

  @Field('Start and end of each word or phrase of the query in the title, in UTF-16 units.', [[0, 13]], {
    type: 'array',
    items: { type: 'array', items: { type: 'integer' } },
  })
  titleMarks!: (readonly [start: number, end: number])[];

  @FieldOf([SnippetDto], 'The places of its text that have most of the query; none where no text is stored.', [])
  snippets!: SnippetDto[];

  @Field('Hits that are nearly the same page, for which it stands.', 0)
  duplicates!: number;

  @Field('How well it fits; for comparing hits of one answer.', 12.5)
  score!: number;

  @Field('Host.', 'example.org')
  host!: string;

  @FieldOrNull(String, 'Language, ISO 639-1; null where it is not known.', 'en')
  lang!: string | null;

  @FieldOrNull(String, 'Media type; null where it is not known.', 'text/html')
  type!: string | null;

  @PageTime('When the page was fetched.', true)
  fetchTime!: string | null;

  @OptionalFieldOf(ExplanationDto, 'How the score came about; with `explain`.')
  explanation?: ExplanationDto;
}

export class FacetCount {
  @Field('A host, language or type.', 'example.org')
  value!: string;

  @Field('Documents with it.', 12)
  documents!: number;
}

export class ExpansionDto {
  @Field('Why words were added, or not.', 'the query has less than 5 different words')
  reason!: string;

  @FieldOf([String], 'The words, as terms of the index, the weightiest first.', [])
  added!: string[];
}

export class SearchAnswer {
  @Field('The crawl that was searched.', 'k1')
  crawlId!: string;

  @Field("The query as it was understood, in Lucene's syntax.", 'interactive rebase')
  query!: string;

  @FieldOf([SearchHitDto], 'The best hits first.')
  hits!: SearchHitDto[];

  @Field('Documents found.', 120)
  total!: number;

  @Field('`total` is exact; else there are at least so many, as a word stands in too many documents to be read.', true)
  exact!: boolean;

  @NextCursor('12.5:9.4:test.site:http/docs/')
  cursor!: string | null;

  @RecordField(
    'Counts of the facets that were asked for, the most frequent values first.',
    { host: [{ value: 'example.org', documents: 12 }] },
    { type: 'array', items: { $ref: '#/components/schemas/FacetCount' } },
  )
  facets!: Record<string, FacetCount[]>;

  @FieldOf([String], 'What was read otherwise than written, or left out: sentences for a person.', [])
  notes!: string[];

  @FieldOrNull(String, 'The query as it was probably meant, by the words of the index; null where it will do.', 'ferry')
  didYouMean!: string | null;

  @FieldOf(ExpansionDto, 'Whether words were added to the query.')
  expansion!: ExpansionDto;

  @Field('State of the index; another one when something was written since.', '9.4')
  generation!: string;
}
