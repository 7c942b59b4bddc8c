/** The run that made a claim on an output folder. */
export interface Owner {
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly pid: number
  /** The machine's name. */
  readonly host: string
  /** Lower-case letters and digits; differs in every run. */
  readonly nonce: string
}

/** The name of a claim file. The whole claim stands in the name, so that it appears and vanishes in one step. */
export function claimName({ startedAt, pid, host, nonce }: Owner): string {
  return `claim.${startedAt}.${pid}.${Buffer.from(host).toString('hex')}.${nonce}`
}

/** Reads a claim file's name; undefined when it is another file. */
export function ownerOf(name: string): Owner | undefined {
  const [, startedAt, pid, host, nonce] = /^claim\.(\d+)\.(\d+)\.([0-9a-f]*)\.([0-9a-z]+)$/.exec(name) ?? []
  if (startedAt === undefined || pid === undefined || host === undefined || nonce === undefined) return undefined
  return { startedAt: Number(startedAt), pid: Number(pid), host: Buffer.from(host, 'hex').toString(), nonce }
}
