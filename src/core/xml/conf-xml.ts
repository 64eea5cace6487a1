/**
 * Reads a configuration file of Nutch in XML: each element in the place that a table gives it, with its attributes and its
 * text. Comments and prefixes of namespaces are skipped. A document type, an unknown element and one in another place are
 * refused, so nothing is fetched or expanded, and a slip is found. So is a truncated file.
 */
import { Parser } from 'htmlparser2';
import { RuleError } from '../url/linear-regex.js';

type Attributes = Readonly<Record<string, string>>;

export interface ConfElement {
  /** The elements in which it may be. Missing: it is the root. */
  readonly within?: readonly string[];
  /** Called where it begins. */
  readonly begin?: (attributes: Attributes, parent: string) => void;
  /** Called where it ends, with the text in it. */
  readonly end?: (text: string, name: string) => void;
}

/** By name; `*`: an element of any other name. */
export type ConfElements = Readonly<Record<string, ConfElement>>;

/** Longer names are cut in messages. */
const MAX_NAME = 40;

export class ConfXml {
  private readonly open: { name: string; element: ConfElement; text: string }[] = [];
  private readonly root: string;
  private hasRoot = false;

  /**
   * @param file its name, for messages
   * @param rule the number of the rule that is being read
   */
  constructor(
    private readonly file: string,
    private readonly elements: ConfElements,
    private readonly rule: () => number,
  ) {
    this.root = Object.keys(elements).find((name) => elements[name]!.within === undefined)!;
  }

  /** @throws RuleError with the number of the rule, and the reason */
  read(xml: string): void {
    const parser = new Parser(
      {
        onopentag: (name, attributes) => this.begin(name.replace(/^.*:/, ''), attributes),
        ontext: (text) => {
          const last = this.open.at(-1);
          if (last?.element.end) last.text += text;
        },
        onclosetag: () => this.end(),
        onprocessinginstruction: (name) => void (name.startsWith('!') && this.refuse('no document type is allowed')),
      },
      { xmlMode: true, decodeEntities: true },
    );
    // Not `end`, which closes what is open: a truncated file would count as a whole one.
    parser.write(xml);
    const last = this.open.at(-1);
    if (last !== undefined) this.refuse(`a whole element <${this.root}> is expected: the file ends in <${last.name}>`);
    if (!this.hasRoot) this.refuse(`a whole element <${this.root}> is expected`);
  }

  refuse(reason: string): never {
    throw new RuleError({ number: this.rule(), text: this.file }, null, `XML: ${reason}`);
  }

  private begin(name: string, attributes: Attributes): void {
    const parent = this.open.at(-1)?.name;
    const shown = name.slice(0, MAX_NAME);
    if (parent === undefined && name !== this.root)
      this.refuse(`a whole element <${this.root}> is expected, not <${shown}>`);
    const { elements } = this;
    const element = Object.hasOwn(elements, name) ? elements[name] : elements['*'];
    if (element === undefined) return this.refuse(`unknown element <${shown}>`);
    if (parent !== undefined && !element.within?.includes(parent))
      this.refuse(`<${shown}> is not allowed in <${parent.slice(0, MAX_NAME)}>`);
    this.hasRoot = true;
    this.open.push({ name, element, text: '' });
    element.begin?.(attributes, parent ?? '');
  }

  private end(): void {
    const last = this.open.pop();
    last?.element.end?.(last.text, last.name);
  }
}
