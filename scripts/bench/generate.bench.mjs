// `npm run bench -- generate`: what 500 tools in 50 toolsets with local service clients cost, from generation to the
// consumer's type-check, what a large OpenAPI document costs, and what `defineTool` costs beside the schemas it is given.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure, median } from '../lib/measure.mjs'
import { root } from '../lib/run.mjs'
import { designTypeCheckCase } from './dsl-types.mjs'
import { writeManyTools } from './many-tools.mjs'
import { openApiDocument } from './openapi-document.mjs'

const toolgen = join(root, 'packages/codegen/bin/toolgen.js')
const compilers = { 'TypeScript 5.9': 'typescript', 'TypeScript 7.0': 'typescript-7' }
const rounds = 3

/** Measures and returns the rows of the report; throws when an output is not what it should be. */
export async function benchmark({ log }) {
  // Below `test`, so that the designs resolve the workspace's packages as any project would.
  const folder = join(root, 'test', '.out-bench')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    return [
      ...generation(join(folder, 'many'), log),
      ...openApiDocument(join(folder, 'github'), log),
      ...design(join(folder, 'types'), log),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function generation(folder, log) {
  log('500 tools in 50 toolsets: cold, with nothing changed, and the consumer of the result ...')
  writeManyTools(folder, { toolsets: 50, toolsPerToolset: 10 })
  const generate = () => measure([toolgen, 'generate'], { cwd: folder })
  const cold = median(
    times(rounds, () => {
      forget(folder)
      return generate()
    }),
  )
  const before = readTree(join(folder, 'gen'))
  const warm = median(times(rounds, generate))
  if (readTree(join(folder, 'gen')) !== before) throw new Error('a second generate changed the output')
  const lines = before.split('\n').length
  return [
    row('generate 500 tools, cold', 'toolgen', cold.cpu, 's CPU', { aim: '< 8' }),
    row('generate 500 tools, cold', 'toolgen', cold.peakMiB, 'MiB peak', { aim: '< 350' }),
    row('generate 500 tools, nothing changed', 'toolgen', warm.cpu, 's CPU', { aim: '< 0.6' }),
    row('each further flat tool', 'toolgen', linesPerTool(folder, lines), 'generated lines', { aim: '< 120' }),
    ...consumers(folder, log),
  ]
}

/** How many lines ten more tools in one toolset add, over all files, the lock included. */
function linesPerTool(folder, lines) {
  const more = `${folder}-more`
  writeManyTools(more, { toolsets: 50, toolsPerToolset: 11 })
  measure([toolgen, 'generate'], { cwd: more })
  return (readTree(join(more, 'gen')).split('\n').length - lines) / 50
}

function consumers(folder, log) {
  log('type-checking the consumer of 500 generated tools ...')
  const config = join(folder, 'tsconfig.consumer.json')
  if (!existsSync(config)) throw new Error(`no ${config}`)
  return Object.entries(compilers).map(([name, alias]) => {
    const check = [join(root, 'node_modules', alias, 'bin/tsc'), '--noEmit', '-p', config]
    const { cpu, wall } = median(times(rounds, () => measure(check, { cwd: folder })))
    const aim = alias === 'typescript' ? '< 8' : '< 2'
    return row('type-check a consumer of 500 tools', name, wall, 's', { aim, ratio: cpu, against: 's CPU' })
  })
}

function design(folder, log) {
  log('type-checking 500 schemas with and without defineTool ...')
  const { tools: withTools, schemas: schemasAlone } = designTypeCheckCase(folder, 500)
  return Object.entries(compilers).map(([name, alias]) => {
    const check = (project) =>
      measure([join(root, 'node_modules', alias, 'bin/tsc'), '--noEmit', '-p', project], { cwd: folder })
    const pairs = times(rounds, () => [check(withTools), check(schemasAlone)])
    const [tools, schemas] = [0, 1].map((i) => median(pairs.map((pair) => pair[i])).cpu)
    return row('type-check 500 defineTool', name, tools, 's CPU', {
      ratio: tools / schemas,
      against: 'the schemas alone',
      aim: '≤ 2 ×',
    })
  })
}

const row = (title, contestant, value, unit, more) => ({ case: title, contestant, value, unit, ...more })

const times = (n, make) => Array.from({ length: n }, make)

/** Removes what an earlier generate left, the cache included. */
function forget(folder) {
  for (const path of ['gen', 'node_modules/.cache', '.toolgen'])
    rmSync(join(folder, path), { recursive: true, force: true })
}

/** All files of a folder as one text, in a fixed order. */
function readTree(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => readFileSync(path, 'utf8'))
    .join('')
}
