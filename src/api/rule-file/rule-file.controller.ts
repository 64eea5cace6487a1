/** Stored rule files, which properties name: the files of Nutch's conf folder (regex-urlfilter.txt and others). */
import { Body, Controller, Delete, Get, Header, Param, Put } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { ID_SHAPE } from '../../core/id-shape.js';
import { RuleFileStore, MAX_RULE_FILE_BYTES, MAX_RULE_FILES } from '../../conf/rule-file.store.js';
import { isSecretFile } from '../../core/conf/rule-file-name.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { Heavy } from '../heavy/heavy.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { bodyTooLarge, withOptions } from '../problem.js';
import { AdmittedQuery } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { anId } from '../request/ids.js';
import { listPage } from '../request/list-cursor.js';
import { checkRuleFile, pairOf } from './check-rule-file.js';
import { RuleFileDto, RuleFilesDto, RuleFilesQuery, ruleFileView } from './rule-file.dto.js';
import {
  ruleFileEmpty,
  ruleFileInvalid,
  ruleFileSecret,
  ruleFileUnknown,
  tooManyRuleFiles,
} from './rule-file.problems.js';
import { errorMessage } from '../../core/error-message.js';

const NameParam = () =>
  ApiParam({ name: 'name', description: 'Name of a rule file.', example: 'regex-urlfilter.txt', type: String });
const EXAMPLE = '# keep one site\n+^https?://([a-z0-9-]+\\.)*site\\.test/\n-.\n';

@ApiTags('rule-file')
@Controller('v1/rule-files')
export class RuleFileController {
  private readonly files: RuleFileStore;

  constructor(database: Database) {
    this.files = new RuleFileStore(database.dataSource);
  }

  @Put(':name')
  @Needs('admin')
  @Takes('file')
  @Heavy('compute')
  @NameParam()
  @ApiConsumes('text/plain')
  @ApiBody({ description: 'The content: UTF-8 text, at most 2 MiB.', schema: { type: 'string', example: EXAMPLE } })
  @Operation(
    'Store a rule file',
    'Stores a file under a name that properties such as `urlfilter.regex.file` can refer to; an existing file with this name is replaced. A file with a name that Nutch ships (regex-urlfilter.txt …) is checked here, and replaces the shipped rules in every configuration that names no other file; any other file is checked when a configuration names it. Jobs that were created before keep their rules.',
  )
  @ApiOkResponse({ description: 'The rule file.', type: RuleFileDto })
  @Problems(
    refusalBy(() => anId('name', 'a b')),
    ruleFileEmpty(),
    ruleFileInvalid('regex-urlfilter.txt', 'urlfilter.regex.rules: rule 1, position 1: a rule starts with + or - (x).'),
    tooManyRuleFiles(MAX_RULE_FILES),
    bodyTooLarge(MAX_RULE_FILE_BYTES),
  )
  async store(@Param('name') text: string, @Body() content: unknown): Promise<RuleFileDto> {
    const name = anId('name', text);
    if (typeof content !== 'string' || content === '') throw ruleFileEmpty();
    try {
      checkRuleFile(name, content);
    } catch (error) {
      const why = errorMessage(error);
      throw withOptions(ruleFileInvalid(name, why), { errors: [{ field: '', message: why }] });
    }
    const stored = await this.files.save(name, content);
    if (stored === undefined) throw tooManyRuleFiles(MAX_RULE_FILES);
    return ruleFileView(stored, pairOf(name)?.file ?? null);
  }

  @Get()
  @Needs('read')
  @Operation('List rule files', 'Names, sizes and times, sorted by name, without the contents.')
  @ApiOkResponse({ description: 'The rule files.', type: RuleFilesDto })
  @Problems(refusalOf(RuleFilesQuery, { limit: '5000' }))
  async list(@AdmittedQuery(RuleFilesQuery) { limit, cursor = '' }: RuleFilesQuery): Promise<RuleFilesDto> {
    const files = await this.files.list(cursor, limit + 1);
    const { items, cursor: next } = listPage(files, limit, ({ name }) => name);
    return { ruleFiles: items.map((file) => ruleFileView(file, pairOf(file.name)?.file ?? null)), cursor: next };
  }

  @Get(':name')
  @Needs('read')
  @NameParam()
  @Header('Content-Type', 'text/plain')
  @Operation(
    'Read a rule file',
    'The content as stored. The content of a file with auth, cookies, credentials, passwords or secrets in its name (`httpclient-auth.xml`) is never returned.',
  )
  @ApiOkResponse({
    description: 'The content.',
    content: { 'text/plain': { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @Problems(ruleFileUnknown('none.txt'), ruleFileSecret('httpclient-auth.xml'))
  async read(@Param('name') name: string): Promise<string> {
    const content = ID_SHAPE.test(name) ? await this.files.content(name) : undefined;
    if (content === undefined) throw ruleFileUnknown(name);
    if (isSecretFile(name)) throw ruleFileSecret(name);
    return content;
  }

  @Delete(':name')
  @Needs('admin')
  @Takes('none')
  @NameParam()
  @Operation(
    'Delete a rule file',
    'Jobs that were created with it keep its rules; with a configuration that names it no more jobs can be created, unless there are shipped rules with that name.',
  )
  @ApiOkResponse({ description: 'Deleted. The body is empty.' })
  @Problems(ruleFileUnknown('none.txt'))
  async remove(@Param('name') name: string): Promise<void> {
    if (!ID_SHAPE.test(name) || !(await this.files.remove(name))) throw ruleFileUnknown(name);
  }
}
