import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Runtime } from '@toolgen/runtime'
import { codeMode } from '@toolgen/runtime/code-mode'
import { root } from '../../lib/run.mjs'
import { testModule } from '../../lib/test-module.mjs'
import { forked } from '../forked.mjs'
import { installPeers } from '../install-peers.mjs'
import { atLeast, skipped } from '../report.mjs'
import { loadedPlans } from './plans.mjs'

const program = new URL('./contestant-process.mjs', import.meta.url)
const seed = 1

/** Version of Node that the peers need. */
export const PEERS_NODE = 22

/** Runs correct programs, and programs with one mistake, in all contestants. */
export async function mutationRows({ quick, log }) {
  const title = 'programs with one mistake'
  const { missing, judged, parts, close } = await loadedPlans()
  if (missing) return [{ case: title, contestant: 'toolgen', value: skipped(missing), unit: '%' }]
  try {
    const { mutantsOf, uncaughtKind } = await testModule('code-mode/plans/mutations.ts')
    const groups = groupsOf(judged, mutantsOf, quick)
    const results = [['toolgen', await ownOutcomes(groups, parts)], ...(await peerOutcomes(groups, log))]
    return results.flatMap(([contestant, outcomes]) => rowsOf(contestant, outcomes, uncaughtKind))
  } finally {
    await close()
  }
}

/** Returns programs grouped by specification: correct programs (kind `correct`) and programs with one mistake. */
function groupsOf(judged, mutantsOf, quick) {
  const groups = new Map()
  for (const [at, { tools, hint, program: parts, code }] of judged.entries()) {
    if (hint !== '') continue
    const group = groups.get(tools) ?? { tools, programs: [] }
    groups.set(tools, group)
    const mutants = mutantsOf(parts, tools, seed + at)
    const chosen = quick ? mutants.filter((_, index) => index % 40 === at % 40) : mutants
    group.programs.push({ kind: 'correct', code }, ...chosen)
  }
  return [...groups.values()]
}

async function ownOutcomes(groups, parts) {
  const { fakesOf } = await testModule('code-mode/plans/verdicts.ts')
  const outcomes = []
  for (const { tools, programs } of groups) {
    const { tools: bound, calls } = fakesOf(tools)
    const own = new Runtime().registerToolset(codeMode(bound, { ...parts, comments: 'none' }))
    for (const { kind, code } of programs) {
      calls.length = 0
      const outcome = await own.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
      outcomes.push({ kind, ok: outcome.status === 'completed', calls: calls.length })
    }
  }
  return outcomes
}

async function peerOutcomes(groups, log) {
  const { node, contestants } = await installPeers('code-mode', PEERS_NODE)
  const samples = pathToFileURL(join(root, 'test/code-mode/plans/samples.ts')).href
  const results = []
  for (const contestant of contestants) {
    const process = forked(program, [contestant, samples], node)
    try {
      const { name } = await process.message()
      log(`${name} ...`)
      const outcomes = []
      for (const { tools, programs } of groups) {
        process.request({ type: 'mutants', specs: [...tools.values()], codes: programs.map(({ code }) => code) })
        const { result, error } = await process.message()
        if (error) throw new Error(error)
        for (const [at, outcome] of result.entries()) {
          const { kind, code } = programs[at]
          outcomes.push({ ...outcome, kind })
          if (kind === 'correct' && !outcome.ok) log(`${name} rejects a correct program: ${outcome.message}\n${code}`)
        }
      }
      results.push([name, outcomes])
    } finally {
      process.stop()
    }
  }
  return results
}

function rowsOf(contestant, outcomes, uncaughtKind) {
  const isOwn = contestant === 'toolgen'
  const share = (list, matches) => (100 * list.filter(matches).length) / list.length
  const isStopped = ({ ok, calls }) => !ok && calls === 0
  const of = (kind) => outcomes.filter((each) => each.kind === kind)
  const mistakes = outcomes.filter(({ kind }) => kind !== 'correct' && kind !== uncaughtKind)
  const kinds = [...new Set(mistakes.map(({ kind }) => kind))]
  const row = (title, value, unit, ...aims) => ({ case: title, contestant, value, unit, aims })
  const stopped = '% stopped before the first effect'
  return [
    row(
      'correct programs',
      share(of('correct'), ({ ok }) => ok),
      '% completed',
      isOwn ? atLeast(100) : undefined,
    ),
    row(
      'programs with one mistake',
      mistakes.length,
      'programs',
      isOwn && mistakes.length > 500 ? atLeast(3_000) : undefined,
    ),
    row('programs with one mistake', share(mistakes, isStopped), stopped, isOwn ? atLeast(99) : undefined),
    row(
      'programs with one mistake',
      share(mistakes, ({ ok, calls }) => !ok && calls > 0),
      '% failed after effects',
    ),
    row(
      'programs with one mistake',
      share(mistakes, ({ ok }) => ok),
      '% completed',
    ),
    ...kinds.map((kind) => row(`${kind} (${of(kind).length})`, share(of(kind), isStopped), stopped)),
    row(`${uncaughtKind} (${of(uncaughtKind).length}), not counted above`, share(of(uncaughtKind), isStopped), stopped),
  ]
}
