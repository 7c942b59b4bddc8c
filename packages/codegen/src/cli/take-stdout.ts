import { Writable } from 'node:stream'

/**
 * Keeps standard output for the one who gets the stream: whatever else of this process writes there goes to standard error.
 * A design may print, and one word of it would spoil JSON or a protocol.
 */
export function takeStdout({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Writable {
  const { write } = stdout
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _, done) => void Reflect.apply(write, stdout, [chunk, done]),
  })
  // The process's own stream tells of the same error.
  output.on('error', () => undefined)
  Object.defineProperty(stdout, 'write', { configurable: true, writable: true, value: stderr.write.bind(stderr) })
  return output
}
