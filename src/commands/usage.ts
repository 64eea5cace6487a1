/** The texts of `orbweaver help`. They are separate from the commands, so that help does not load a server. */
import { NUTCH_COMMANDS } from './nutch/nutch-commands.js';

export const USAGE = `usage: orbweaver [command] [options]

  serve     run the processes of ROLE: database, API and workers (default)
  worker    run workers only; needs DATABASE_URL
  migrate   bring the database schema up to date and end; --distribute distributes its tables over a Citus cluster
  check     print which rows of the database contradict each other; --repair repairs them, and deletes those
            without a page (dump first)

  crawl     crawl from some URLs and write the pages; needs no running server
  inspect   explain why a URL is fetched, or why not
  search    search the pages of a crawl
  export    write the pages of a crawl as JSON lines
  demo      a small web on loopback, a crawl of it, and its results

  ${Object.keys(NUTCH_COMMANDS).join(', ')}
            one step of a crawl on a running server, with the options of Nutch's command line
  index-schema  print the schema of documents for Solr, Elasticsearch, OpenSearch and others
  readseg   write the parts of a batch, as Nutch's readseg -dump does

orbweaver help COMMAND explains a command; orbweaver --version prints the version. The server reads its settings from the environment: PORT, HOST,
DATABASE_URL, DATA_DIR, ROLE, WORKERS, API_KEYS, AUTH, ALLOWED_HOSTS, CONF_FILE, LOG_LEVEL (see docs/settings.md).
`;

const ON_WHICH_DATABASE = `It works on the database of DATABASE_URL, else on the embedded one of DATA_DIR (default: ./data): that of the server running
there, or it starts PostgreSQL temporarily.`;

export const MIGRATE_USAGE = `usage: orbweaver migrate [--distribute]

Brings the database schema up to date and ends. Every start of a server does it, too; this command does it beforehand.
${ON_WHICH_DATABASE}

  --distribute       with the extension citus: distribute the tables that grow with the web over the nodes of the cluster
                     (docs/distributed.md); without it, print that

Exit codes: 0 done, 2 usage, 3 to 5 the database cannot be used, 6 the schema is newer than this program.
`;

export const CHECK_USAGE = `usage: orbweaver check [--repair]

Prints which rows of the database contradict each other, one line a rule. Crawls with open jobs are left out. Like every start, it
migrates the database first. ${ON_WHICH_DATABASE}

  --repair           repair these rows; pages whose key is no URL, and rows without a page, are deleted: dump first

Exit codes: 0 all is in order or repaired, 2 usage, 3 to 6 as for migrate (4 also: DATA_DIR has no database), 12 something is not in order, 13 crawls were left out.
`;

export const SEARCH_USAGE = `usage: orbweaver search QUERY... [options]

Searches the built-in index, which INDEX writes, and prints the best hits (docs/search.md explains queries).

  --crawl-id ID      the crawl; default: the one that has an index
  --conf-id ID       configuration with the weights of fields
  --limit N          maximum number of hits, 1 to 100 (default 10)
  --cursor C         continue after an earlier answer
  --segment ID       only pages of this batch or segment
  --expand WHEN      add words of the first hits to the query: auto (default), on, off
  --similarity NAME  how documents are scored: bm25f (default), bm25 as Lucene 8, classic as Lucene 3
  --no-collapse      show each of near duplicates, not one with their number
  --explain          explain the score of each hit
  --json             print the answer of the API
  --server URL       the server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
  --data DIR         no server runs: start a temporary one on this data directory

Exit codes: 0 something was found, 9 nothing, others as in crawl.
`;

export const INDEX_SCHEMA_USAGE = `usage: orbweaver index-schema WRITER [options]

Prints the schema that an engine needs before INDEX sends the first document: the fields of the indexing filters of a
configuration, under the names that its writer gives them. Writers:

  solr                       the body of POST /solr/COLLECTION/schema
  elasticsearch, opensearch  the body of PUT /INDEX
  csv                        the header, and the value of the parameter fields
  jsonl, webhook             JSON Schema of a document
  postgres, dummy            none: they need no schema

  --conf KEY=VALUE   a property, as often as needed
  --conf-id ID       the configuration of a running server
  --server URL       that server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
`;

export const CRAWL_USAGE = `usage: orbweaver crawl URL... [options]

Crawls from the URLs, round by round, until nothing is due, and writes the pages as JSON lines. Without --server it starts a
temporary server of its own: PostgreSQL, API and workers, in a temporary folder.

  --rounds N         maximum number of rounds; default: until nothing is due
  --top-n N          maximum number of pages in a round
  --limit N          maximum number of pages in all rounds
  --scope S          host (default): stay on the hosts of the pages; domain: on their domains; any
  --index            index the pages of each round, for orbweaver search on the same --server or --data
  --ranks            rank the pages by their links
  --agent NAME       name of the crawler (http.agent.name); default: that of the server, else orbweaver
  --conf KEY=VALUE   a crawl property, as often as needed (docs/properties.md)
  --conf-id ID       a configuration of the server as it is, in place of --agent and --conf
  --out FILE         write every page of the crawl as a JSON line; FILE is replaced when all are written; - for stdout
  --status S,S       write pages of these statuses only: db_fetched,db_notmodified
  --text             write the text of each page, too
  --server URL       use this server (or ORBWEAVER_SERVER); its key, if it needs one: ORBWEAVER_KEY
  --crawl-id ID      the crawl to create or continue; default: crawl, or a new one on a server
  --data DIR         keep the data of our own server here, for the next time too; a crawl that was killed is ended first
  --workers N        worker processes of our own server; default: number of cores, at most 4
  --quiet            no progress

Addresses inside your network are refused; --conf http.filter.ipaddress.exclude= opens them for a local test.
Ctrl-C stops the crawl and writes its pages; twice aborts it.
Exit codes: 0 done, 2 usage, 3 to 7 our own server did not start, 8 the crawl failed, 9 nothing was fetched, 10 the server cannot
be reached or refused, 130 Ctrl-C.
`;

export const INSPECT_USAGE = `usage: orbweaver inspect URL [options]

Explains why a URL is fetched, or why not: normalizers and filters with the rule that decides, the guard of inner addresses, and
on a server with pages the status and schedule of the page.

  --robots           read robots.txt, too
  --agent NAME       name of the crawler (http.agent.name)
  --crawl-id ID      the crawl whose pages are read
  --scope S          where the URL comes from: inject, outlink …; or host, domain, any as in crawl
  --from URL         the page that links to it
  --conf KEY=VALUE   a crawl property, as often as needed
  --conf-id ID       a configuration of the server as it is, in place of --agent and --conf
  --json             the whole answer as JSON
  --server URL       use this server (or ORBWEAVER_SERVER); default: a temporary one of our own
  --data DIR         our own server has its data here

Exit codes: 0 it would be fetched now, 9 it would not, others as in crawl.
`;

export const EXPORT_USAGE = `usage: orbweaver export [options]

Writes the pages of a crawl as JSON lines, in the order of their keys, however many there are.

  --crawl-id ID      the crawl; default: the one with the empty id
  --out FILE         default: - for stdout
  --status S,S       pages of these statuses only: db_fetched,db_notmodified
  --host NAME        pages of this host only
  --prefix TEXT      pages whose URL begins with TEXT
  --text             with the text of each page
  --server URL       the server (or ORBWEAVER_SERVER); default: http://127.0.0.1:8081, or PORT
  --data DIR         no server runs: start a temporary one on this data directory
`;

export const READSEG_USAGE = `usage: orbweaver readseg -dump <segment> [<output>] [options]

Writes the parts of a batch on a running server to the file dump in the folder <output>, which is created, as in Nutch; without
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
