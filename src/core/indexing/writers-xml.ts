/**
 * Parses Nutch's index-writers.xml: `writers` with `writer` (id, class), in each `parameters` with `param` (name, value)
 * and `mapping` with `copy`, `rename` and `remove`, whose `field` have `source` and `dest`. Comments are skipped; a DOCTYPE
 * and unknown elements are rejected.
 */
import { Parser } from 'htmlparser2';
import { RuleError } from '../url/linear-regex.js';
import type { FieldMapping } from './field-mapping.js';

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
const MAX_ENTRIES = 1_000;
const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The parent of each element. */
const PARENTS: Readonly<Record<string, string>> = {
  writers: '',
  writer: 'writers',
  parameters: 'writer',
  param: 'parameters',
  mapping: 'writer',
  copy: 'mapping',
  rename: 'mapping',
  remove: 'mapping',
};

/** @throws RuleError naming the writer by its number, and the reason */
export function readWritersXml(xml: string): WriterConfig[] {
  const reader = new WritersReader();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name.replace(/^.*:/, ''), attributes),
      onclosetag: () => reader.close(),
      onprocessinginstruction: (name) => void (name.startsWith('!') && reader.refuse('no document type is allowed')),
    },
    { xmlMode: true, decodeEntities: true },
  );
  // Not `end`, which closes what is open: a truncated file would count as a whole one.
  parser.write(xml);
  return reader.end();
}

class WritersReader {
  private readonly writers: OpenWriter[] = [];
  private readonly stack: string[] = [];
  private entries = 0;
  private begun = false;

  open(name: string, attributes: Attributes): void {
    const parent = this.stack.at(-1) ?? '';
    this.stack.push(name);
    if (++this.entries > MAX_WRITERS * MAX_ENTRIES) this.refuse('too many elements');
    if (name === 'field' && ['copy', 'rename', 'remove'].includes(parent)) return this.field(parent, attributes);
    if (PARENTS[name] === undefined) this.refuse(`unknown element ${name.slice(0, 40)}`);
    if (PARENTS[name] !== parent) this.refuse(`${name} must not appear in ${parent || 'the root'}`);
    this.begun = true;
    if (name === 'writer') this.writer(attributes);
    if (name === 'param') this.parameter(attributes);
  }

  close(): void {
    this.stack.pop();
  }

  end(): WriterConfig[] {
    if (!this.begun || this.stack.length > 0) this.refuse('a whole element <writers> is expected');
    return this.writers;
  }

  refuse(reason: string): never {
    throw new RuleError({ number: this.writers.length, text: 'index-writers.xml' }, null, `XML: ${reason}`);
  }

  private writer({ id = '', class: plugin = '' }: Attributes): void {
    if (this.writers.length >= MAX_WRITERS) this.refuse(`more than ${MAX_WRITERS} writers`);
    if (!ID_SHAPE.test(id)) this.refuse('a writer needs an id of letters, digits, dots, dashes or underscores');
    if (this.writers.some((other) => other.id === id)) this.refuse(`there are two writers ${id}`);
    if (plugin === '') this.refuse(`writer ${id} needs a class, or the id of a plugin as one`);
    this.writers.push({ id, plugin, parameters: {}, mapping: { copy: [], rename: [], remove: [] } });
  }

  private parameter({ name = '', value = '' }: Attributes): void {
    const { parameters } = this.last;
    if (name === '') this.refuse('a param needs a name');
    if (Object.keys(parameters).length >= MAX_ENTRIES) this.refuse(`more than ${MAX_ENTRIES} parameters`);
    Object.defineProperty(parameters, name, { value, enumerable: true, configurable: true, writable: true });
  }

  private field(kind: string, { source = '', dest = '' }: Attributes): void {
    const { mapping } = this.last;
    if (source === '' || (dest === '' && kind !== 'remove')) this.refuse(`a field of ${kind} needs source and dest`);
    if (mapping.copy.length + mapping.rename.length + mapping.remove.length >= MAX_ENTRIES)
      this.refuse(`more than ${MAX_ENTRIES} fields`);
    if (kind === 'copy') mapping.copy.push([source, dest.split(',').map((name) => name.trim())]);
    else if (kind === 'rename') mapping.rename.push([source, dest]);
    else mapping.remove.push(source);
  }

  private get last(): OpenWriter {
    return this.writers.at(-1) ?? this.refuse('no writer is open');
  }
}
