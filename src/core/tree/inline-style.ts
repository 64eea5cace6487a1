/** The visibility of an element by its `style` attribute. */

/** Valid values of `display`; declarations with others are ignored. */
const DISPLAY = new Set(
  (
    'none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell table-caption ' +
    'table-column table-column-group table-header-group table-footer-group table-row-group flow flow-root list-item run-in ' +
    'contents ruby inherit initial unset revert'
  ).split(' '),
);
/** Comments and strings, closed or not: their content is ignored. */
const SAYS_NOTHING = /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/g;
const VISIBILITY = new Set('visible hidden collapse inherit initial unset revert'.split(' '));

/** An element with a `style` attribute. */
interface Styled {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

export class InlineStyle {
  constructor(private readonly element: Styled) {}

  get display(): string {
    return this.valueOf('display', DISPLAY);
  }

  set display(value: string) {
    const style = this.element.getAttribute('style') ?? '';
    this.element.setAttribute('style', `${style === '' ? '' : `${style}; `}display: ${value}`);
  }

  get visibility(): string {
    return this.valueOf('visibility', VISIBILITY);
  }

  /** The last valid `!important` declaration, else the last valid one; `''` for none. */
  private valueOf(name: string, values: ReadonlySet<string>): string {
    const style = this.element.getAttribute('style');
    if (style === null || !style.toLowerCase().includes(name)) return '';
    let declared = '';
    let isImportant = false;
    for (const declaration of style.toLowerCase().replaceAll(SAYS_NOTHING, ' ').split(';')) {
      const colon = declaration.indexOf(':');
      if (declaration.slice(0, Math.max(colon, 0)).trim() !== name) continue;
      const [value = '', important = ''] = declaration
        .slice(colon + 1)
        .split('!')
        .map((part) => part.trim());
      if (!values.has(value) || (important !== '' && important !== 'important')) continue;
      if (isImportant && important === '') continue;
      declared = value;
      isImportant = important !== '';
    }
    return declared;
  }
}
