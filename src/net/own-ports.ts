/** Where PostgreSQL listens when nothing else is said. */
const USUAL_PORT = 5432;

/** How the database is reached: by a connection string, or by its parts. */
export interface DatabasePlace {
  readonly connectionString?: string | undefined;
  readonly port?: number | undefined;
}

/** Ports of this server and its database: no fetch may reach them on this machine. */
export function ownPorts({ connectionString, port }: DatabasePlace, apiPort: number): number[] {
  const database = Number(URL.parse(connectionString ?? '')?.port ?? 0) || (port ?? USUAL_PORT);
  return [apiPort, database].filter((one) => one > 0);
}
