import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { connect as connectHttp2, constants, createServer as createHttp2 } from 'node:http2'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getSystemErrorName, promisify } from 'node:util'
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  TaskCancelledError,
  TimeoutStrategy,
  timeout,
} from 'cockatiel'
import { describe, expect, it } from 'vitest'
import { cancelled, internal, timedOut, unavailable } from './client-suite.js'
import { deserted, listen } from './service.js'
import { SECRET, type Told, told } from './thrown.js'

const socketError = (port: number): Promise<unknown> =>
  new Promise((_, reject) => connect(port, '127.0.0.1').once('error', reject))

describe('errors of Node', () => {
  it('a port at which nobody listens', async () => {
    const { port } = new URL(await deserted())
    expect(await told(() => socketError(Number(port)))).toEqual(unavailable)
  })

  it('a connection that the other side resets', async () => {
    const server = createServer((socket) => socket.resetAndDestroy())
    const port = await listen(server)
    expect(await told(() => socketError(port))).toEqual(unavailable)
    server.close()
  })

  it('a stream of HTTP/2 that the other side refuses', async () => {
    const server = createHttp2()
    server.on('stream', (stream) => stream.on('error', () => {}).close(constants.NGHTTP2_REFUSED_STREAM))
    const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
    const request = (): Promise<unknown> =>
      new Promise((_, reject) => session.request({ ':path': `/${SECRET}` }).once('error', reject))
    expect(await told(request)).toEqual(unavailable)
    session.destroy()
    server.close()
  })

  it('files that are not there, not empty or no folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'classifier-'))
    const file = join(folder, 'file')
    await writeFile(file, SECRET)
    for (const failing of [() => readFile(join(folder, 'x')), () => rmdir(folder), () => readFile(join(file, 'x'))])
      expect(await told(failing)).toEqual(internal)
    await rm(folder, { recursive: true })
  })

  it('a process that ends with an exit status, which is not an HTTP status', async () => {
    const run = promisify(execFile)
    expect(await told(() => run(process.execPath, ['-e', 'process.exit(3)']))).toEqual(internal)
  })

  it.each<[number, Told]>([
    [-104, unavailable],
    [-110, timedOut],
    [-103, unavailable],
    [-16, unavailable],
    [-24, unavailable],
    [-125, cancelled],
    [-2, internal],
    [-13, internal],
    [-28, internal],
  ])('errno %d of a system call', async (errno, expected) => {
    const error = Object.assign(new Error(SECRET), { errno, code: getSystemErrorName(errno), syscall: 'read' })
    expect(await told(() => Promise.reject(error))).toEqual(expected)
  })

  it('what was given up and what took too long', async () => {
    const controller = new AbortController()
    controller.abort()
    expect(await told(() => sleep(1000, undefined, { signal: controller.signal }))).toEqual(cancelled)
    expect(await told(() => controller.signal.throwIfAborted())).toEqual(cancelled)
    expect(await told(() => sleep(1000, undefined, { signal: AbortSignal.timeout(20) }))).toEqual(timedOut)
    expect(await told(() => Promise.reject(new DOMException(SECRET, 'AbortError')))).toEqual(cancelled)
    expect(await told(() => Promise.reject(new DOMException(SECRET, 'TimeoutError')))).toEqual(timedOut)
  })
})

describe('errors of cockatiel', () => {
  it('a time-out', async () => {
    const policy = timeout(20, TimeoutStrategy.Aggressive)
    expect(await told(() => policy.execute(() => sleep(1000)))).toEqual(timedOut)
  })

  it('an open circuit and a full bulkhead', async () => {
    const circuit = circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(1) })
    await circuit.execute(() => Promise.reject(new Error(SECRET))).catch(() => {})
    expect(await told(() => circuit.execute(() => {}))).toEqual(unavailable)
    const narrow = bulkhead(1)
    const first = narrow.execute(() => sleep(50))
    expect(await told(() => narrow.execute(() => {}))).toEqual(unavailable)
    await first
  })

  it.each([
    [new BrokenCircuitError(SECRET), unavailable],
    [new BulkheadRejectedError(1, 1), unavailable],
    [new TaskCancelledError(SECRET), timedOut],
  ])('are known without the names of their classes: %o', async (error, expected) => {
    Object.defineProperty(error, 'constructor', { value: class a {} })
    expect(await told(() => Promise.reject(error))).toEqual(expected)
  })
})
