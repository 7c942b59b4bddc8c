import { Writable } from 'node:stream'

/** Standard output as the one who took it has it. */
export interface TakenStdout {
  /** Writes to it. */
  readonly output: Writable
  /** Lets everybody write to it again. */
  giveBack(): void
}

/**
 * Keeps standard output for one writer: whatever else of this process writes there, goes to standard error. A protocol is
 * spoken over it, and one word of `console.log` would break it.
 */
export function takeStdout({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): TakenStdout {
  const { write } = stdout
  const output = new Writable({
    write: (chunk: Uint8Array, _, done) => void Reflect.apply(write, stdout, [chunk, done]),
  })
  // Who reads has gone: the process hears of it by its own stream, and ends.
  output.on('error', () => undefined)
  Object.defineProperty(stdout, 'write', { configurable: true, writable: true, value: stderr.write.bind(stderr) })
  return { output, giveBack: () => void Reflect.deleteProperty(stdout, 'write') }
}
