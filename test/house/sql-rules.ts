/**
 * The rules of docs/distributed.md, compared with one statement. It is read by PostgreSQL 15's own parser, so what that
 * version does not know is found as well. Each SELECT, UPDATE, DELETE and INSERT in a statement is a level with tables and
 * conditions of its own.
 */
import { parseSync } from 'libpg-query';
import { SPREAD_BY_CRAWL, SPREAD_TABLES } from '../../src/db/citus.js';

type Node = { readonly [name: string]: unknown };

const LARGE: ReadonlySet<string> = new Set(SPREAD_TABLES);
/** Tables of the index: a statement is of one crawl, so that one node does it. */
const BY_CRAWL: ReadonlySet<string> = new Set(SPREAD_BY_CRAWL);
/** Left by `lockInOrder`: the clause is missing where rows lie on many nodes. */
const LOCK_MARK = '/* in order */';
/** Functions that are volatile, or stable: their result may depend on settings. */
const NOT_IMMUTABLE = new Set([
  'clock_timestamp',
  'statement_timestamp',
  'timeofday',
  'random',
  'gen_random_uuid',
  'nextval',
  'json_build_object',
  'jsonb_build_object',
  'json_build_array',
  'jsonb_build_array',
  'to_json',
  'to_jsonb',
  'concat',
  'concat_ws',
  'format',
  'to_char',
]);
const CLOCK = new Set(['now', 'transaction_timestamp']);
const TIES = new Set(['=', '<', '>', '<=', '>=']);
const TIME_COLUMN = /(^|_)(time|at|until|modified|inlink)$/;

/** What a statement says about a table that grows with the web. */
export interface Findings {
  /** Rules that are broken. */
  broken: string[];
  /** Large tables that are read without their host, and those of the index without one crawl. */
  scanned: string[];
}

/** @param text one call's worth of SQL; values as `$n` */
export function findingsOf(text: string): Findings {
  const findings: Findings = { broken: [], scanned: [] };
  let statements: unknown[];
  try {
    statements = (parseSync(text) as { stmts?: unknown[] }).stmts ?? [];
  } catch (error) {
    return { broken: [`PostgreSQL 15 cannot read it: ${(error as Error).message}`], scanned: [] };
  }
  // pg-boss makes its own tables so; they stay on the coordinator.
  if (statements.length > 1 && !text.includes('pgboss')) findings.broken.push('several statements in one call');
  const ctes = new Set<string>();
  eachNode(statements, 'CommonTableExpr', ({ ctename }) => void ctes.add(String(ctename)));
  const large = (name: unknown): boolean => {
    const table = String(name).replace(/^fetch_history_\d{4}_\d\d$/, 'fetch_history');
    return LARGE.has(table) && !ctes.has(table);
  };
  for (const kind of ['SelectStmt', 'UpdateStmt', 'DeleteStmt'] as const)
    eachNode(statements, kind, (level) => {
      judgeLevel(level, { text, large, findings });
      judgeCrawl(level, findings);
    });
  eachNode(statements, 'UpdateStmt', (level) => {
    if (!large(relationOf(level))) return;
    judgeSet(level['targetList'], false, findings);
    judgeCasts({ ...level, withClause: undefined }, findings);
  });
  eachNode(statements, 'InsertStmt', (level) => {
    if (large(relationOf(level))) judgeConflict(level, findings);
    const { infer } = (level['onConflictClause'] ?? {}) as Node;
    if (BY_CRAWL.has(String(relationOf(level))) && infer !== undefined && !JSON.stringify(infer).includes('"crawl"'))
      findings.broken.push('ON CONFLICT without crawl');
  });
  judgeSubqueries(statements, large, findings);
  judgeColumns(statements, large, findings);
  return { broken: [...new Set(findings.broken)], scanned: [...new Set(findings.scanned)] };
}

interface Judging {
  text: string;
  large: (name: unknown) => boolean;
  findings: Findings;
}

function judgeLevel(level: Node, { text, large, findings }: Judging): void {
  const tables = tablesOf(level).filter(({ name }) => large(name));
  if (tables.length === 0) return;
  const conditions = conditionsOf(level);
  for (const { name, alias } of tables) {
    if (!isTied(conditions, alias) && !mentionsHost(level['groupClause'])) findings.scanned.push(name);
  }
  judgeLock(level, conditions, { text, findings });
  judgeLeftJoins(level, new Set(tables.map(({ alias }) => alias)), findings);
  if (JSON.stringify(level['groupClause'] ?? []).includes('GroupingSet'))
    findings.broken.push('GROUPING SETS over a large table');
  eachNode(ownParts(level), 'ColumnRef', (column) => {
    if (lastName(column) === 'ctid') findings.broken.push('ctid of a large table');
  });
}

/** The host of a large table on the right of LEFT JOIN is not compared with that of given rows, which are a function. */
function judgeLeftJoins(level: Node, tables: ReadonlySet<string>, findings: Findings): void {
  const from = withoutQueries(level['fromClause']);
  const given = new Set<unknown>();
  eachNode(from, 'RangeFunction', ({ alias }) => void given.add((alias as Node | undefined)?.['aliasname']));
  eachNode(from, 'JoinExpr', ({ jointype, rarg, quals }) => {
    const right = (rarg as Node)['RangeVar'] as Node | undefined;
    if (jointype !== 'JOIN_LEFT' || right === undefined || !tables.has(tableOf(right).alias)) return;
    const isGivenHost = (node: unknown): boolean => isHost(node) && given.has(qualifierOf(node as Node));
    eachNode(quals, 'A_Expr', ({ lexpr, rexpr }) => {
      if (isGivenHost(lexpr) || isGivenHost(rexpr)) findings.broken.push('LEFT JOIN of a large table to given rows');
    });
  });
}

/** A table of the index is compared with a crawl that is given: all shards would answer otherwise. */
function judgeCrawl(level: Node, findings: Findings): void {
  const conditions = conditionsOf(level);
  for (const { name, alias } of tablesOf(level)) {
    if (!BY_CRAWL.has(name)) continue;
    let isOfOne = false;
    const isCrawl = (node: unknown): boolean =>
      lastName(columnOf(node) ?? {}) === 'crawl' && [undefined, alias].includes(qualifierOf(node as Node));
    eachNode(conditions, 'A_Expr', (expression) => {
      const { kind, lexpr, rexpr } = expression;
      if (kind !== 'AEXPR_OP' || operatorOf(expression) !== '=') return;
      if ((isCrawl(lexpr) && isGiven(rexpr)) || (isCrawl(rexpr) && isGiven(lexpr))) isOfOne = true;
    });
    if (!isOfOne) findings.scanned.push(name);
  }
}

/** A parameter, also one with a type. */
function isGiven(node: unknown): boolean {
  const { TypeCast: cast, ParamRef: parameter } = (node ?? {}) as { TypeCast?: Node; ParamRef?: Node };
  return parameter !== undefined || (cast !== undefined && isGiven(cast['arg']));
}

/** FOR UPDATE is for one host; over several only as `lockInOrder` writes it. */
function judgeLock(level: Node, conditions: unknown, { text, findings }: Omit<Judging, 'large'>): void {
  const clauses = (level['lockingClause'] ?? []) as Node[];
  if (clauses.length === 0) return;
  if (JSON.stringify(clauses).includes('LockWaitSkip')) findings.broken.push('SKIP LOCKED over a large table');
  let oneHost = false;
  eachNode(conditions, 'A_Expr', (expression) => {
    const { kind, lexpr, rexpr } = expression;
    if (kind === 'AEXPR_OP' && operatorOf(expression) === '=' && isHost(lexpr) && 'ParamRef' in (rexpr as Node))
      oneHost = true;
  });
  if (!oneHost && !text.includes(LOCK_MARK)) findings.broken.push('FOR UPDATE over several hosts without lockInOrder');
}

/** ON CONFLICT names the host, and sets what is proposed. */
function judgeConflict(level: Node, findings: Findings): void {
  const clause = level['onConflictClause'] as Node | undefined;
  if (clause === undefined) return;
  const columns = JSON.stringify(clause['infer'] ?? null);
  if (clause['infer'] !== undefined && !columns.includes('"host"')) findings.broken.push('ON CONFLICT without host');
  judgeSet(clause['targetList'], true, findings);
}

/**
 * Right of SET: only immutable functions, the clock only bare, no arithmetic with times, no subscripts (Citus 13.2 crashes), never
 * a new host.
 */
function judgeSet(targets: unknown, onConflict: boolean, findings: Findings): void {
  for (const target of (targets ?? []) as Node[]) {
    const { name, val } = target['ResTarget'] as { name?: string; val: Node };
    if (name === 'host') findings.broken.push('SET host');
    const bare = !onConflict && 'FuncCall' in val && CLOCK.has(functionOf(val['FuncCall'] as Node));
    const parts = withoutQueries(val);
    eachNode(parts, 'FuncCall', (call) => {
      const called = functionOf(call);
      if (NOT_IMMUTABLE.has(called)) findings.broken.push(`SET with ${called}()`);
      if (CLOCK.has(called) && !bare) findings.broken.push(`SET with ${called}() inside an expression`);
    });
    eachNode(parts, 'A_Indirection', () => void findings.broken.push('SET with a subscript'));
    eachNode(parts, 'CaseExpr', (choice) => {
      if (choice['arg'] !== undefined) findings.broken.push('SET with CASE x WHEN, which is CASE WHEN x =');
    });
    eachNode(parts, 'SQLValueFunction', () => void findings.broken.push('SET with the clock'));
    eachNode(parts, 'A_Expr', (expression) => {
      if (['+', '-'].includes(operatorOf(expression)) && [expression['lexpr'], expression['rexpr']].some(isTime))
        findings.broken.push('SET with arithmetic on a time');
    });
  }
}

/** How a text becomes an array may depend on settings: in an UPDATE only a CTE may do it for rows. */
function judgeCasts(level: Node, findings: Findings): void {
  eachNode(level, 'TypeCast', ({ arg, typeName }) => {
    if ('ColumnRef' in (arg as Node) && (typeName as Node)['arrayBounds'] !== undefined)
      findings.broken.push('UPDATE with an array made of a column');
  });
}

function judgeSubqueries(statements: unknown, large: (name: unknown) => boolean, findings: Findings): void {
  eachNode(statements, 'withClause', (clause) => {
    if (clause['recursive'] !== true) return;
    eachNode(clause, 'RangeVar', ({ relname }) => {
      if (large(relname)) findings.broken.push('recursive CTE over a large table');
    });
  });
  eachNode(statements, 'RangeSubselect', (part) => {
    const { SelectStmt: inner } = part['subquery'] as { SelectStmt?: Node };
    if (inner !== undefined && groupsByGiven(inner, large))
      findings.broken.push('a subquery that groups a large table by the host of given rows');
    if (part['lateral'] !== true) return;
    const bounded = inner?.['limitCount'] !== undefined || inner?.['limitOffset'] !== undefined;
    if (bounded && tablesOf(inner!).some(({ name }) => large(name)))
      findings.broken.push('LIMIT in LATERAL over a large table');
  });
}

/** Whether rows of a large table are grouped by a host that is no column of it: Citus then reads intermediate rows wrongly. */
function groupsByGiven(level: Node, large: (name: unknown) => boolean): boolean {
  const aliases = new Set(tablesOf(level).flatMap(({ name, alias }) => (large(name) ? [alias] : [])));
  const hosts = ((level['groupClause'] ?? []) as Node[]).filter(isHost).map(qualifierOf);
  return aliases.size > 0 && hosts.length > 0 && !hosts.some((host) => host === undefined || aliases.has(host));
}

/**
 * In a statement over a large table, Citus stores the rows of subqueries that it runs first, EXISTS and those over small tables
 * included, and cannot read rows without columns.
 */
function judgeColumns(statements: unknown, large: (name: unknown) => boolean, findings: Findings): void {
  let isLarge = false;
  eachNode(statements, 'RangeVar', ({ relname }) => void (isLarge ||= large(relname)));
  if (!isLarge) return;
  const judge = (subquery: unknown): void => {
    const { fromClause, targetList } = ((subquery as Node | undefined)?.['SelectStmt'] ?? {}) as Node;
    if (fromClause !== undefined && targetList === undefined)
      findings.broken.push('a subquery without columns beside a large table');
  };
  eachNode(statements, 'SubLink', ({ subselect }) => judge(subselect));
  eachNode(statements, 'RangeSubselect', ({ subquery }) => judge(subquery));
}

interface Table {
  name: string;
  alias: string;
}

/** Tables of the level itself; those of its subqueries are of other levels. */
function tablesOf(level: Node): Table[] {
  const tables: Table[] = [];
  const relation = level['relation'] as Node | undefined;
  if (relation !== undefined) tables.push(tableOf(relation));
  eachNode(
    withoutQueries([level['fromClause'], level['usingClause']]),
    'RangeVar',
    (table) => void tables.push(tableOf(table)),
  );
  return tables;
}

function tableOf(table: Node): Table {
  const name = String(table['relname']);
  return { name, alias: String((table['alias'] as Node | undefined)?.['aliasname'] ?? name) };
}

const relationOf = (level: Node): unknown => (level['relation'] as Node)['relname'];

/** WHERE, and the conditions of joins. */
function conditionsOf(level: Node): unknown {
  const parts: unknown[] = [level['whereClause']];
  eachNode(withoutQueries([level['fromClause'], level['usingClause']]), 'JoinExpr', (join) => {
    parts.push(join['quals']);
    if (JSON.stringify(join['usingClause'] ?? []).includes('"host"')) parts.push(SAME_HOST);
  });
  return withoutQueries(parts);
}

/** What USING (host) says. */
const column = { ColumnRef: { fields: [{ String: { sval: 'host' } }] } };
const SAME_HOST = { A_Expr: { kind: 'AEXPR_OP', name: [{ String: { sval: '=' } }], lexpr: column, rexpr: column } };

function isTied(conditions: unknown, alias: string): boolean {
  let tied = false;
  const ofTable = (node: unknown): boolean => isHost(node) && [undefined, alias].includes(qualifierOf(node as Node));
  const anyOf = (node: unknown): boolean =>
    ofTable(node) ||
    ((((node as Node | undefined)?.['RowExpr'] as Node | undefined)?.['args'] ?? []) as unknown[]).some(ofTable);
  eachNode(conditions, 'A_Expr', (expression) => {
    const { kind, lexpr, rexpr } = expression;
    const compares =
      kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_IN' || (kind === 'AEXPR_OP' && TIES.has(operatorOf(expression)));
    if (compares && (anyOf(lexpr) || anyOf(rexpr))) tied = true;
  });
  return tied;
}

const mentionsHost = (clause: unknown): boolean => {
  let found = false;
  eachNode(clause, 'ColumnRef', (column) => {
    if (lastName(column) === 'host') found = true;
  });
  return found;
};

const namesOf = (column: Node): string[] =>
  ((column['fields'] ?? []) as Node[]).map((field) => String((field['String'] as Node | undefined)?.['sval'] ?? '*'));
const lastName = (column: Node): string => namesOf(column).at(-1) ?? '';
const columnOf = (node: unknown): Node | undefined => (node as Node | undefined)?.['ColumnRef'] as Node | undefined;
/** A host, also one that is put together for the order of keys: `(host || ':')`. */
function isHost(node: unknown): boolean {
  const column = columnOf(node);
  if (column !== undefined) return lastName(column) === 'host';
  const joined = (node as Node | undefined)?.['A_Expr'] as Node | undefined;
  return joined !== undefined && operatorOf(joined) === '||' && isHost(joined['lexpr']);
}
function qualifierOf(node: Node): string | undefined {
  const column = columnOf(node);
  return column === undefined ? undefined : namesOf(column).at(-2);
}
const isTime = (node: unknown): boolean => {
  const column = columnOf(node);
  return column !== undefined && TIME_COLUMN.test(lastName(column));
};
const operatorOf = (expression: Node): string =>
  String((((expression['name'] ?? []) as Node[]).at(-1)?.['String'] as Node | undefined)?.['sval'] ?? '');
const functionOf = (call: Node): string =>
  String((((call['funcname'] ?? []) as Node[]).at(-1)?.['String'] as Node | undefined)?.['sval'] ?? '');

/** The parts of a level that belong to no other level. */
const ownParts = (level: Node): unknown =>
  withoutQueries([level['targetList'], level['whereClause'], level['fromClause'], level['usingClause']]);

const QUERIES = new Set(['SubLink', 'RangeSubselect', 'withClause']);
/** A copy without the queries in it. */
function withoutQueries(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutQueries);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, value]) => (QUERIES.has(name) ? [] : [[name, withoutQueries(value)]])),
  );
}

/** Calls `visit` with what stands under a name, wherever it does. */
function eachNode(node: unknown, name: string, visit: (found: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) eachNode(one, name, visit);
  else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if (key === name) visit(value as Node);
      eachNode(value, name, visit);
    }
  }
}
