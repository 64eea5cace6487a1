import ts from 'typescript';
import { literalText, positionOf, walk } from './source-files.mjs';

/**
 * Checks that src/core is pure: it uses only packages that compute, and the names of Node modules below; of globals with access to
 * the clock, randomness, the environment or the network it uses only the members without such access.
 */

const PACKAGES = [
  '@exodus/bytes/multi-byte.js',
  'entities',
  'html-encoding-sniffer',
  'htmlparser2',
  'ipaddr.js',
  'jsdom',
  'jsdom/lib/jsdom/level3/xpath.js',
  'parse5',
  're2js',
  'tinyld',
  'tldts',
  'unpdf/pdfjs',
];
/** Prefixes of packages of which every file is pure. */
const FAMILIES = ['@orama/stemmers/'];
/** `default` and `*` stand for the module as a whole. */
const MODULES = {
  'node:buffer': ['isAscii', 'isUtf8'],
  'node:crypto': ['createHash', 'hash'],
  'node:net': ['isIP'],
  'node:url': ['domainToASCII', 'domainToUnicode'],
  'node:util': ['TextDecoder'],
  'node:zlib': ['default', 'crc32', 'inflateRawSync'],
};
const GLOBALS = new Set(
  [
    'process globalThis global Temporal performance crypto Intl navigator console require module eval Function',
    'fetch WebSocket EventSource XMLHttpRequest BroadcastChannel localStorage sessionStorage',
    'setTimeout setInterval setImmediate',
  ]
    .join(' ')
    .split(' '),
);

/** @returns {string[]} one line per use of what belongs to another layer */
export function impurities(path, source) {
  const complaints = [];
  walk(source, (node) => {
    for (const what of [...importedFrom(node), ...usedOf(node)])
      complaints.push(`${positionOf(path, node)}: core is pure, ${what} belongs to another layer`);
  });
  return complaints;
}

/** Names of an import, in any of its forms, that are not allowed. */
function importedFrom(node) {
  const { specifier, names } = importOf(node);
  if (specifier === undefined || specifier.startsWith('.') || isPure(specifier)) return [];
  const allowed = MODULES[specifier];
  if (allowed === undefined) return [specifier];
  return names.filter((name) => !allowed.includes(name)).map((name) => `${name} of ${specifier}`);
}

const isPure = (specifier) => PACKAGES.includes(specifier) || FAMILIES.some((family) => specifier.startsWith(family));

/** The module specifier (`import(…)` if it is not a literal), and the imported names that exist at run time. */
function importOf(node) {
  if (ts.isImportDeclaration(node)) return { specifier: node.moduleSpecifier.text, names: namesOf(node.importClause) };
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const { exportClause } = node;
    const names = exportClause && ts.isNamedExports(exportClause) ? namedOf(exportClause) : ['*'];
    return { specifier: node.moduleSpecifier.text, names: node.isTypeOnly ? [] : names };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return { specifier: (node.arguments[0] && literalText(node.arguments[0])) ?? 'import(…)', names: ['*'] };
  if (ts.isImportTypeNode(node)) return { specifier: literalText(node.argument.literal), names: [] };
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
    return { specifier: literalText(node.moduleReference.expression), names: ['*'] };
  return {};
}

function namesOf(clause) {
  if (!clause || clause.isTypeOnly) return [];
  const { namedBindings } = clause;
  const named = namedBindings && (ts.isNamedImports(namedBindings) ? namedOf(namedBindings) : ['*']);
  return [...(clause.name ? ['default'] : []), ...(named ?? [])];
}

const namedOf = ({ elements }) =>
  elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name, propertyName }) => (propertyName ?? name).text);

/** Access to clock, randomness, environment, timers and network in any form: each begins with one of few names. */
function usedOf(node) {
  if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) return ['import.meta'];
  if (!ts.isIdentifier(node) || !isValue(node)) return [];
  const isOuter =
    (GLOBALS.has(node.text) && !isDictionary(node)) ||
    (node.text === 'Date' && !isTimeless(node)) ||
    (node.text === 'Math' && [undefined, 'random'].includes(memberOf(node)));
  return isOuter ? [described(node)] : [];
}

/** `new Date(x)`, `Date.parse` and `Date.UTC` do not read the clock. */
function isTimeless(node) {
  const { parent } = node;
  if (ts.isNewExpression(parent) && parent.expression === node)
    return (parent.arguments?.length ?? 0) > 0 && !ts.isSpreadElement(parent.arguments[0]);
  return ['parse', 'UTC'].includes(memberOf(node));
}

/** These do not depend on the locale of the environment: their data are part of the runtime. */
const ENVIRONMENT_FREE = new Set(['Segmenter', 'Locale']);
const isDictionary = (node) => node.text === 'Intl' && ENVIRONMENT_FREE.has(memberOf(node));

/** The name after the dot. */
function memberOf(node) {
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : undefined;
}

/** Whether an identifier refers to a value, and is not the name of a member or a type. */
function isValue(node) {
  const { parent } = node;
  if (ts.isTypeNode(parent) && !ts.isExpressionWithTypeArguments(parent)) return false;
  if (ts.isQualifiedName(parent)) return false;
  if (ts.isExpressionWithTypeArguments(parent))
    return ts.isClassLike(parent.parent.parent) && parent.parent.token === ts.SyntaxKind.ExtendsKeyword;
  const isMemberName =
    ts.isPropertyAccessExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isEnumMember(parent) ||
    ts.isClassElement(parent) ||
    ts.isPropertySignature(parent);
  if (isMemberName) return parent.name !== node;
  return !((ts.isBindingElement(parent) || ts.isImportSpecifier(parent)) && parent.propertyName === node);
}

/** The use as written: with the accessed member, and the call. */
function described(node) {
  let used = node;
  const { parent } = node;
  const isMember = ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent);
  if (isMember && parent.expression === node) used = parent;
  const call = used.parent;
  if (ts.isNewExpression(call) && call.expression === used) return `new ${used.getText()}()`;
  return ts.isCallExpression(call) && call.expression === used ? `${used.getText()}()` : used.getText();
}
