/** The port that a URL leads to; one that is written counts, 0 too, on which nothing listens. */
export const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
