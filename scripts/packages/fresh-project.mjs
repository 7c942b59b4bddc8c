import { copyFileSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { captured } from './captured.mjs'
import { installers } from './installers.mjs'
import { typeChecks } from './type-checks.mjs'

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** Expected output of the example of `toolgen init`. */
const PRINTED =
  'This is the cheapest: {"items":[{"id":"I-3","name":"Cup","price":6.2}]}\n' +
  'I-3 Cup: 6.2 euros\nI-1 Lamp: 19.5 euros\nThere is no item I-99. Try another way.\n'

/**
 * Installs the packed packages in a new folder and uses them like a user: first without, then with the optional peer dependencies. If `isThorough`
 * is set, also checks the types of all entries, which takes long. Returns the steps: name, success, duration in seconds, and the output of a failed
 * step.
 */
export function useInFreshProject({ installer, node, folder, packed, entries, isThorough, log }) {
  mkdirSync(folder, { recursive: true })
  const project = { cwd: realpathSync(folder), node, packed }
  const steps = []
  for (const { name, run } of plan(installers[installer], { project, entries, isThorough })) {
    const start = performance.now()
    const { code, output, note } = run()
    const step = { name, ok: code === 0, seconds: (performance.now() - start) / 1000, ...(note && { note }) }
    steps.push(code === 0 ? step : { ...step, output })
    log(`  ${name}, ${step.seconds.toFixed(1)} s: ${code === 0 ? (note ?? 'ok') : `failed\n${output}`}`)
    if (code !== 0 && name.startsWith('install')) break
  }
  return { project, steps }
}

function plan({ install, command }, { project, entries, isThorough }) {
  const run = (name, ...args) => {
    const [program, ...first] = command(name)
    return () => captured(program, [...first, ...args], project)
  }
  return [
    { name: 'install', run: () => install(project, dependencies()) },
    { name: 'imports without peers', run: () => imports(project, entries, false) },
    { name: 'toolgen init', run: run('toolgen', 'init', '--yes') },
    { name: 'create-toolgen', run: run('create-toolgen', '--from', 'mcp', '--dir', 'created', '--yes') },
    { name: 'toolgen generate', run: run('toolgen', 'generate') },
    { name: 'toolgen check', run: run('toolgen', 'check') },
    ...typeChecks(project, 'types of the example', isThorough),
    { name: 'the example runs', run: () => runExample(project) },
    { name: 'install with peers', run: () => install(project, { ...dependencies(), ...peers() }) },
    { name: 'imports with peers', run: () => imports(project, entries, true) },
    ...(isThorough ? [{ name: 'a module that imports all', run: () => importAll(project, entries) }] : []),
    ...(isThorough ? typeChecks(project, 'types of all entries', true) : []),
  ]
}

/** Returns the dependencies of the project, in the versions of this repository. */
function dependencies() {
  const { typescript, 'typescript-7': typescript7, '@types/node': types } = manifestOf('.').devDependencies
  const { zod } = manifestOf('packages/dsl').devDependencies
  return { typescript, 'typescript-7': typescript7, '@types/node': types, zod }
}

function peers() {
  const { peerDependencies, devDependencies } = manifestOf('packages/runtime')
  return Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, devDependencies[name]]))
}

/** Imports all entries. Without its peer dependency, an entry must fail with an error of Node that names the package. */
function imports(project, entries, hasPeers) {
  copyFileSync(join(root, 'scripts/packages/probe.mjs'), join(project.cwd, 'probe.mjs'))
  const { code, stdout, output } = captured('node', ['probe.mjs', ...entries.map(({ entry }) => entry)], project)
  if (code !== 0) return { code, output }
  const outcomes = JSON.parse(stdout)
  const isRight = ({ entry, peers, needs }) => {
    const outcome = outcomes[entry]
    const needed = needs.filter((name) => peers.includes(name))
    if (hasPeers || needed.length === 0) return outcome === true
    return needed.some((name) => String(outcome).startsWith(`ERR_MODULE_NOT_FOUND: Cannot find package '${name}'`))
  }
  const wrong = entries.filter((each) => !isRight(each)).map(({ entry }) => `${entry}: ${outcomes[entry]}`)
  return { code: wrong.length === 0 ? 0 : 1, output: wrong.join('\n') }
}

function importAll(project, entries) {
  const lines = entries.flatMap(({ entry }, i) => [`import * as entry${i} from '${entry}'`])
  const all = entries.map((_, i) => `entry${i}`).join(', ')
  writeFileSync(
    join(project.cwd, 'src/all.ts'),
    `${lines.join('\n')}\n\nexport const all: readonly object[] = [${all}]\n`,
  )
  return { code: 0, output: '' }
}

function runExample(project) {
  const compiled = captured('node', ['node_modules/typescript-7/bin/tsc', '-p', '.'], project)
  if (compiled.code !== 0) return compiled
  const ran = captured('node', ['dist/src/main.js'], project)
  return { code: ran.code === 0 && ran.stdout === PRINTED ? 0 : 1, output: ran.output }
}
