import type { JobConfig, JobProgress } from '../../../clients/typescript/src/generated/schemas.js';
import type { Orbweaver } from '../../../clients/typescript/src/orbweaver.js';
import { COMMAND_EXIT } from '../exit-codes.js';
import { Interrupts } from '../interrupts.js';
import { applyConf } from '../apply-conf.js';
import { namedServer, reach, defaultServer } from '../connect-server.js';
import { type Command, log, type Terminal } from '../terminal.js';
import { type NutchWords, readNutchWords } from './nutch-commands.js';
import { readSeedFiles } from './seed-files.js';

/** The commands of Nutch 1.x on a running server: each creates the REST job for its words and waits for its end. */
export function nutchCommand(command: string): Command {
  return async (words, terminal) => {
    const parsed = readNutchWords(command, words);
    const server = namedServer(command, parsed, terminal) ?? defaultServer(terminal);
    const seeds: SeedArgs = parsed.seeds === undefined ? {} : await seedArgs(command, parsed.seeds);
    const { client } = await reach(server, terminal);
    const notes = seeds.url_dir !== undefined ? [...parsed.notes, listNote(seeds.url_dir)] : parsed.notes;
    for (const note of notes) log(terminal, `note: ${note}`);
    const confId =
      Object.keys(parsed.conf).length > 0
        ? await applyConf(client, `cli-${parsed.crawlId || 'nutch'}`, parsed.conf)
        : 'default';
    const { type, crawlId, batches } = parsed;
    const interrupts = new Interrupts();
    try {
      for (const batch of batches.length > 0 ? batches : [undefined]) {
        const args = { ...parsed.args, ...seeds, ...(batch !== undefined && { batch }) };
        // The server checks the values.
        const job = { type, crawlId, confId, args } as JobConfig;
        const code = await runJob(client, job, { parsed, terminal, interrupts });
        // A job that was stopped is FINISHED, too.
        if (interrupts.count > 0) return COMMAND_EXIT.interrupted;
        if (code !== COMMAND_EXIT.done) return code;
      }
      return COMMAND_EXIT.done;
    } finally {
      interrupts.end();
    }
  };
}

interface SeedArgs {
  readonly seed?: string;
  readonly url_dir?: string;
}

/** Seeds of a file or folder on this machine; any other word is the name of a stored list. */
async function seedArgs(command: string, path: string): Promise<SeedArgs> {
  const seed = await readSeedFiles(command, path);
  return seed === undefined ? { url_dir: path } : { seed };
}

/** If the path was mistyped, the server knows no such list: its refusal alone does not say that no file was found. */
const listNote = (path: string): string =>
  `there is no file or folder ${path} here: it is taken as the name of a seed list on the server`;

async function runJob(
  client: Orbweaver,
  job: JobConfig,
  { parsed, terminal, interrupts }: { parsed: NutchWords; terminal: Terminal; interrupts: Interrupts },
): Promise<number> {
  const { id } = await client.job.create(job);
  interrupts.listen((count) => {
    const call = count === 1 ? client.job.postStop(id) : client.job.postAbort(id);
    call.catch((error: Error) => log(terminal, error.message));
  });
  const done = await client.waitFor(id);
  log(terminal, `${id}: ${done.state}, ${done.msg}${countsOf(done)}`);
  if (done.cure) log(terminal, done.cure.message);
  for (const warning of done.result?.warnings ?? []) log(terminal, `warning: ${warning}`);
  if (done.state !== 'FINISHED') return COMMAND_EXIT.failed;
  if (job.type !== 'GENERATE' && job.type !== 'MERGESEGS') return COMMAND_EXIT.done;
  const batches = madeBatches(done);
  const folder = (parsed.segments ?? 'segments').replace(/\/+$/, '');
  for (const batch of batches) terminal.stdout.write(`${folder}/${batch}\n`);
  return batches.length > 0 ? COMMAND_EXIT.done : COMMAND_EXIT.nothing;
}

/** The batches that a GENERATE or MERGESEGS has made; without -maxNumSegments or -slice it is one. */
function madeBatches(job: JobProgress): readonly string[] {
  if (job.type === 'MERGESEGS') return job.result?.['merge.batch.ids'] ?? [];
  if (job.type !== 'GENERATE' || !job.result?.['generate.count']) return [];
  const { 'generate.batch.ids': ids, 'generate.batch.id': id } = job.result;
  return ids ?? [id ?? []].flat();
}

/** `; injector: urls_injected 2` */
function countsOf({ counters }: JobProgress): string {
  return Object.entries(counters)
    .map(([group, values]) => {
      const words = Object.entries(values).map(([name, count]) => `${name} ${count}`);
      return words.length > 0 ? `; ${group}: ${words.join(', ')}` : '';
    })
    .join('');
}
