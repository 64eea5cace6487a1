import { FORMS } from './nutch/forms.js';

/** What `orbweaver help` says. The texts stand apart from the commands, so that help does not load a server. */

export const USAGE = `usage: orbweaver [command] [options]

  serve     run the processes of ROLE: database, API and workers (default)
  worker    run workers only; needs DATABASE_URL
  migrate   bring the database schema up to date and end; --distribute spreads its tables over a Citus cluster
  check     say which rows of the database contradict each other; --repair mends them, and deletes those that
            belong to no page (dump first)

  crawl     crawl from some URLs and write the pages; needs no running server
  inspect   say why a URL is fetched, or why not
  search    search the pages of a crawl
  export    write the pages of a crawl as JSON lines
  demo      a small web on loopback, a crawl of it, and what came of it

  ${Object.keys(FORMS).join(', ')}
            one step of a crawl on a running server, with the words of Nutch's command line
  index-schema  what Solr, Elasticsearch, OpenSearch and others are told of the fields of documents
  readseg   what there is of a batch, as Nutch's readseg -dump writes it

orbweaver help COMMAND says more; orbweaver --version tells the version. The server reads its settings from the environment: PORT, HOST,
DATABASE_URL, DATA_DIR, ROLE, WORKERS, API_KEYS, AUTH, ALLOWED_HOSTS, CONF_FILE, LOG_LEVEL (docs/settings.md says what they mean).
`;

const ON_WHICH_DATABASE = `It works on the database of DATABASE_URL, else on the embedded one of DATA_DIR (default: ./data): that of the server that runs
there, or it starts PostgreSQL for the while.`;

export const MIGRATE_USAGE = `usage: orbweaver migrate [--distribute]

Brings the database schema up to date and ends. Every start of a server does it, too; apart it may be done in good time.
${ON_WHICH_DATABASE}

  --distribute       with the extension citus: spread the tables that grow with the web over the nodes of the cluster
                     (docs/distributed.md); without it, say so

Exit codes: 0 done, 2 usage, 3 to 5 the database cannot be used, 6 the schema is newer than this program.
`;

export const CHECK_USAGE = `usage: orbweaver check [--repair]

Says which rows of the database contradict each other, one line a rule. Crawls with open jobs are left out. As every start, it
migrates the database first. ${ON_WHICH_DATABASE}

  --repair           mend these rows; pages whose key is no URL, and what belongs to no page, are deleted: dump first

Exit codes: 0 all is in order or mended, 2 usage, 3 to 6 as for migrate, 12 something is not in order, 13 crawls were left out.
`;

export const SEARCH_USAGE = `usage: orbweaver search QUERY... [options]

Searches the built-in index, which INDEX writes, and prints the best hits (docs/search.md says how queries are written). Without
--server it starts a server of its own for the while, on the folder of --data.

  --crawl-id ID      the crawl; default: the one that has an index
  --conf-id ID       configuration whose weights of fields count
  --limit N          hits at most, 1 to 100 (default 10)
  --cursor C         goes on behind an answer
  --similarity NAME  how documents are scored: bm25f (default), bm25 as Lucene 8, classic as Lucene 3
  --explain          each hit with how its score came about
  --json             the answer of the API
  --server URL       a running server; default: ORBWEAVER_SERVER
  --data DIR         data directory of a server of its own

Exit codes: 0 something was found, 9 nothing, others as in crawl.
`;

export const INDEX_SCHEMA_USAGE = `usage: orbweaver index-schema WRITER [options]

Prints what an engine is told of the fields of documents, before INDEX sends the first: those of the indexing filters of a
configuration, under the names that its writer gives them. Writers:

  solr                       the body of POST /solr/COLLECTION/schema
  elasticsearch, opensearch  the body of PUT /INDEX
  csv                        the header, and what the parameter fields takes
  jsonl, webhook             JSON Schema of a document
  postgres, dummy            none: they need no schema

  --conf KEY=VALUE   a property, as often as needed
  --conf-id ID       the configuration of a running server
  --server URL       that server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
`;

export const CRAWL_USAGE = `usage: orbweaver crawl URL... [options]

Crawls from the URLs, round by round, until nothing is due, and writes the pages as JSON lines. Without --server it starts a
server of its own for the while: PostgreSQL, API and workers, in a temporary folder.

  --rounds N         rounds at most; default: until nothing is due
  --top-n N          pages a round at most
  --limit N          pages over all rounds at most
  --scope S          host (default): stay on the hosts of the pages; domain: on their domains; any
  --agent NAME       who you say you are (http.agent.name); default: that of the server, else orbweaver
  --conf KEY=VALUE   a crawl property, as often as needed (docs/properties.md)
  --conf-id ID       a configuration of the server as it is, in place of --agent and --conf
  --out FILE         write every page the crawl knows as a JSON line, in place of what FILE holds when all are written; - for stdout
  --status S,S       write pages of these statuses only: db_fetched,db_notmodified
  --text             write the text of each page, too
  --server URL       use this server (or ORBWEAVER_SERVER); its key, when it asks for one: ORBWEAVER_KEY
  --crawl-id ID      the crawl that is made or goes on; default: crawl, or a new one on a server
  --data DIR         keep the data of our own server here, and go on with them next time; a crawl that was killed is ended first
  --workers N        worker processes of our own server; default: number of cores, at most 4
  --quiet            no progress

Addresses inside your network are refused; --conf http.filter.ipaddress.exclude= opens them for a local try.
Ctrl-C stops the crawl and writes what there is; twice aborts it.
Exit codes: 0 done, 2 usage, 3 to 7 our own server did not start, 8 the crawl failed, 9 nothing was fetched, 10 the server cannot
be reached or refused, 130 Ctrl-C.
`;

export const INSPECT_USAGE = `usage: orbweaver inspect URL [options]

Says why a URL is fetched, or why not: normalizers and filters with the rule that decides, the guard of inner addresses, and
on a server with pages the page's status and schedule.

  --robots           ask robots.txt, too
  --agent NAME       who asks (http.agent.name)
  --crawl-id ID      the crawl whose pages are looked at
  --scope S          where the URL comes from: inject, outlink …; or host, domain, any as in crawl
  --from URL         the page that links to it
  --conf KEY=VALUE   a crawl property, as often as needed
  --conf-id ID       a configuration of the server as it is, in place of --agent and --conf
  --json             the whole answer as JSON
  --server URL       ask this server (or ORBWEAVER_SERVER); default: one of our own for the while
  --data DIR         our own server has its data here

Exit codes: 0 it would be fetched now, 9 it would not, others as in crawl.
`;

export const EXPORT_USAGE = `usage: orbweaver export [options]

Writes the pages of a crawl as JSON lines, in the order of their keys, however many there are.

  --crawl-id ID      the crawl; default: the one with the empty id
  --out FILE         default: - for stdout
  --status S,S       pages of these statuses only: db_fetched,db_notmodified
  --host NAME        pages of this host only
  --prefix TEXT      pages whose URL begins so
  --text             with the text of each page
  --server URL       the server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
  --data DIR         no server runs: start one on this data directory for the while
`;

export const READSEG_USAGE = `usage: orbweaver readseg -dump <segment> [<output>] [options]

Writes the parts of a batch on a running server to the file dump in the folder <output>, which is made, as Nutch does; without
<output>, or with -, to stdout. The form is Nutch's text. A batch has its pages until they are generated again.

  -nogenerate, -nofetch, -nocontent, -noparse, -noparsedata, -noparsetext
                     leave a part out
  -crawlId ID        the crawl; default: the folder above segments in the path
  -server URL        the server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
`;

export const DEMO_USAGE = `usage: orbweaver demo [--once] [--port N]

Shows the whole thing without the internet: a small web on loopback, a crawl of it, the pages it found, and why one of them was
not fetched. The server keeps running until Ctrl-C, so that you can look around.

  --once       end when everything was shown
  --port N     port of the server; default: any free one
`;
