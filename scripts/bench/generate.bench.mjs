// `npm run bench -- generate`: cost of starting the command, of generating code, and of type-checking designs and output.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure, minimum } from '../lib/measure.mjs'
import { installers } from '../packages/installers.mjs'
import { pack } from '../packages/pack.mjs'
import { designTypeCheckCase } from './dsl-types.mjs'
import { writeManyTools } from './many-tools.mjs'
import { openApiDocument } from './openapi-document.mjs'
import { atMost, below } from './report.mjs'
import { compilers, readTree, repeated, toolgen, withFolder } from './workspace.mjs'

/** Path of the command in a project with installed packages. */
const installed = 'node_modules/@toolgen/codegen/bin/toolgen.js'

export const parts = {
  startup: '`toolgen --help` and `toolgen --version`',
  small: 'a design with one tool',
  many: 'a design with 500 tools in 50 toolsets',
  consumer: 'type-check of code that uses 500 generated tools',
  openapi: "GitHub's OpenAPI document, compared with two other generators",
  types: 'type-check of 500 `defineTool`',
}

/**
 * Measures the parts. Each value is the minimum of several runs. The projects of `small` and `many` have installed packages, because toolgen loads and
 * watches more files of packages that are linked from a workspace.
 */
export function benchmark({ parts: chosen, quick, log }) {
  const rounds = quick ? 1 : 3
  const has = (part) => chosen.includes(part)
  return withFolder('test/.out-bench', async (folder) => {
    const path = (name) => join(folder, name)
    const rows = []
    const packed = has('small') || has('many') || has('consumer') ? await pack(path('tarballs')) : []
    const write = (project, size) => {
      writeManyTools(project, size)
      installers.links.install({ cwd: project, packed }, {})
    }
    if (has('startup')) rows.push(...startup({ cwd: folder, rounds: quick ? 1 : 7, log }))
    if (has('small')) {
      write(path('small'), { toolsets: 1, toolsPerToolset: 1 })
      rows.push(...small({ folder: path('small'), rounds, log }))
    }
    if (has('many') || has('consumer')) {
      const project = path('many')
      write(project, { toolsets: 50, toolsPerToolset: 10 })
      log('generating the code of 500 tools ...')
      measure([installed, 'generate'], { cwd: project })
      if (has('many')) rows.push(...many({ folder: project, rounds, log }))
      if (has('consumer')) rows.push(...consumer({ folder: project, rounds, log }))
    }
    if (has('openapi')) rows.push(...openApiDocument({ folder: path('github'), rounds, log }))
    if (has('types')) rows.push(...types({ folder: path('types'), rounds, log }))
    return rows
  })
}

function startup({ cwd, rounds, log }) {
  log('toolgen --help, toolgen --version, node -e 0 ...')
  const commands = { '--help': [toolgen, '--help'], '--version': [toolgen, '--version'], node: ['-e', '0'] }
  const samples = repeated(rounds, () =>
    Object.fromEntries(Object.entries(commands).map(([name, args]) => [name, measure(args, { cwd, count: 10 })])),
  )
  const milliseconds = (name) => minimum(samples.map((sample) => sample[name])).cpu * 1000
  const reference = 'node -e 0'
  return ['--help', '--version'].flatMap((option) => {
    const row = { case: `toolgen ${option}`, unit: 'ms CPU' }
    return [
      { ...row, contestant: 'toolgen', value: milliseconds(option), aims: [atMost(1.2, reference)] },
      { ...row, contestant: reference, value: milliseconds('node') },
    ]
  })
}

function small({ folder, rounds, log }) {
  log('a design with one tool ...')
  const { cpu } = minimum(repeated(rounds, () => generateCold(folder)))
  return [row('generate 1 tool, cold', cpu, 's CPU', atMost(0.7))]
}

function many({ folder, rounds, log }) {
  log('500 tools in 50 toolsets: cold, then with nothing changed ...')
  const cold = minimum(repeated(rounds, () => generateCold(folder, { memory: true })))
  const before = readTree(join(folder, 'gen'))
  const unchanged = minimum(repeated(rounds, () => measure([installed, 'generate'], { cwd: folder })))
  if (readTree(join(folder, 'gen')) !== before) throw new Error('a second run changed the output')
  return [
    row('generate 500 tools, cold', cold.cpu, 's CPU', atMost(4.5)),
    row('generate 500 tools, cold', cold.peakMiB, 'MiB peak', atMost(300)),
    row('generate 500 tools, nothing changed', unchanged.cpu, 's CPU', atMost(0.15)),
    row('one more tool without nested objects', linesPerTool(folder), 'generated lines', below(120)),
  ]
}

/** Runs `toolgen generate` without the output and the cache of earlier runs. */
function generateCold(folder, options) {
  for (const path of ['gen', 'node_modules/.cache', '.toolgen'])
    rmSync(join(folder, path), { recursive: true, force: true })
  return measure([installed, 'generate'], { cwd: folder, ...options })
}

/** Returns the number of lines per tool: adds a tool to each of 50 toolsets and counts the new lines in `gen`, without `api.ts`. */
function linesPerTool(folder) {
  const larger = `${folder}-larger`
  writeManyTools(larger, { toolsets: 50, toolsPerToolset: 11 })
  measure([toolgen, 'generate'], { cwd: larger })
  const isCode = (path) => !path.endsWith('api.ts')
  const lines = (project) => readTree(join(project, 'gen'), isCode).split('\n').length
  return (lines(larger) - lines(folder)) / 50
}

function consumer({ folder, rounds, log }) {
  log('type-checking code that uses 500 generated tools ...')
  const aims = { 'TypeScript 5.9': atMost(6), 'TypeScript 7.0': atMost(1.2) }
  return Object.entries(compilers).flatMap(([compiler, tsc]) => {
    const check = () => measure([...tsc, '--noEmit', '-p', 'tsconfig.consumer.json'], { cwd: folder })
    const { cpu, wall } = minimum(repeated(rounds, check))
    const title = `type-check a consumer of 500 tools, ${compiler}`
    return [row(title, wall, 's wall', aims[compiler]), row(title, cpu, 's CPU')]
  })
}

function types({ folder, rounds, log }) {
  log('type-checking 500 tools, and their schemas alone ...')
  const projects = designTypeCheckCase(folder, 500)
  return Object.entries(compilers).flatMap(([compiler, tsc]) => {
    const check = (project) => measure([...tsc, '--noEmit', '-p', project], { cwd: folder })
    // The compiler with several threads is fast, but its CPU time varies more.
    const count = compiler === 'TypeScript 7.0' ? rounds * 3 : rounds
    const pairs = repeated(count, () => [check(projects.tools), check(projects.schemas)])
    const [tools, schemas] = [0, 1].map((index) => minimum(pairs.map((pair) => pair[index])).cpu)
    const common = { case: `type-check the design of 500 tools, ${compiler}`, unit: 's CPU' }
    return [
      { ...common, contestant: 'defineTool', value: tools, aims: [atMost(2, 'schemas alone')] },
      { ...common, contestant: 'schemas alone', value: schemas },
    ]
  })
}

const row = (title, value, unit, aim) => ({ case: title, contestant: 'toolgen', value, unit, aims: [aim] })
