/** Temporary Restate server on the loopback interface. */
export interface RestateServer {
  /** Address of the ingress. */
  readonly url: string
  /** Address of the admin API. */
  readonly adminUrl: string
  /** Registers the address of workers. */
  register(address: string): Promise<void>
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>
  /** Starts the server again, with its ports and data. */
  restart(): Promise<void>
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

export class NoRestateError extends Error {}

export function startRestate(): Promise<RestateServer>
