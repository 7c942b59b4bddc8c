// Process of a contestant: `node contestant-process.mjs URL SETTINGS`. It serves the agent, and answers the requests of the parent.
//
// A contestant exports `name`, `prepare` (optional: one-time set-up) and `open`, which returns
// - `start(runId, script)`: starts a durable run, and resolves with its handle;
// - `finish(handle, script)`: resolves with the text of the run. Continues the run if its process has ended;
// - `approve(runId, script)`: starts a run, and waits until it waits for an approval. Resolves with a function that approves, and resolves with
//   the text of the run;
// - `plain(script)` (optional): runs the same agent without the engine, and resolves with its text.
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

const [url, text] = process.argv.slice(2)
const { callMs, ...settings } = JSON.parse(text)
const contestant = await import(url)
const pool = new pg.Pool({ connectionString: settings.database, max: 4 })
let opened

const pause = () => setTimeout(Math.random() * callMs)

/** Runs an effect that must not happen twice. Without `callMs`, the effect takes no time and is not counted. */
async function effect(name) {
  if (callMs === undefined) return name
  process.send({ event: 'call' })
  await pause()
  await pool.query('insert into effects (contestant, effect) values ($1, $2)', [contestant.name, name])
  await pause()
  return name
}

const answers = {
  name: () => contestant.name,
  prepare: () => contestant.prepare?.(settings),
  async open() {
    opened = await contestant.open({ ...settings, effect })
    return { port: opened.port, hasPlain: opened.plain !== undefined }
  },
  start: (...args) => opened.start(...args),
  finish: (...args) => opened.finish(...args),
  load,
  times,
  approvals,
}

/** Starts runs until the time is over, `parallel` runs at a time, and at least one run. Returns the number of runs per second. */
async function load({ prefix, script, expected, milliseconds = 0, parallel = 1 }) {
  const started = performance.now()
  let runs = 0
  const lane = async () => {
    do {
      runs += 1
      const handle = await opened.start(`${prefix}-${runs}`, script)
      requireText(await opened.finish(handle, script), expected)
    } while (performance.now() < started + milliseconds)
  }
  await Promise.all(Array.from({ length: parallel }, lane))
  return (runs * 1000) / (performance.now() - started)
}

/** Returns the milliseconds of each of `count` sequential runs. */
async function times({ prefix, script, expected, count, isPlain }) {
  const all = []
  for (let run = 1; run <= count; run += 1) {
    const started = performance.now()
    const finish = async () => opened.finish(await opened.start(`${prefix}-${run}`, script), script)
    requireText(await (isPlain ? opened.plain(script) : finish()), expected)
    all.push(performance.now() - started)
  }
  return all
}

/** Returns the milliseconds between the approval and the end of each of `count` runs. */
async function approvals({ prefix, count }) {
  const all = []
  for (let run = 1; run <= count; run += 1) {
    const call = `refund ${prefix}-${run}`
    const answer = await opened.approve(`${prefix}-${run}`, call)
    const started = performance.now()
    requireText(await answer(), call)
    all.push(performance.now() - started)
  }
  return all
}

function requireText(found, expected) {
  if (found !== expected) throw new Error(`${contestant.name} returned '${found}', not '${expected}'.`)
}

process.on('message', async ({ id, type, args }) => {
  try {
    process.send({ id, result: await answers[type](...args) })
  } catch (error) {
    process.send({ id, error: error.stack })
  }
})
// The process must not outlive its parent.
process.once('disconnect', () => process.exit())
process.send({ event: 'loaded' })
