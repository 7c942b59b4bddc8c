// `npm run bench -- watch`: what an edit of one tool in 500 costs while `toolgen generate --watch` runs, beside a run of a
// process of its own, and whether 200 runs make the watching process larger.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure, median } from '../lib/measure.mjs'
import { root } from '../lib/run.mjs'
import { writeManyTools } from './many-tools.mjs'
import { startWatch } from './watched-process.mjs'

const toolgen = join(root, 'packages/codegen/bin/toolgen.js')
const editsPerKind = 20
const edits = 200

/** Measures and returns the rows of the report; throws when what is watched gives other files than a run for itself. */
export async function benchmark({ log }) {
  // Below `test`, so that the design resolves the workspace's packages as any project would.
  const folder = join(root, 'test', '.out-bench-watch')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    return await watching(folder, log)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function watching(folder, log) {
  log('500 tools in 50 toolsets: one run in a process of its own ...')
  writeManyTools(folder, { toolsets: 50, toolsPerToolset: 10 })
  const cold = measure([toolgen, 'generate', '--no-cache'], { cwd: folder })
  const watched = startWatch(toolgen, folder)
  try {
    await watched.run()
    log(`watched: ${2 * editsPerKind} edits of one tool ...`)
    const kinds = [
      ['a description', 'Does search with', (n) => `Does search ${n} with`],
      ['a field', 'The account that owns', (n) => `The account ${n} that owns`],
    ]
    const rows = []
    for (const [what, from, to] of kinds) {
      await editing(watched, folder, { from, to, count: 5 })
      const { wall, cpu } = await editing(watched, folder, { from, to, count: editsPerKind })
      rows.push(row(`edit ${what} of 1 tool in 500, watched`, wall * 1000, 'ms wall', { aim: '< 300' }))
      rows.push(
        row(`edit ${what} of 1 tool in 500, watched`, cpu * 1000, 'ms CPU', {
          ratio: cold.cpu / cpu,
          against: 'less than a run of its own',
        }),
      )
    }
    rows.unshift(row('generate 500 tools, a process of its own', cold.wall * 1000, 'ms wall'))
    log(`${edits} edits more ...`)
    const before = watched.memory()
    const [, from, to] = kinds[1]
    await editing(watched, folder, { from, to, count: edits })
    const grown = watched.memory() - before
    rows.push(row(`growth over ${edits} runs, watched`, grown, 'MiB', { aim: '< 150' }))
    compareWithOwnRun(folder)
    return rows
  } finally {
    await watched.end()
  }
}

/** Edits one tool again and again; the median of the times until the report, and the processor time of one edit. */
async function editing(watched, folder, { from, to, count }) {
  const file = join(folder, 'design', 'orders.ts')
  const text = readFileSync(file, 'utf8')
  const before = watched.cpu()
  const times = []
  for (let n = 0; n < count; n += 1) {
    const started = performance.now()
    writeFileSync(file, text.replace(from, to(n)))
    const { exitCode, written } = await watched.run()
    times.push({ cpu: 0, peakMiB: 0, wall: (performance.now() - started) / 1000 })
    if (exitCode !== 0 || written.length === 0) throw new Error('an edit wrote nothing')
  }
  const cpu = (watched.cpu() - before) / count
  writeFileSync(file, text)
  await watched.run()
  return { wall: median(times).wall, cpu }
}

function compareWithOwnRun(folder) {
  const before = readTree(join(folder, 'gen'))
  rmSync(join(folder, 'gen'), { recursive: true })
  measure([toolgen, 'generate', '--no-cache'], { cwd: folder })
  if (readTree(join(folder, 'gen')) !== before) throw new Error('watching gave other files than a run of its own')
}

const row = (title, value, unit, more) => ({ case: title, contestant: 'toolgen', value, unit, ...more })

/** All files of a folder as one text, in a fixed order. */
function readTree(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('')
}
