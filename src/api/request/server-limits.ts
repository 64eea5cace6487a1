/** What a connection may send before it is a request, and how long that may take; options of Node's server. */
export const serverLimits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  // The access control checks the header itself, to answer with a problem document.
  requireHostHeader: false,
};
