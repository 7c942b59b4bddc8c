import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('child.mjs', import.meta.url))

/** Options of one process, as its only argument. */
export interface LifeOptions {
  /** Folder with the effects, the suspensions and the claims. */
  readonly folder: string
  /** Number of the suspension that the process continues; 0 to start the program. */
  readonly state: number
  readonly code: string
  readonly seed: number
  /** True if the process must end by itself while calls are pending. Otherwise the process runs until it is killed. */
  readonly ends: boolean
}

type Report = { readonly status: 'waiting' | 'refused' } | { readonly status: 'ended'; readonly text: string }

/** Counts and faults of {@link killRounds}. */
export interface KillReport {
  programs: number
  /** Number of processes that were killed while calls were pending. */
  kills: number
  /** Number of processes that answered a suspension that another process had already continued. */
  refused: number
  /** Number of calls that had an effect. */
  calls: number
  readonly faults: string[]
}

/**
 * Runs programs that wait for approvals, and kills the process (SIGKILL) each time calls are pending. The next process continues with answers to some
 * of the calls. Sometimes two processes answer the same suspension. At the end of a program, checks that each call had its effect once.
 *
 * @param goesOn called before each program and each kill with the number of kills. If it returns false, no further program starts
 */
export async function killRounds(seed: number, goesOn: (kills: number) => boolean): Promise<KillReport> {
  const report: KillReport = { programs: 0, kills: 0, refused: 0, calls: 0, faults: [] }
  while (goesOn(report.kills) && report.faults.length === 0) {
    await killProgram(seed + report.programs * 1_000, 3, report)
    report.programs += 1
  }
  return report
}

/** Runs one program to its end. Each suspension needs another process. */
async function killProgram(seed: number, parts: number, report: KillReport): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'toolgen-kill-'))
  try {
    const code = programOf(parts)
    for (let state = 0; ; state += 1) {
      const options = { folder, state, code, seed: seed + state, ends: state === 0 }
      // Every third suspension is answered by two processes.
      const lives = state % 3 === 2 ? [options, { ...options, seed: options.seed + 500 }] : [options]
      const reports = await Promise.all(lives.map((life) => liveAndDie(life, report)))
      const winners = reports.filter(({ status }) => status !== 'refused')
      report.refused += reports.length - winners.length
      const [only] = winners
      if (winners.length !== 1 || only === undefined) {
        report.faults.push(`seed ${seed}: ${winners.length} of ${lives.length} processes continued state ${state}`)
        return
      }
      if (only.status === 'ended') {
        report.faults.push(
          ...(await faultsOf(folder, parts, only.text, report)).map((fault) => `seed ${seed}: ${fault}`),
        )
        return
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a process, waits for its report, and kills it if calls are pending. */
async function liveAndDie(options: LifeOptions, report: KillReport): Promise<Report> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  let output = ''
  const said = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.endsWith('\n')) resolve()
    })
  })
  await Promise.race([said, closed])
  if (output === '') return { status: 'ended', text: `The process ended without a report: ${errors}` }
  const found: Report = JSON.parse(output)
  if (found.status === 'waiting' && !options.ends) {
    await delay(options.seed % 20)
    child.kill('SIGKILL')
    report.kills += 1
  }
  await closed
  if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL') report.faults.push(`exit ${child.exitCode}: ${errors}`)
  return found
}

/** Parallel calls of each part that need no approval. */
const found = ['a', 'b', 'c']
/** Calls of each part that need an approval. */
const bought = ['one', 'two', 'denied']

/** A program whose later calls depend on the order in which earlier results arrive. */
function programOf(parts: number): string {
  return `const out: Json[] = []
for (let part = 0; part < ${parts}; part += 1) {
  await Promise.all(${JSON.stringify(found)}.map((name) => shop.find({ id: part + name }).then((id) => out.push(id))))
  out.push(await shop.find({ id: part + 'after' + String(out[out.length - 1]) }))
  out.push(...(await Promise.all(${JSON.stringify(bought)}.map((name) => shop.buy({ id: part + name }).catch(() => 'no')))))
}
console.log('end')
return out`
}

async function faultsOf(folder: string, parts: number, text: string, report: KillReport): Promise<readonly string[]> {
  const effects = (await readFile(join(folder, 'effects.txt'), 'utf8')).trim().split('\n')
  report.calls += effects.length
  const faults: string[] = []
  const twice = effects.filter((line, index) => effects.indexOf(line) !== index)
  if (twice.length > 0) faults.push(`calls ran twice: ${twice.join(', ')}`)
  const isAfter = (line: string): boolean => line.includes('after')
  const numbers = Array.from({ length: parts }, (_, part) => part)
  const expected = numbers.flatMap((part) => [
    ...found.map((name) => `find ${part}${name}`),
    ...bought.filter((name) => name !== 'denied').map((name) => `buy ${part}${name}`),
  ])
  const others = effects.filter((line) => !isAfter(line)).sort()
  if (others.join() !== expected.sort().join()) faults.push(`calls ran: ${others.join(', ')}`)
  const after = effects.filter(isAfter)
  if (after.length !== parts) faults.push(`dependent calls ran: ${after.join(', ')}`)
  // The value must contain all results, and each console line must appear once.
  const ids = effects.map((line) => line.slice(line.indexOf(' ') + 1))
  const results = [...ids, ...numbers.map(() => 'no')]
  const { value, console: lines } = parsed(text)
  if (JSON.stringify([...value].sort()) !== JSON.stringify(results.sort()))
    faults.push(`the program ended with ${text}`)
  if (lines.join() !== 'end') faults.push(`the console has ${lines.join()}`)
  return faults
}

function parsed(text: string): { readonly value: readonly string[]; readonly console: readonly string[] } {
  try {
    return JSON.parse(text)
  } catch {
    return { value: [], console: [] }
  }
}
