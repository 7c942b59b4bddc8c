import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure, median } from '../../lib/measure.mjs'
import { root } from '../../lib/run.mjs'
import { writeManyTools } from '../many-tools.mjs'
import { configText } from './compiled-modules.mjs'
import { codecFiles, sizeRows } from './generated-size.mjs'

const compilers = { 'TypeScript 5.9': 'typescript', 'TypeScript 7.0': 'typescript-7' }
const forms = [
  { codecs: 'ts', aims: ['≤ 8', '≤ 2'] },
  { codecs: 'js', aims: ['≤ 4', '≤ 0.6'] },
]
const rounds = 3
const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023'],
  types: [],
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
  declaration: true,
  skipLibCheck: true,
  noEmit: true,
}

/** What a compiler needs to check the codecs and types of 500 tools, as `.ts` and as `.js` with `.d.ts`. */
export function typeCheckRows({ folder, log }) {
  return forms.flatMap((form) => {
    const project = join(folder, `many-${form.codecs}`)
    log(`type-checking 500 tools with codecs: '${form.codecs}' ...`)
    const { refusal, toolsets } = generateToolsets(project, { toolsets: 50, toolsPerToolset: 10, codecs: form.codecs })
    return refusal === undefined ? checkedRows(form, project, toolsets) : skipped(form, refusal)
  })
}

/** The size of a tool of the same design, alone in its toolset. */
export function flatToolSize({ folder }) {
  const { toolsets } = generateToolsets(join(folder, 'flat'), { toolsets: 1, toolsPerToolset: 1, codecs: 'ts' })
  return sizeRows({ title: 'a flat tool of the design of 500', toolset: toolsets[0] })
}

/**
 * Generates toolsets without an agent; returns their folders, or as `refusal` what the configuration says against the
 * form of codecs.
 */
function generateToolsets(project, { codecs, ...size }) {
  writeManyTools(project, size)
  rmSync(join(project, 'design/assistant.ts'))
  rmSync(join(project, 'design/clients.ts'))
  // The default is not named, so that it is measured as whoever says nothing gets it.
  writeFileSync(
    join(project, 'toolgen.config.ts'),
    configText({ design: 'design/*.ts', ...(codecs === 'ts' ? {} : { codecs }) }),
  )
  const command = [join(root, 'packages/codegen/bin/toolgen.js'), 'generate']
  const child = spawnSync(process.execPath, command, { cwd: project, encoding: 'utf8' })
  const output = `${child.stdout}${child.stderr}`
  if (child.status === 0) {
    const folder = join(project, 'gen/toolsets')
    return { toolsets: readdirSync(folder).map((name) => join(folder, name)) }
  }
  const refused = codecs !== 'ts' && child.status === 2 && output.split('\n').find((line) => line.includes('codecs'))
  if (!refused) throw new Error(`toolgen generate ended with ${child.status}:\n${output.slice(0, 4000)}`)
  return { refusal: refused.replace(/^.* error /, '') }
}

function checkedRows({ codecs, aims }, project, toolsets) {
  const files = toolsets.flatMap(codecFiles)
  // Of a `.js` file with a `.d.ts` beside it, the consumer's compiler reads the `.d.ts`.
  const read = files.filter((file) => file.endsWith('.ts'))
  const config = join(project, 'tsconfig.codecs.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files: read }))
  return Object.entries(compilers).map(([name, alias], index) => {
    const check = [join(root, 'node_modules', alias, 'bin/tsc'), '--noEmit', '-p', config]
    const { cpu, wall } = median(Array.from({ length: rounds }, () => measure(check, { cwd: project })))
    return {
      case: typeCheck(codecs),
      contestant: name,
      value: wall,
      unit: 's',
      ratio: cpu,
      against: 's CPU',
      aim: aims[index],
    }
  })
}

function skipped({ codecs, aims }, refusal) {
  return Object.keys(compilers).map((contestant, index) => ({
    case: typeCheck(codecs),
    contestant,
    value: 'skipped',
    unit: refusal.slice(0, 48),
    aim: aims[index],
  }))
}

const typeCheck = (codecs) => `type-check the codecs of 500 tools, .${codecs === 'ts' ? 'ts' : 'js + .d.ts'}`
