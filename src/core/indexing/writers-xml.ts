/**
 * Parses Nutch's index-writers.xml: `writers` with `writer` (id, class), in each `parameters` with `param` (name, value)
 * and `mapping` with `copy`, `rename` and `remove`, whose `field` have `source` and `dest`. Comments are skipped; a DOCTYPE
 * and unknown elements are rejected.
 */
import { ConfXml } from '../xml/conf-xml.js';
import type { FieldMapping } from './field-mapping.js';
import { addParameter, MAX_ENTRIES } from './plugin-parameters.js';

/** A writer as configured. */
export interface WriterConfig {
  readonly id: string;
  /** The class, or the id, of a plugin. */
  readonly plugin: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly mapping: FieldMapping;
}

interface OpenWriter {
  id: string;
  plugin: string;
  parameters: Record<string, string>;
  mapping: { copy: [string, string[]][]; rename: [string, string][]; remove: string[] };
}

type Attributes = Readonly<Record<string, string>>;

const MAX_WRITERS = 100;
const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** @throws RuleError naming the writer by its number, and the reason */
export function readWritersXml(xml: string): WriterConfig[] {
  const writers: OpenWriter[] = [];
  const file = new ConfXml(
    'index-writers.xml',
    {
      writers: {},
      writer: { within: ['writers'], begin: (attributes) => addWriter(writers, attributes, file) },
      parameters: { within: ['writer'] },
      param: {
        within: ['parameters'],
        begin: (attributes) => addParameter(writers.at(-1)!.parameters, attributes, file),
      },
      mapping: { within: ['writer'] },
      copy: { within: ['mapping'] },
      rename: { within: ['mapping'] },
      remove: { within: ['mapping'] },
      field: {
        within: ['copy', 'rename', 'remove'],
        begin: (attributes, kind) => addField(writers.at(-1)!.mapping, kind, { attributes, file }),
      },
    },
    () => writers.length,
  );
  file.read(xml);
  return writers;
}

function addWriter(writers: OpenWriter[], { id = '', class: plugin = '' }: Attributes, file: ConfXml): void {
  if (writers.length >= MAX_WRITERS) file.refuse(`more than ${MAX_WRITERS} writers`);
  if (!ID_SHAPE.test(id)) file.refuse('a writer needs an id of letters, digits, dots, dashes or underscores');
  if (writers.some((other) => other.id === id)) file.refuse(`there are two writers ${id}`);
  if (plugin === '') file.refuse(`writer ${id} needs a class, or the id of a plugin as one`);
  writers.push({ id, plugin, parameters: {}, mapping: { copy: [], rename: [], remove: [] } });
}

function addField(
  { copy, rename, remove }: OpenWriter['mapping'],
  kind: string,
  { attributes: { source = '', dest = '' }, file }: { attributes: Attributes; file: ConfXml },
): void {
  if (source === '' || (dest === '' && kind !== 'remove')) file.refuse(`a field of ${kind} needs source and dest`);
  if (copy.length + rename.length + remove.length >= MAX_ENTRIES) file.refuse(`more than ${MAX_ENTRIES} fields`);
  const names = dest.split(',').map((name) => name.trim());
  if (kind === 'copy') copy.push([source, names.filter((name) => name !== '')]);
  else if (kind === 'rename') rename.push([source, dest]);
  else remove.push(source);
}
