import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { indexSchemaCommand } from '../../src/commands/index-schema/index-schema.command.js';

/** `orbweaver index-schema`: output and refusals. */

async function schema(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await indexSchemaCommand(words, { stdout, stderr, variables: {} });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

describe('orbweaver index-schema', () => {
  it('prints the schema of a writer for the properties of --conf', async () => {
    const { code, stdout } = await schema('opensearch', '--conf', 'plugin.includes.also=index-links');
    expect(code).toBe(0);
    const { mappings } = JSON.parse(stdout) as { mappings: { properties: Record<string, object> } };
    expect(mappings.properties).toMatchObject({ title: { type: 'text' }, inlinks: { type: 'keyword' } });
  });

  it('prints the field names as renamed by the configured writer', async () => {
    const xml =
      '<writers><writer id="s" class="indexer-solr"><mapping><rename><field source="title" dest="name"/></rename></mapping></writer></writers>';
    const { stdout } = await schema(
      'indexer-solr',
      '--conf',
      'plugin.includes.also=indexer-solr',
      '--conf',
      `indexer.indexwriters.rules=${xml}`,
    );
    expect(stdout).toContain('"name": "name"');
    expect(stdout).not.toContain('"name": "title"');
  });

  it('prints the header of CSV as one line', async () => {
    expect((await schema('csv')).stdout).toMatch(/^id,digest,[\w,]+\r\n$/);
  });

  it('prints that the built-in index needs no schema', async () => {
    expect(await schema('postgres')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('needs no schema'),
    });
  });

  it.each([
    [[], 'takes a writer: solr'],
    [['sphinx'], 'takes a writer: solr'],
    [['solr', 'csv'], '"csv" is one word too many'],
    [
      ['solr', '--conf', 'index.replace.regexp=nothing', '--conf', 'plugin.includes.also=index-replace'],
      'index.replace.regexp',
    ],
    [['solr', '--conf', 'indexer.max.title.length=x'], 'indexer.max.title.length'],
  ])('refuses %j with code 2', async (words, why) => {
    await expect(schema(...words)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(why) });
  });
});
