// Starts Restate and three workers, kills the worker that pays, and finishes the run with the others.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { restateClient } from '@toolgen/runtime/restate'
import { balance, startWorker, stopWorkers, type Worker } from './workers.js'

/** A temporary Restate server. In your project, start one with Docker, or with the npm package `@restatedev/restate-server`. */
interface RestateServer {
  readonly url: string
  readonly adminUrl: string
  register(address: string): Promise<void>
  stop(): Promise<void>
}
const script = new URL('../../../../scripts/lib/restate.mjs', import.meta.url)
const { startRestate }: { startRestate(): Promise<RestateServer> } = await import(script.href)

const restate = await startRestate().catch((error: Error) => {
  console.error(error.message)
  // `npm test` skips the example for this exit code.
  process.exit(3)
})
const folder = await mkdtemp(join(tmpdir(), 'toolgen-durable-'))
const ledger = join(folder, 'ledger')
const workers: Worker[] = []
let killed: string | undefined
const onLine = (line: string): void => {
  console.log(`   ${line}`)
  const worker = workers.find(({ name }) => line.startsWith(`${name} pays`))
  if (killed !== undefined || worker === undefined) return
  killed = worker.name
  console.log(`   ${killed} is killed while it pays`)
  worker.process.kill('SIGKILL')
}
for (const name of ['worker-1', 'worker-2', 'worker-3']) workers.push(await startWorker(name, ledger, onLine))
const balancer = await balance(workers)
try {
  await restate.register(balancer.address)
  const runs = restateClient(restate)
  const { runId } = await runs.start('bookkeeper', 'Pay the invoices of Lamps Inc., and close the year.')
  let status = await runs.status(runId)
  while (status.status === 'running') {
    await setTimeout(100)
    status = await runs.status(runId)
  }
  if (status.status === 'suspended') {
    const [pending] = status.suspension.pending
    console.log(`\nthe run waits for an approval: ${pending?.prompt}`)
    await runs.answer(runId, status.suspension.id, { [pending?.id ?? '']: 'approve' })
  }
  const { status: end, result } = await runs.result(runId)
  console.log(`the run ${end}: ${result?.text}`)
  console.log('\nthe services really did:')
  for (const entry of (await readFile(ledger, 'utf8')).trim().split('\n').sort()) {
    console.log(`   ${entry.replace(/ with the key .*/, '')}`)
  }
  const events: string[] = []
  for await (const event of runs.subscribe(runId)) events.push(event.type)
  console.log(`\n${events.length} events, the last one is ${events.at(-1)}`)
} finally {
  balancer.server.close()
  await stopWorkers(workers)
  await restate.stop()
  await rm(folder, { recursive: true, force: true })
}
