/**
 * A server on loopback with the update protocols of Solr, Elasticsearch, OpenSearch and our webhook as their manuals
 * describe them. It stores documents by id and fails on request. It is none of these engines: no writer was tested against one.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Document = Record<string, unknown>;
type Operation = { add: Document & { id: string } } | { remove: string };
interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A fault of the next request: it applies to that request only. */
export type Fault =
  | 'busy'
  | 'unavailable'
  | 'request-timeout'
  | 'item-busy'
  | 'half-then-cut'
  | 'cut'
  | 'restart'
  | 'answer-lost'
  | 'answer-cut'
  | 'no-items'
  | Stranger;

/** The answer is that of another server, such as a proxy. */
export type Stranger = 'page' | 'moved' | 'broken' | 'failure' | 'items';
const STRANGERS: Record<Stranger, [status: number, type: string, body: string]> = {
  page: [200, 'text/html', '<html>Sign in</html>'],
  moved: [302, 'text/html', ''],
  broken: [200, 'application/json', '<html>Sign in</html>'],
  failure: [200, 'application/json', '{"responseHeader":{"status":500},"error":{"msg":"no leader","code":500}}'],
  items: [200, 'application/json', '{"items":[{},null,{"index":{"status":"created"}}]}'],
};
const isStranger = (fault: Fault | undefined): fault is Stranger => fault !== undefined && fault in STRANGERS;

const NO_INDEX = { status: 404, error: { type: 'index_not_found_exception', reason: 'no such index [pages]' } };
const READ_ONLY = { status: 403, error: { type: 'cluster_block_exception', reason: 'index is read-only' } };

/** An answer of Solr's TolerantUpdateProcessor. */
function tolerant(refused: [type: string, id: string][]): Answer {
  const errors = refused.map(([type, id]) => ({ type, id, message: `[doc=${id}] bad title` }));
  return { status: 200, body: { responseHeader: { errors, maxErrors: -1, status: 0 } } };
}

export class EngineServer {
  readonly documents = new Map<string, Document>();
  /** Requests received, by path; `target` has the query, too. */
  readonly requests: { path: string; target: string; authorization: string | undefined; bytes: number }[] = [];
  faults: Fault[] = [];
  /** Documents with this title are refused. */
  badTitle = 'a mapping error';
  /** The status of Solr for them. */
  refusal = 400;
  /** `Retry-After` of an engine that is busy. */
  retryAfter = '0';
  /** Why it is unavailable. */
  trouble = 'starting';
  /** Largest request that it reads; a larger one is answered 413. */
  maxBytes = Infinity;
  /** What the webhook names as refused before these. */
  refusedBefore: unknown[] = [];
  /** The engine has no index yet: the first document makes it, if it makes indexes. */
  hasNoIndex = false;
  makesIndexes = true;
  /** Solr with a TolerantUpdateProcessor: an answer of success names what it refuses. */
  isTolerant = false;
  asksForCredentials = false;
  /** It is too busy for any document. */
  isBusy = false;
  /** The index is read-only for deletions, or for documents. */
  deletesNothing = false;
  addsNothing = false;
  /** After this many requests, the others are answered when it resolves. */
  hold = { after: Infinity, until: Promise.resolve() };
  /** Milliseconds before each answer. */
  delay = 0;
  private server: Server | undefined;
  port = 0;

  static async start(): Promise<EngineServer> {
    const engine = new EngineServer();
    await engine.listen();
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(null)));
    this.server = undefined;
  }

  private async listen(): Promise<void> {
    const server = createServer((req, res) => void this.answer(req, res).catch(() => res.destroy()));
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const target = req.url ?? '';
    const path = target.split('?')[0]!;
    this.requests.push({ path, target, authorization: req.headers.authorization, bytes: body.length });
    if (this.requests.length > this.hold.after) await this.hold.until;
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
    if (body.length > this.maxBytes) {
      res.writeHead(413, { 'content-type': 'text/html', 'x-elastic-product': 'Elasticsearch' });
      return void res.end('<html>Request Entity Too Large</html>');
    }
    const fault = this.faults.shift();
    if (fault === 'cut') return void res.destroy();
    if (fault === 'restart') {
      await this.stop();
      return this.listen();
    }
    if (isStranger(fault)) {
      const [status, type, page] = STRANGERS[fault];
      res.writeHead(status, { 'content-type': type, 'x-elastic-product': 'Elasticsearch', location: '/sign-in' });
      return void res.end(page);
    }
    const { status, body: answer, headers = {} } = this.handle(path, body, fault);
    if (fault === 'half-then-cut' || fault === 'answer-lost') return void res.destroy();
    res.writeHead(status, {
      'content-type': String(req.headers.accept ?? '').includes('vnd.elasticsearch')
        ? 'application/vnd.elasticsearch+json;compatible-with=8'
        : 'application/json',
      'x-elastic-product': 'Elasticsearch',
      ...headers,
    });
    if (fault === 'answer-cut') return void res.write('{', () => res.destroy());
    res.end(JSON.stringify(answer));
  }

  private handle(path: string, body: string, fault: Fault | undefined): Answer {
    if (fault === 'busy')
      return {
        status: 429,
        headers: { 'retry-after': this.retryAfter },
        body: { error: { reason: 'too many requests' } },
      };
    if (fault === 'request-timeout') return { status: 408, body: {} };
    if (this.asksForCredentials) return { status: 401, body: { error: { reason: 'missing credentials' } } };
    if (fault === 'unavailable') return { status: 503, body: { error: { reason: this.trouble } } };
    if (path.endsWith('/_refresh')) return { status: 200, body: { _shards: { total: 1, successful: 1, failed: 0 } } };
    if (path.endsWith('/_bulk')) return this.bulk(body, fault);
    if (path.endsWith('/update')) return this.solr(body, fault);
    if (path === '/hook' || path === '/hook/') return this.hook(body, fault);
    return { status: 404, body: { error: 'no such path' } };
  }

  private bulk(body: string, fault: Fault | undefined): Answer {
    const lines = body.trimEnd().split('\n');
    const operations: Operation[] = [];
    if (fault === 'no-items') return { status: 200, body: { took: 1, errors: false, items: [] } };
    for (let at = 0; at < lines.length; at++) {
      const { index, delete: removed } = JSON.parse(lines[at]!) as Record<string, { _id: string }>;
      if (removed) operations.push({ remove: removed._id });
      else operations.push({ add: { ...(JSON.parse(lines[++at]!) as Document), id: index!._id } });
    }
    const items = this.upTo(operations, fault).map((operation, at) => {
      if ('remove' in operation) {
        if (this.hasNoIndex) return { delete: { _id: operation.remove, ...NO_INDEX } };
        if (this.deletesNothing) return { delete: { _id: operation.remove, ...READ_ONLY } };
        const was = this.documents.delete(operation.remove);
        return { delete: { _id: operation.remove, status: was ? 200 : 404, result: was ? 'deleted' : 'not_found' } };
      }
      const { id: _id } = operation.add;
      if (this.hasNoIndex && !this.makesIndexes) return { index: { _id, ...NO_INDEX } };
      this.hasNoIndex = false;
      if (this.addsNothing) return { index: { _id, ...READ_ONLY } };
      const isBusy = this.isBusy || (fault === 'item-busy' && at % 3 === 1);
      if (isBusy)
        return { index: { _id, status: 429, error: { type: 'es_rejected_execution_exception', reason: 'full' } } };
      if (!this.add(operation.add))
        return {
          index: {
            _id,
            status: 400,
            error: { type: 'mapper_parsing_exception', reason: 'failed to parse field [title]' },
          },
        };
      return { index: { _id, status: 201 } };
    });
    return {
      status: 200,
      body: { took: 1, errors: items.some((item) => Object.values(item).some((result) => 'error' in result)), items },
    };
  }

  private solr(body: string, fault: Fault | undefined): Answer {
    const given = JSON.parse(body) as (Document & { id: string })[] | { delete?: string[]; commit?: object };
    if (!Array.isArray(given)) {
      if (this.deletesNothing) return tolerant((given.delete ?? []).map((id) => ['DELID', id]));
      for (const id of given.delete ?? []) this.documents.delete(id);
      return { status: 200, body: { responseHeader: { status: 0 } } };
    }
    if (fault === 'item-busy') return { status: 503, body: { error: { msg: 'no leader' } } };
    if (this.isTolerant) return tolerant(given.flatMap((add) => (this.add(add) ? [] : [['ADD', add.id]])));
    for (const { add } of this.upTo(
      given.map((document) => ({ add: document })),
      fault,
    ) as { add: Document & { id: string } }[])
      if (!this.add(add))
        return {
          status: this.refusal,
          body: { error: { msg: `ERROR: [doc=${add.id}] bad title`, code: this.refusal } },
        };
    return { status: 200, body: { responseHeader: { status: 0 } } };
  }

  private hook(body: string, fault: Fault | undefined): Answer {
    const { documents, deleted } = JSON.parse(body) as { documents: (Document & { id: string })[]; deleted: string[] };
    if (fault === 'item-busy') return { status: 503, body: {} };
    for (const id of deleted) this.documents.delete(id);
    const some = this.upTo(
      documents.map((document) => ({ add: document })),
      fault,
    ) as { add: Document & { id: string } }[];
    const refused = some.filter(({ add }) => !this.add(add)).map(({ add }) => ({ id: add.id, reason: 'bad title' }));
    return { status: 200, body: { refused: [...this.refusedBefore, ...refused] } };
  }

  private upTo(operations: Operation[], fault: Fault | undefined): Operation[] {
    return fault === 'half-then-cut' ? operations.slice(0, Math.ceil(operations.length / 2)) : operations;
  }

  private add(document: Document & { id: string }): boolean {
    if (document['title'] === this.badTitle) return false;
    this.documents.set(document.id, document);
    return true;
  }
}
