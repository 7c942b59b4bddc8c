// Compares the cost of GitHub's OpenAPI document. toolgen imports the document and generates codecs, specs and calls. openapi-ts generates types, a
// client and Zod schemas. openapi-typescript generates only types.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { measure, minimum } from '../lib/measure.mjs'
import { root } from '../lib/run.mjs'
import { atMost, below, skipped } from './report.mjs'
import { compilers, runNode, toolgen } from './workspace.mjs'

const data = process.env.TOOLGEN_DATA || join(root, '../shared/data')
const archive = join(data, 'openapi/github.json.gz')
const operations = 1223
const packages = join(root, 'scripts/bench/node_modules')

const files = {
  'package.json': '{ "type": "module" }',
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts' })`,
  'design/agents.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { github } from './github.openapi.js'
export const all = defineAgent('all', { description: 'Has all operations.', uses: [fromOpenApi(github)] })`,
  'tsconfig.json': JSON.stringify({
    extends: '../../generated-code/strictest.json',
    compilerOptions: { skipLibCheck: true },
    include: ['gen'],
  }),
  'openapi-ts.config.mjs': `export default {
  input: './github.json', output: './hey', logs: { level: 'silent' },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod'],
}`,
}

/** Functions that measure the contestants, by name. */
const contestants = {
  toolgen: byToolgen,
  'openapi-typescript, only types': byOpenApiTypescript,
  '@hey-api/openapi-ts with Zod': byOpenApiTs,
}
const [own, onlyTypes, withZod] = Object.keys(contestants)

/**
 * Returns rows of CPU time and memory. Without the document, all values are skipped; without a package, only its values. The contestants with similar
 * times alternate in each round, because the speed of a machine changes within minutes.
 */
export function openApiDocument({ folder, rounds, log }) {
  const title = `import and generate GitHub's ${operations.toLocaleString('en')} operations`
  const samples = Object.fromEntries(Object.keys(contestants).map((contestant) => [contestant, []]))
  const reasons = Object.fromEntries(Object.keys(contestants).map((contestant) => [contestant, missing(contestant)]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [contestant, generate] of Object.entries(contestants)) {
      if (contestant === withZod && round > 1) continue
      if (reasons[contestant] !== undefined) continue
      log(`${title}: ${contestant} ...`)
      writeProject(folder)
      samples[contestant].push(generate(folder))
    }
  }
  const measured = Object.entries(reasons).map(([contestant, reason]) => {
    if (reason === undefined) return { contestant, ...minimum(samples[contestant]) }
    log(`${title}: ${contestant} is skipped: ${reason}`)
    return { contestant, cpu: skipped(reason), peakMiB: skipped(reason) }
  })
  const cpuAims = [atMost(8), below(1, withZod), atMost(1.05, onlyTypes)]
  return measured.flatMap(({ contestant, cpu, peakMiB }) => {
    const isOwn = contestant === own
    const row = { case: title, contestant, against: onlyTypes }
    return [
      { ...row, value: cpu, unit: 's CPU', aims: isOwn ? cpuAims : [] },
      { ...row, value: peakMiB, unit: 'MiB peak', aims: isOwn ? [atMost(400)] : [] },
    ]
  })
}

function missing(contestant) {
  if (!existsSync(archive)) return 'set TOOLGEN_DATA (no openapi/github.json.gz)'
  const name = { [withZod]: '@hey-api/openapi-ts', [onlyTypes]: 'openapi-typescript' }[contestant]
  return name === undefined || existsSync(join(packages, name)) ? undefined : `${name} is not installed`
}

function writeProject(folder) {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(join(folder, 'github.json'), gunzipSync(readFileSync(archive)))
}

/** After the measurement, checks that every operation is a tool and that the generated code compiles with the strictest options. */
function byToolgen(folder) {
  const options = { cwd: folder, memory: true }
  const imported = measure([toolgen, 'import', 'openapi', 'github', '--from', 'github.json'], options)
  const generated = measure([toolgen, 'generate', '--no-cache'], options)
  const { tools } = JSON.parse(runNode([toolgen, 'generate', '--json'], { cwd: folder }))
  if (tools !== operations) throw new Error(`toolgen generated ${tools} of ${operations} operations`)
  runNode([...compilers['TypeScript 7.0'], '-p', '.'], { cwd: folder })
  return { cpu: imported.cpu + generated.cpu, peakMiB: Math.max(imported.peakMiB, generated.peakMiB) }
}

function byOpenApiTs(folder) {
  const measured = measure([join(packages, '@hey-api/openapi-ts/dist/run.mjs')], { cwd: folder, memory: true })
  if (!readdirSync(join(folder, 'hey')).includes('zod.gen.ts')) throw new Error('openapi-ts wrote no Zod schemas')
  return measured
}

function byOpenApiTypescript(folder) {
  const args = [join(packages, 'openapi-typescript/bin/cli.js'), 'github.json', '-o', 'types.d.ts']
  const measured = measure(args, { cwd: folder, memory: true })
  const size = statSync(join(folder, 'types.d.ts')).size
  if (size < 1_000_000) throw new Error(`openapi-typescript wrote only ${size} bytes`)
  return measured
}
