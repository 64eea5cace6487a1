/** DROPCRAWL takes no arguments: it works on the crawl of the job. */
export class DropCrawlArgs {}
