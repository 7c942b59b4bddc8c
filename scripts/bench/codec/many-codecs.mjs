import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure, minimum } from '../../lib/measure.mjs'
import { writeManyTools } from '../many-tools.mjs'
import { atMost } from '../report.mjs'
import { compilers, repeated, runNode, toolgen } from '../workspace.mjs'
import { configText } from './compiled-modules.mjs'
import { codecFiles, sizeRows } from './generated-size.mjs'

/** Values of the option `codecs`, with the aims for the compilers in seconds of wall time. */
const forms = {
  ts: { files: '.ts', aims: { 'TypeScript 5.9': atMost(8), 'TypeScript 7.0': atMost(2) } },
  js: { files: '.js with .d.ts', aims: { 'TypeScript 5.9': atMost(4), 'TypeScript 7.0': atMost(0.6) } },
}
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

/** Measures the time to type-check the codecs and types of 500 tools, as `.ts` and as `.js` with `.d.ts`. */
export function typeCheckRows({ folder, rounds, log }) {
  return Object.entries(forms).flatMap(([codecs, { files, aims }]) => {
    const project = join(folder, `many-${codecs}`)
    log(`type-checking 500 tools with codecs: '${codecs}' ...`)
    const toolsets = generateToolsets(project, { toolsets: 50, toolsPerToolset: 10, codecs })
    // If a `.js` file has a `.d.ts`, the compiler reads only the `.d.ts`.
    const checked = toolsets.flatMap(codecFiles).filter((file) => file.endsWith('.ts'))
    writeFileSync(join(project, 'tsconfig.codecs.json'), JSON.stringify({ compilerOptions, files: checked }))
    return Object.entries(compilers).flatMap(([compiler, tsc]) => {
      const check = () => measure([...tsc, '--noEmit', '-p', 'tsconfig.codecs.json'], { cwd: project })
      const { cpu, wall } = minimum(repeated(rounds, check))
      const row = { case: `type-check the codecs of 500 tools (${files}), ${compiler}`, contestant: 'toolgen' }
      return [
        { ...row, value: wall, unit: 's wall', aims: [aims[compiler]] },
        { ...row, value: cpu, unit: 's CPU' },
      ]
    })
  })
}

/** Returns the size of one tool of the same design in a toolset without other tools. */
export function flatToolSize({ folder }) {
  const [toolset] = generateToolsets(join(folder, 'flat'), { toolsets: 1, toolsPerToolset: 1, codecs: 'ts' })
  return sizeRows({ title: 'without nested objects', toolset, aims: [atMost(9), atMost(2.5)] })
}

/** Generates toolsets without an agent and returns their folders. */
function generateToolsets(project, { codecs, ...size }) {
  writeManyTools(project, size)
  rmSync(join(project, 'design/assistant.ts'))
  rmSync(join(project, 'design/clients.ts'))
  writeFileSync(join(project, 'toolgen.config.ts'), configText({ design: 'design/*.ts', codecs }))
  runNode([toolgen, 'generate'], { cwd: project })
  const folder = join(project, 'gen/toolsets')
  return readdirSync(folder).map((name) => join(folder, name))
}
