import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GenerateResult, generate as runGenerate } from '@toolgen/codegen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
/** Prints the address of every module that is resolved, also within modules of packages. */
const tracer = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  import Module from 'node:module'
  const load = Module._load
  Module._load = function (request, ...rest) { process.stderr.write('LOADED ' + request + '\\n'); return load.call(this, request, ...rest) }
  const hook = "import { writeSync } from 'node:fs'\\n" +
    "export async function resolve(specifier, context, next) { const found = await next(specifier, context); writeSync(2, 'LOADED ' + found.url + '\\\\n'); return found }"
  register('data:text/javascript,' + encodeURIComponent(hook))
`)}`

let project: Project
beforeAll(async () => {
  project = createProject({
    ...smallProject,
    'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
import { pattern } from './config-parts.js'
// one

export default defineConfig({ design: pattern })
`,
    'config-parts.ts': `// one\nexport const pattern = 'design/**/*.ts'\n`,
    'package.json': '{ "private": true, "type": "module", "name": "a" }\n',
    'design/lib/script.js': `export { old } from './old.cjs'\nexport const young = 'young'\n`,
    'design/lib/old.cjs': `exports.old = 'old'\n`,
    'design/lib/leaf.mjs': `export const leaf = 'leaf'\n`,
    'design/words.json': '{ "about": "Look up orders." }\n',
  })
  const orders = project
    .read('design/orders.ts')
    .replace(`'Look up orders.'`, `[words.about, old, young, leaf].join(' ')`)
  const scripts = `import { old, young } from './lib/script.js'\nimport { leaf } from './lib/leaf.mjs'\n`
  project.write({ 'design/orders.ts': `import words from './words.json' with { type: 'json' }\n${scripts}${orders}` })
  await settle()
})
afterAll(() => project.remove())

const generate = (): Promise<GenerateResult> => runGenerate({ cwd: project.root })

/**
 * Runs until a run finds nothing to do. The first runs make folders, which is a change in itself, and other tests may
 * change files of the linked packages at the same time.
 */
async function settle(): Promise<void> {
  for (let runs = 0; runs < 40; runs += 1) if ((await generate()).recalled) return
  expect.fail('never recalled')
}

const loadedBy = (...args: readonly string[]): readonly string[] =>
  project
    .node(['--import', tracer, toolgenCommand, ...args])
    .stderr.split('\n')
    .flatMap((line) => (line.startsWith('LOADED ') ? [line.slice(7)] : []))

const heavy = /jiti|oxc-|typescript|zod|handlebars|ajv|\/design\/|toolgen\.config/

describe('what is loaded', () => {
  it('is neither design nor schema library nor compiler when nothing changed', async () => {
    const loaded = loadedBy('generate')
    expect(loaded.filter((name) => /(?:dist\/run-record|bundle\/generate)\.js$/.test(name))).not.toEqual([])
    expect(loaded.filter((name) => heavy.test(name))).toEqual([])
  })

  it('is all of it when the cache is not wanted, so that the trace can be trusted', async () => {
    const loaded = loadedBy('generate', '--no-cache')
    for (const name of ['jiti', 'oxc-transform', 'ts-morph']) expect(loaded.join('\n')).toContain(name)
  })

  it.each([['--version'], ['--help'], ['generate', '--help'], ['explain', 'TG5001']])('is little for %j', (...args) => {
    const loaded = loadedBy(...args)
    expect(loaded.filter((name) => /\/codegen\/bin\//.test(name))).not.toEqual([])
    expect(loaded.filter((name) => heavy.test(name))).toEqual([])
  })
})

describe('an edit of any input is seen', () => {
  /** Replaces text by text of the same length and sets the file's time back, the hardest edit to see. */
  const edited = async (path: string, from: string, to: string): Promise<void> => {
    const file = join(project.root, path)
    const { atime, mtime } = statSync(file)
    const text = project.read(path)
    expect(to.length).toBe(from.length)
    expect(text).toContain(from)
    writeFileSync(file, text.replace(from, to))
    utimesSync(file, atime, mtime)
    await isSeen()
  }

  /** The next run does the work, and leaves a state in which nothing is to be done again. */
  const isSeen = async (): Promise<void> => {
    expect(await generate()).toMatchObject({ recalled: false, ok: true })
    await settle()
  }

  it('a design module', () => edited('design/orders.ts', 'Fetch one order', 'Fetch an order.'))
  it('a module that the design imports', () => edited('design/fields.ts', 'Order number', 'Order letter'))
  it('a JavaScript module that the design imports', () => edited('design/lib/script.js', `'young'`, `'other'`))
  it('a CommonJS module that the design imports', () => edited('design/lib/old.cjs', `'old'`, `'two'`))
  it('a module with its own extension', () => edited('design/lib/leaf.mjs', `'leaf'`, `'tree'`))
  it('a JSON file that the design imports', () => edited('design/words.json', 'Look up', 'Find my'))
  it('the configuration', () => edited('toolgen.config.ts', '// one', '// two'))
  it('a module that the configuration imports', () => edited('config-parts.ts', '// one', '// two'))
  it('the type of a client', () => edited('src/orders-client.ts', 'status: string', 'status: number'))
  it('the compiler options', () => edited('tsconfig.json', 'ES2022', 'ES2023'))
  it('a manifest', () => edited('package.json', '"a"', '"b"'))

  it('a module that the design might import, or that the pattern finds', async () => {
    project.write({ 'design/new/more.ts': 'export const more = 1\n' })
    await isSeen()
  })

  it('what is installed', async () => {
    project.write({ 'node_modules/.package-lock.json': '{}' })
    await isSeen()
  })

  it('a JavaScript module that is replaced by a TypeScript module', async () => {
    const path = 'design/lib/script'
    const text = project.read(`${path}.js`)
    project.write({ [`${path}.js`]: undefined, [`${path}.ts`]: text.replace(/'[^']*'\n$/, `'typed'\n`) })
    await isSeen()
    expect(project.read('gen/toolgen.lock.json')).toContain('two typed tree')
    project.write({ [`${path}.js`]: text, [`${path}.ts`]: undefined })
    await isSeen()
  })

  it('a module that takes the place of the index of a folder', async () => {
    const orders = project.read('design/orders.ts')
    project.write({
      'shared/label/index.ts': `export const label = 'from the folder'\n`,
      'design/orders.ts': `import { label } from '../shared/label'\n${orders.replace('[words.about,', '[words.about, label,')}`,
    })
    await isSeen()
    project.write({ 'shared/label.ts': `export const label = 'from the file'\n` })
    await isSeen()
    expect(project.read('gen/toolgen.lock.json')).toContain('from the file')
    project.write({ 'shared/label.ts': undefined, 'design/orders.ts': orders })
    await isSeen()
  })

  it('the lock, and a generated file that is missing', async () => {
    project.write({ 'gen/toolgen.lock.json': project.read('gen/toolgen.lock.json').replace('{', '{ ') })
    await isSeen()
    project.write({ 'gen/toolsets/orders/types.ts': undefined })
    await isSeen()
    expect(project.has('gen/toolsets/orders/types.ts')).toBe(true)
  })

  it('a generated file that was changed by hand', async () => {
    const path = 'gen/toolsets/orders/types.ts'
    const text = project.read(path)
    project.write({ [path]: `${text}// mine\n` })
    expect(await generate()).toMatchObject({ recalled: false, upToDate: false, ok: false })
    project.write({ [path]: text })
    await settle()
  })

  it('a file in place of the output folder', async () => {
    rmSync(join(project.root, 'gen'), { recursive: true })
    project.write({ gen: 'mine' })
    const { code, stderr } = project.toolgen('generate')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.not.stringContaining('TG9') })
    project.write({ gen: undefined })
    await settle()
  })

  it('but not a checkout that turns line ends into CRLF', async () => {
    for (const path of ['gen/toolsets/orders/types.ts', 'design/fields.ts', 'gen/toolgen.lock.json']) {
      project.write({ [path]: project.read(path).replaceAll('\n', '\r\n') })
    }
    expect(await generate()).toMatchObject({ recalled: true, upToDate: true, ok: true })
  })
})

it('an edit of compiler options that a tsconfig extends is seen without a service client, also in a package and after a comment', async () => {
  const base = (lib: string): string => `{ "compilerOptions": { "lib": ["${lib}"] } }\n`
  const other = createProject({
    'package.json': '{ "type": "module" }\n',
    'toolgen.config.ts': `export default { design: 'design.ts' }\n`,
    'tsconfig.json': `{
  // "extends": "./none.json"
  "extends": ["./base.json", "@acme/options/base"],
  "compilerOptions": { "module": "nodenext" }
}
`,
    'base.json': base('ES2022'),
    'node_modules/@acme/options/base.json': base('ES2022'),
    'design.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'
const ping = defineTool({ description: 'Ping.', payload: z.object({}), result: z.object({}) })
export const orders = defineToolset('orders', { description: 'Orders.', tools: { ping } })
`,
  })
  const run = (): Promise<GenerateResult> => runGenerate({ cwd: other.root })
  const settled = (): Promise<void> => expect.poll(async () => (await run()).recalled).toBe(true)
  await settled()
  for (const path of ['base.json', 'node_modules/@acme/options/base.json']) {
    other.write({ [path]: base('ES2023') })
    expect({ path, ...(await run()) }).toMatchObject({ path, recalled: false, ok: true })
    await settled()
  }
  other.remove()
})

describe('a run is up to date exactly when it wrote and removed nothing', () => {
  it('also when all the work was done again', async () => {
    expect(await runGenerate({ cwd: project.root, cache: false })).toMatchObject({ upToDate: true, recalled: false })
  })

  it('not when the lock alone was written', async () => {
    const lock = 'gen/toolgen.lock.json'
    for (const [text, force] of [
      [undefined, false],
      ['<<<<<<< ours', true],
    ] as const) {
      project.write({ [lock]: text })
      const result = await runGenerate({ cwd: project.root, force })
      expect(result).toMatchObject({ ok: true, upToDate: false, written: [], removed: [] })
      expect(project.has(lock)).toBe(true)
    }
    project.write({ [lock]: undefined })
    expect(project.toolgen('generate').stderr).toMatch(/^generated: gen, toolgen\.lock\.json written, 9 unchanged;/m)
    await settle()
  })
})

describe('a cache that cannot be written', () => {
  it('costs time and nothing else', async () => {
    const [folder] = readdirSync(join(project.root, 'node_modules/.cache/toolgen'))
    const services = join(project.root, 'node_modules/.cache/toolgen', folder ?? '', 'service-binding.json')
    rmSync(services)
    mkdirSync(services)
    project.write({ 'design/fields.ts': project.read('design/fields.ts').replace('minLength: 1', 'minLength: 2') })
    expect(await generate()).toMatchObject({ ok: true, upToDate: false })
    // What nothing can be told of is not recalled either.
    expect(await generate()).toMatchObject({ ok: true, upToDate: true, recalled: false })
    rmSync(services, { recursive: true })
    await settle()
  })
})

describe('a design that depends on more than files', () => {
  it.each([
    `import { readFileSync } from 'node:fs'\nexport const orderId = { description: String(readFileSync) }`,
    `export const orderId = { description: process.env['USER'] ?? 'x' }`,
    `const name = './words.json'\nawait import(name, { with: { type: 'json' } })\nexport const orderId = { type: 'string' }`,
  ])('is evaluated every time: %j', async (text) => {
    const before = project.read('design/fields.ts')
    project.write({ 'design/fields.ts': text })
    for (let runs = 0; runs < 2; runs += 1) expect(await generate()).toMatchObject({ recalled: false, ok: true })
    project.write({ 'design/fields.ts': before })
  })
})
