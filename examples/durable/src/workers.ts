import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A running worker process. */
export interface Worker {
  readonly name: string
  readonly port: number
  readonly process: ChildProcess
}

/**
 * Starts a worker process.
 *
 * @param onLine receives each line that the worker prints
 */
export async function startWorker(name: string, ledger: string, onLine: (line: string) => void): Promise<Worker> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('worker.js', import.meta.url)), name, ledger], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The worker ${name} ended with the exit code ${code}.`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('port ')) resolve(Number(line.slice('port '.length)))
      else onLine(line)
    })
  })
  return { name, port, process: child }
}

/** Ends workers, and waits until they have ended. */
export async function stopWorkers(workers: readonly Worker[]): Promise<void> {
  await Promise.all(
    workers.map(async ({ process: child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.stdin?.end()
      await exited
    }),
  )
}

/** Starts a TCP load balancer, because Restate accepts only one address for all workers. Skips workers that do not respond. */
export async function balance(workers: readonly Pick<Worker, 'port'>[]): Promise<{ address: string; server: Server }> {
  let next = 0
  const server = createServer((client) => {
    const attempt = (left: number): void => {
      const worker = workers[next % workers.length]
      next += 1
      if (worker === undefined || left === 0) return void client.destroy()
      const upstream = connect(worker.port, '127.0.0.1', () => {
        // Without this, each step would wait up to 40 ms for more data.
        client.setNoDelay()
        upstream.setNoDelay()
        client.pipe(upstream).pipe(client)
      })
      let isConnected = false
      upstream.once('connect', () => {
        isConnected = true
      })
      upstream.on('error', () => (isConnected ? client.destroy() : attempt(left - 1)))
      upstream.on('close', () => isConnected && client.destroy())
      client.on('error', () => upstream.destroy())
    }
    attempt(workers.length)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return { address: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, server }
}
