/** Node of a Restate cluster, or a server that is the only node. */
export interface RestateNode {
  /** Address of the ingress. */
  readonly url: string
  /** Address of the admin API. */
  readonly adminUrl: string
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>
  /** Starts the process again, with its ports and data. */
  restart(): Promise<void>
}

/** Temporary Restate server on the loopback interface. */
export interface RestateServer extends RestateNode {
  /** Registers the address of workers. */
  register(address: string): Promise<void>
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

/** Temporary cluster on the loopback interface. */
export interface RestateCluster extends Pick<RestateServer, 'register' | 'stop'> {
  readonly nodes: readonly RestateNode[]
}

export class NoRestateError extends Error {}

export function startRestate(): Promise<RestateServer>
export function startRestateCluster(size: number): Promise<RestateCluster>
