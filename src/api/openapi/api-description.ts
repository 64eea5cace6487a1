import type { OpenAPIObject } from '@nestjs/swagger';

/** The document of the API, made when the application is complete, and what the server itself learns from it. */
export class ApiDescription {
  document: OpenAPIObject | undefined;
  private patterns: { shape: RegExp; methods: string[] }[] = [];

  /** Keeps the document; in its paths `{name}` stands for one segment. */
  learn(document: OpenAPIObject): void {
    this.document = document;
    this.patterns = Object.entries(document.paths).map(([path, operations]) => ({
      shape: new RegExp(
        `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`,
      ),
      methods: Object.keys(operations).map((method) => method.toUpperCase()),
    }));
  }

  /** The methods offered at an address, HEAD with GET; empty for an unknown one. Tells 405 from 404. */
  methodsAt(path: string): string[] {
    const methods = new Set(
      this.patterns.filter(({ shape }) => shape.test(path)).flatMap((pattern) => pattern.methods),
    );
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }
}
