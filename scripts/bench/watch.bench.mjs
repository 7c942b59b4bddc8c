// `npm run bench -- watch`: time from an edit of one tool of 500 until `toolgen generate --watch` has written the files, and
// the memory of the watching process.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '../lib/measure.mjs'
import { writeManyTools } from './many-tools.mjs'
import { atMost, below, skipped } from './report.mjs'
import { startWatch } from './watched-process.mjs'
import { readTree, toolgen, withFolder } from './workspace.mjs'

export const parts = {
  edits: 'time after an edit of one tool of 500',
  memory: 'growth of the memory over 200 edits',
}

/** Edits of a toolset file of the design: the name, and the replaced text. */
const kinds = [
  { name: 'a description', from: 'Does search with', to: (n) => `Does search ${n} with` },
  { name: 'a field', from: 'The account that owns', to: (n) => `The account ${n} that owns` },
  // Moves the following tools to other lines.
  { name: 'the lines', from: 'Does search with', to: (n) => `Does search ${n}' +${'\n'.repeat(1 + (n % 3))}' with` },
]

/** Measures the parts. Throws if the watching process and a new process of `toolgen generate` write different files. */
export function benchmark({ parts: chosen, quick, log }) {
  return withFolder('test/.out-bench-watch', async (folder) => {
    writeManyTools(folder, { toolsets: 50, toolsPerToolset: 10 })
    log('starting toolgen generate --watch with 500 tools ...')
    const watched = startWatch(folder)
    try {
      await watched.run()
      const rows = []
      if (chosen.includes('edits')) rows.push(...(await edits({ watched, folder, count: quick ? 2 : 20, log })))
      if (chosen.includes('memory')) rows.push(await growth({ watched, folder, count: quick ? 5 : 200, log }))
      compareWithNewProcess(folder)
      return rows
    } finally {
      await watched.end()
    }
  })
}

async function edits({ watched, folder, count, log }) {
  log(`${kinds.length * count} edits of one tool ...`)
  const alone = measure([toolgen, 'generate', '--no-cache'], { cwd: folder })
  const contestants = { watch: 'toolgen generate --watch', alone: 'toolgen generate, new process' }
  const rows = []
  for (const kind of kinds) {
    const title = `edit ${kind.name} of 1 tool of 500`
    await editing({ watched, folder, kind, count: 5 })
    const { wall, cpu } = await editing({ watched, folder, kind, count })
    for (const [unit, own, other, aims] of [
      ['ms wall', wall, alone.wall, [atMost(200)]],
      ['ms CPU', cpu, alone.cpu, []],
    ]) {
      const row = { case: title, unit, against: contestants.alone }
      rows.push({ ...row, contestant: contestants.watch, value: typeof own === 'number' ? own * 1000 : own, aims })
      rows.push({ ...row, contestant: contestants.alone, value: other * 1000 })
    }
  }
  return rows
}

async function growth({ watched, folder, count, log }) {
  log(`memory over ${count} edits ...`)
  const [, kind] = kinds
  await editing({ watched, folder, kind, count: 5 })
  const before = watched.memory()
  await editing({ watched, folder, kind, count })
  const value = before === undefined ? onlyOnLinux : watched.memory() - before
  const title = `growth of the memory over ${count} edits`
  return { case: title, contestant: 'toolgen generate --watch', value, unit: 'MiB', aims: [below(150)] }
}

const onlyOnLinux = skipped('only measured on Linux')

/** Edits one tool repeatedly. Returns the median time until the report, and the CPU time of one edit, in seconds. */
async function editing({ watched, folder, kind: { from, to }, count }) {
  const file = join(folder, 'design', 'orders.ts')
  const text = readFileSync(file, 'utf8')
  const before = watched.cpu()
  const times = []
  for (let n = 0; n < count; n += 1) {
    const started = performance.now()
    writeFileSync(file, text.replace(from, to(n)))
    const { exitCode, written } = await watched.run()
    times.push((performance.now() - started) / 1000)
    if (exitCode !== 0 || written.length === 0) throw new Error('an edit wrote no files')
  }
  const cpu = before === undefined ? onlyOnLinux : (watched.cpu() - before) / count
  writeFileSync(file, text)
  await watched.run()
  return { wall: times.sort((a, b) => a - b)[Math.floor(count / 2)], cpu }
}

function compareWithNewProcess(folder) {
  const before = readTree(join(folder, 'gen'))
  rmSync(join(folder, 'gen'), { recursive: true })
  measure([toolgen, 'generate', '--no-cache'], { cwd: folder })
  if (readTree(join(folder, 'gen')) !== before)
    throw new Error('the watching process wrote other files than a new process')
}
