/**
 * The SVG and MathML of a page, and the points in them that contain HTML again (HTML §13.2.6.5).
 *
 * Many pages do not close an `<svg>`. The standard ends it at the first tag that only HTML has; until then style and script are
 * markup. Without a tree only the roots and these points are known, not the elements between: an end tag of an element that only
 * HTML has is taken for that of an element around the root.
 */
const BREAKING_OUT: ReadonlySet<string> = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p ' +
    'pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Their end tags end the elements around a root. */
const ONLY_HTML: ReadonlySet<string> = new Set([
  ...BREAKING_OUT,
  ...(
    'abbr address article aside button caption details dialog fieldset figcaption figure footer form header html label legend ' +
    'main nav option picture section select summary tbody td tfoot th thead time tr'
  ).split(' '),
]);

/** Elements that contain HTML, by the root that they are in. */
const POINTS: Readonly<Record<string, ReadonlySet<string>>> = {
  svg: new Set(['desc', 'foreignobject', 'title']),
  math: new Set(['mi', 'mn', 'mo', 'ms', 'mtext']),
};

export class ForeignContent {
  /** Roots and points. */
  private readonly opened: string[] = [];
  /** Their number by name: each search in them ends with what it finds. */
  private readonly counts = new Map<string, number>();
  /** Open anchors, which all three languages have. */
  private anchors = 0;

  /** @param close is called for each root that ends without its own end tag */
  constructor(private readonly close: (root: string) => void) {}

  get isInside(): boolean {
    return this.opened.length > 0;
  }

  /** Whether a start tag is one of SVG or MathML. */
  takes(tag: string): boolean {
    if (this.isInRoot && BREAKING_OUT.has(tag)) this.leaveRoots();
    return this.isInRoot || Object.hasOwn(POINTS, tag);
  }

  /** A start tag that `takes` accepted, and that does not close itself. */
  open(tag: string): void {
    if (Object.hasOwn(POINTS, tag) || POINTS[this.opened.at(-1)!]?.has(tag)) {
      this.opened.push(tag);
      this.counts.set(tag, (this.counts.get(tag) ?? 0) + 1);
    } else if (tag === 'a') this.anchors++;
  }

  end(tag: string): void {
    if ((this.counts.get(tag) ?? 0) > 0) this.leave(tag);
    else if (!this.isInRoot) return;
    else if (tag === 'a' && this.anchors > 0) this.anchors--;
    else if (tag === 'a' || ONLY_HTML.has(tag)) this.leaveRoots();
  }

  private get isInRoot(): boolean {
    return this.isInside && Object.hasOwn(POINTS, this.opened.at(-1)!);
  }

  /** Ends everything up to the last element of that name, which has an end tag. */
  private leave(tag: string): void {
    for (let last = this.pop(); last !== tag; last = this.pop()) this.ended(last);
  }

  private leaveRoots(): void {
    while (this.isInRoot) this.ended(this.pop());
  }

  private ended(name: string): void {
    if (Object.hasOwn(POINTS, name)) this.close(name);
  }

  private pop(): string {
    const last = this.opened.pop()!;
    this.counts.set(last, this.counts.get(last)! - 1);
    if (!this.isInside) this.anchors = 0;
    return last;
  }
}
