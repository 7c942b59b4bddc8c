export class NoPostgresError extends Error {}

export function startPostgres(): Promise<{
  /** Address of the server, with its password. */
  readonly url: string
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}>
