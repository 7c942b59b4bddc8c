import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { generate } from '@toolgen/codegen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject, type Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { createProject, type Project } from '../cli/project.fixture.js'
import { Random } from '../codec/differential/random.js'
import { likelyValue } from '../codec/differential/random-value.js'
import * as flat from '../goldens/flat/gen/toolsets/orders/codecs.js'
import * as hostile from '../goldens/hostile/gen/toolsets/delete/codecs.js'
import * as nested from '../goldens/nested/gen/toolsets/catalogue/codecs.js'
import { tsc } from '../tsc.js'
import { goldenFiles } from './golden-project.fixture.js'
import strictest from './strictest.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What each way to name modules needs of the compiler; none of them takes JavaScript for a source. */
const forms = [
  { importExtension: '.js', names: ['flat', 'nested', 'hostile'], options: {}, versions: ['5.9', '6.0', '7.0'] },
  {
    importExtension: '.ts',
    names: ['nested'],
    options: { allowImportingTsExtensions: true },
    // Under 5.9 it is checked where it is compiled.
    versions: ['7.0'],
  },
  {
    importExtension: '',
    names: ['nested'],
    options: { module: 'ESNext', moduleResolution: 'bundler' },
    versions: ['5.9', '7.0'],
  },
] as const

/** An application that depends on what the types of the codecs say. */
const consumer = (
  extension: string,
): string => `import { readShelfPayloadCodec } from '../gen/toolsets/catalogue/codecs.js'
import { catalogue, newReadShelfCall, readShelfResultCodec } from '../gen/toolsets/catalogue/index${extension}'

const decoded = readShelfPayloadCodec.decode('{"label":"A"}')
export const label: string = decoded.ok ? decoded.value.label : decoded.issues.map(({ path }) => path).join(' ')
// @ts-expect-error a label is no number
export const wrong: number = decoded.ok ? decoded.value.label : 0
// @ts-expect-error a shelf has a label
export const unlabelled = (): string => readShelfResultCodec.encode({ createdAt: '1970-01-01T00:00:00Z', shelves: [] })
const refused = catalogue.readShelf.payload.decodeValue({ label: 1, filter: { kind: 'weight', atMost: 0 } })
export const issues: string = refused.ok ? '' : refused.issues.map(({ path }) => path).join(' ')
export const text: string = [label, newReadShelfCall({ label: 'B' }).arguments, issues].join(' ')
`
const printed = 'A {"label":"B"} /label /filter/atMost'

const projects = new Map<string, Project>()
beforeAll(async () => {
  for (const { importExtension, names, options } of forms) {
    const compilerOptions = { ...strictest.compilerOptions, ...options }
    const project = createProject({
      'package.json': '{ "private": true, "type": "module" }\n',
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*/gen', '*/src', '*/design/clients.ts'] }),
      ...goldenFiles(names, { importExtension, codecs: 'js' }),
      'nested/src/consumer.ts': consumer(importExtension),
    })
    projects.set(importExtension, project)
    for (const name of names) {
      const { ok, diagnostics } = await generate({ cwd: join(project.root, name), cache: false })
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(ok).toBe(true)
    }
  }
})
afterAll(() => {
  for (const project of projects.values()) project.remove()
})

function projectOf(importExtension: string): Project {
  const project = projects.get(importExtension)
  if (project === undefined) throw new Error(`There is no project with '${importExtension}'.`)
  return project
}

describe.each(forms)('codecs in JavaScript, where files are imported as $importExtension', (form) => {
  const { importExtension } = form

  it.each(form.versions)('type-check by their declarations under TypeScript %s', (version) => {
    expect(tsc(version, projectOf(importExtension).root)).toEqual({ stdout: '', code: 0 })
  })

  it('run through a bundler, which finds the script', async () => {
    const module = pathToFileURL(join(projectOf(importExtension).root, 'nested/src/consumer.ts')).href
    expect((await import(/* @vite-ignore */ module)).text).toBe(printed)
  })
})

/** The command that the documentation gives to copy what the compiler leaves behind. */
const copying = (() => {
  const text = readFileSync(join(root, 'docs/generating.md'), 'utf8')
  const [, script = ''] = /^node -e "(.*cpSync.*)"$/m.exec(text) ?? []
  return script
})()

describe('an application that the compiler writes to a folder', () => {
  it.each([
    ['.js', ['--skipLibCheck']],
    ['.ts', ['--rewriteRelativeImportExtensions']],
  ] as const)('runs under Node with %s, once the scripts are copied there', (importExtension, options) => {
    const project = projectOf(importExtension)
    const emit = ['--noEmit', 'false', '--outDir', 'dist', '--rootDir', '.']
    expect(project.tsc('-p', '.', ...emit, ...options)).toMatchObject({ stdout: '', code: 0 })
    expect(copying).not.toBe('')
    const run = () => project.node(['-e', "import('./dist/nested/src/consumer.js').then((m) => console.log(m.text))"])
    expect(run().stderr).toContain('codecs.js')
    const folders = `'nested/gen', 'dist/nested/gen'`
    expect(project.node(['-e', copying.replace(`'src/gen', 'dist/gen'`, folders)])).toMatchObject({ code: 0 })
    const codecs = 'nested/gen/toolsets/catalogue/codecs'
    for (const end of ['.js', '.d.ts']) {
      expect(project.read(`dist/${codecs}${end}`)).toBe(project.read(`${codecs}${end}`))
    }
    expect(run()).toMatchObject({ stdout: `${printed}\n`, code: 0 })
  })

  it('needs no copying where the compiler takes JavaScript too, whose missing types it forgives', () => {
    const project = projectOf('.js')
    const emit = [
      '--noEmit',
      'false',
      '--isolatedDeclarations',
      'false',
      '--outDir',
      'all',
      '--rootDir',
      '.',
      '--skipLibCheck',
    ]
    expect(project.tsc('-p', '.', ...emit, '--allowJs', '--checkJs')).toMatchObject({ stdout: '', code: 0 })
    const print = "import('./all/nested/src/consumer.js').then((m) => console.log(m.text))"
    expect(project.node(['-e', print])).toMatchObject({ stdout: `${printed}\n`, code: 0 })
  })
})

function definitionsOf(schema: Schema): Readonly<Record<string, Schema>> {
  const defs = isObject(schema) ? schema['$defs'] : undefined
  return isObject(defs) ? (defs as Readonly<Record<string, Schema>>) : {}
}

describe('codecs in JavaScript say what those in TypeScript say', () => {
  it.each([
    ['flat', 'orders', flat],
    ['nested', 'catalogue', nested],
    ['hostile', 'delete', hostile],
  ] as const)('of the golden %s', async (name, toolset, written) => {
    const path = join(projectOf('.js').root, name, 'gen/toolsets', toolset, 'codecs.js')
    const script: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ pathToFileURL(path).href)
    expect(Object.keys(script)).toEqual(Object.keys(written))
    const random = new Random(7)
    const seen = { valid: 0, refused: 0 }
    for (const [name, codec] of Object.entries(written)) {
      const other = script[name] as typeof codec
      expect(other.schema).toEqual(codec.schema)
      const defs = definitionsOf(codec.schema)
      for (let round = 0; round < 200; round += 1) {
        const value = likelyValue(random, { schema: codec.schema, defs }, 6)
        const text = JSON.stringify(value)
        const decoded = codec.decode(text)
        seen[decoded.ok ? 'valid' : 'refused'] += 1
        expect(other.decode(text)).toEqual(decoded)
        expect(other.is(value)).toBe(codec.is(value))
        expect(other.decodeValue(value)).toEqual(codec.decodeValue(value))
        expect(other.encodeValue(value)).toEqual(codec.encodeValue(value))
      }
    }
    expect(Math.min(seen.valid, seen.refused)).toBeGreaterThan(20)
  })
})
