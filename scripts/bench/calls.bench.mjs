// `npm run bench -- calls [--only call,layers,parallel,runs,kept]`: what a tool call through the runtime costs, what
// layers add, and what whole runs cost, in time and when they are kept, beside the AI SDK, the OpenAI agents and LangChain.
// scripts/bench/calls/README.md tells how it measures.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { compileStock } from './calls/generated-stock.mjs'

/** Each part with the line that announces it; loaded when the toolset is there. */
const parts = {
  call: 'one call after the other ...',
  layers: 'calls with pass-through layers ...',
  parallel: 'calls at once ...',
  runs: 'whole runs with a fake model ...',
  kept: 'runs that are kept ...',
}

/** Measures and returns the rows of the report; throws when a call or a run does not do what it should. */
export async function benchmark({ log }) {
  const wanted = wantedParts(process.argv)
  const folder = join(root, 'scripts/bench/.out-calls')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // As applications run; some of the contestants check more without it.
  process.env.NODE_ENV = 'production'
  // What sends traces in the contestants where the environment asks for it.
  process.env.LANGSMITH_TRACING = 'false'
  process.env.LANGCHAIN_TRACING_V2 = 'false'
  process.env.OPENAI_AGENTS_DISABLE_TRACING = '1'
  try {
    log('generating and compiling a toolset ...')
    compileStock(folder)
    const { callRows, layerRows, parallelRows } = await import('./calls/single-rows.mjs')
    const { runRows } = await import('./calls/run-rows.mjs')
    const { keptRows } = await import('./calls/kept-rows.mjs')
    const measures = { call: callRows, layers: layerRows, parallel: parallelRows, runs: runRows, kept: keptRows }
    const rows = []
    for (const part of wanted) {
      log(parts[part])
      rows.push(...(await measures[part]()))
    }
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The parts that `--only` names, else all. */
function wantedParts(argv) {
  const names = Object.keys(parts)
  const place = argv.indexOf('--only')
  if (place < 0) return names
  const wanted = (argv[place + 1] ?? '').split(',')
  const strange = wanted.filter((name) => !names.includes(name))
  if (strange.length > 0) throw new Error(`--only takes ${names.join(',')}, not ${strange.join(',')}`)
  return names.filter((name) => wanted.includes(name))
}
