/** The package ships no types. */
declare module 'html-encoding-sniffer' {
  /**
   * The encoding sniffing algorithm of HTML §13.2.3.2. Reads at most 1,024 bytes for a meta
   * element, and a declaration of XML.
   */
  export default function htmlEncodingSniffer(
    bytes: Uint8Array,
    options?: { xml?: boolean; transportLayerEncodingLabel?: string; defaultEncoding?: string },
  ): string;
}
