import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, Reader, withoutTimes } from './reader.js'

/** What `npm run packages -- --json` prints, as far as it is read here. */
interface Report {
  readonly packages: readonly {
    readonly package: string
    readonly version: string
    readonly paths: readonly string[]
  }[]
  readonly entries: readonly Entry[]
  readonly projects: readonly {
    readonly installer: string
    readonly steps: readonly { readonly name: string; readonly ok: boolean; readonly output?: string }[]
  }[]
  readonly problems: readonly string[]
}

interface Entry {
  readonly entry: string
  readonly conditions: readonly string[]
  readonly peers: readonly string[]
  readonly needs: readonly string[]
  readonly functionsNeed: readonly string[]
  readonly threadsNeed: readonly string[]
  readonly typesNeed: readonly string[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const beside = mkdtempSync(join(tmpdir(), 'toolgen-packed-'))
const folder = join(beside, 'packed')
let report: Report

beforeAll(() => {
  const args = ['scripts/packages.mjs', '--only', 'lint,links', '--json', '--keep', folder]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (!stdout.startsWith('{')) throw new Error(`npm run packages: ${stderr}`)
  report = JSON.parse(stdout)
})

afterAll(() => rmSync(beside, { recursive: true, force: true }))

describe('the packed packages', () => {
  it('have nothing that publint, "are the types wrong" or a user would stumble over', () => {
    expect(report.problems).toEqual([])
  })

  it.each(['dsl', 'runtime', 'codegen', 'studio', 'create-toolgen'])(
    '%s holds what was built of its sources, and nothing else',
    (name) => {
      const folders = {
        dsl: ['skills'],
        codegen: ['bin', 'bundle', 'schemas', 'templates'],
        'create-toolgen': ['bin'],
        studio: ['assets'],
      }[name]
      const files = { dsl: ['llms.txt'], runtime: ['llms.txt'], codegen: ['llms.txt', 'diagnostics.md'] }[name]
      // The bundle has the code of the generator.
      const kinds = name === 'codegen' ? ['.d.ts'] : ['.d.ts', '.js']
      const expected = [
        ...(files ?? []),
        ...['LICENSE', 'README.md', 'package.json'],
        ...(folders ?? []).flatMap((each) => below(`packages/${name}/${each}`).map((path) => `${each}/${path}`)),
        ...below(`packages/${name}/src`)
          .filter((path) => !/\.(test|test-d|fixture)\.ts$/.test(path))
          .flatMap((path) => kinds.map((kind) => `dist/${path.replace(/\.ts$/, kind)}`)),
      ]
      const { paths } = found(report.packages, (each) => [name, `@toolgen/${name}`].includes(each.package))
      const packed = expected.filter((path) => !path.endsWith('/inputs.json'))
      expect([...paths].filter((path) => path !== 'CHANGELOG.md').sort()).toEqual(packed.sort())
    },
  )

  it('name no folder of the machine that built them, and no address of a workspace', () => {
    for (const { package: name, version } of report.packages) {
      const tarball = join(folder, 'tarballs', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
      const text = execFileSync('tar', ['-xzOf', tarball], { encoding: 'utf8', maxBuffer: 2 ** 26 })
      for (const path of [root.replace(/\/$/, ''), folder]) expect(text).not.toContain(`${path}/`)
      const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
      expect(manifest).not.toContain('workspace:')
    }
  })

  it('can be imported by these entries; those of the runtime need their own peers and nothing else', () => {
    for (const { needs, functionsNeed, threadsNeed, peers } of report.entries.filter(isOfRuntime)) {
      expect([...needs, ...functionsNeed, ...threadsNeed].sort()).toEqual(peers)
    }
    expect(report.entries.map(({ entry, peers }) => [entry, ...peers])).toEqual([
      ['@toolgen/dsl'],
      ['@toolgen/runtime'],
      ['@toolgen/runtime/agents'],
      ['@toolgen/runtime/chat'],
      ['@toolgen/runtime/sessions'],
      ['@toolgen/runtime/schema'],
      ['@toolgen/runtime/metrics'],
      ['@toolgen/runtime/codegen/v1'],
      ['@toolgen/runtime/projections'],
      ['@toolgen/runtime/errors'],
      ['@toolgen/runtime/otel', '@opentelemetry/api'],
      ['@toolgen/runtime/anthropic', '@anthropic-ai/sdk'],
      ['@toolgen/runtime/gemini', '@google/genai'],
      ['@toolgen/runtime/openai', 'openai'],
      ['@toolgen/runtime/ai-sdk', 'ai'],
      ['@toolgen/runtime/openai-agents', '@openai/agents'],
      ['@toolgen/runtime/langchain', '@langchain/core'],
      ['@toolgen/runtime/secretlint', '@secretlint/core', '@secretlint/secretlint-rule-preset-recommend'],
      ['@toolgen/runtime/mcp', '@modelcontextprotocol/client', '@modelcontextprotocol/server', 'jose'],
      ['@toolgen/runtime/openapi'],
      ['@toolgen/runtime/resilience', 'cockatiel', 'limiter', 'lru-cache'],
      ['@toolgen/runtime/code-mode', '@typescript/typescript6', 'isolated-vm', 'quickjs-emscripten', 'typescript'],
      ['@toolgen/runtime/tool-search', 'minisearch'],
      ['@toolgen/runtime/postgres'],
      ['@toolgen/runtime/durable'],
      ['@toolgen/runtime/restate', '@restatedev/restate-sdk'],
      ['@toolgen/runtime/testing'],
      ['@toolgen/codegen'],
      ['@toolgen/studio'],
    ])
  })

  it('have types first in each entry, and types that need no package which the entry does not need', () => {
    for (const { entry, conditions, needs, typesNeed } of report.entries) {
      expect(conditions).toEqual(['types', 'default'])
      const allowed = entry === '@toolgen/codegen' ? Object.keys(manifestOf('codegen').dependencies) : needs
      expect(allowed).toEqual(expect.arrayContaining([...typesNeed]))
    }
  })

  it('let nobody import a file that is no entry', () => {
    const inside = "import('@toolgen/runtime/dist/index.js').catch((error) => console.log(error.code))"
    const project = found(readdirSync(folder), (name) => name.startsWith('links-'))
    const { stdout } = spawnSync(process.execPath, ['-e', inside], { cwd: join(folder, project), encoding: 'utf8' })
    expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  it('work in an empty folder, from `toolgen init` to the program that runs', () => {
    const { steps } = found(report.projects, ({ installer }) => installer === 'links')
    expect(steps.map(({ name, ok, output }) => [name, ok ? 'went well' : output])).toEqual(
      [
        'install',
        'imports without peers',
        'toolgen init',
        'create-toolgen',
        'toolgen generate',
        'toolgen check',
        'types of the example, TypeScript 7, nodenext',
        'the example runs',
        'install with peers',
        'imports with peers',
      ].map((name) => [name, 'went well']),
    )
  })
})

describe('the pages from which a reader starts', () => {
  let reader: Reader
  beforeAll(async () => {
    const project = found(readdirSync(folder), (name) => name.startsWith('links-'))
    reader = new Reader(beside, join(folder, project, 'node_modules'))
    await reader.ready()
  })
  afterAll(() => reader.close())

  // In this order: getting started continues in the project of the page before.
  it.each(['start-mcp', 'start-openapi', 'start-ai-sdk', 'start-service', 'getting-started'])(
    '%s shows what its commands print',
    (name) => {
      const page = pageOf(`docs/${name}.md`)
      for (const { language, text, printed } of blocksOf(page)) {
        if (language === 'ts') reader.write(text)
        else if (text !== packing) expect(withoutTimes(reader.run(text, printed))).toBe(withoutTimes(printed ?? ''))
      }
    },
  )

  it.each(['start-mcp', 'start-openapi', 'start-ai-sdk', 'start-service'])(
    '%s has at most 300 words without code',
    (name) => {
      const prose = pageOf(`docs/${name}.md`).replaceAll(/^```[\s\S]*?^```$/gm, '')
      expect(prose.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(300)
    },
  )

  it('pack the packages with options of the script, as the README does', () => {
    const help = spawnSync(process.execPath, ['scripts/packages.mjs', '--help'], { cwd: root, encoding: 'utf8' })
    expect(help).toMatchObject({ status: 0, stderr: '' })
    for (const option of ['--only pack', '--keep FOLDER']) expect(help.stdout).toContain(option)
    expect(blocksOf(pageOf('docs/getting-started.md'))[0]?.text).toBe(packing)
    for (const command of [packing, 'init --dir ../my-agent --yes', 'npm install ../packed/tarballs/toolgen-*.tgz']) {
      expect(pageOf('README.md')).toContain(command)
    }
  })
})

it('create-toolgen runs toolgen init, with its own name in the help', () => {
  const program = join(root, 'packages/create-toolgen/bin/create-toolgen.js')
  const { stdout } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' })
  expect(stdout).toContain('Usage: create-toolgen [options]')
  expect(stdout).toContain('\n  create-toolgen --dir my-agent --yes ')
  expect(stdout).not.toContain('toolgen init')
})

describe('the manifests', () => {
  it('make every peer optional and pin it for development within its own range', () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = manifestOf('runtime')
    const names = Object.keys(peerDependencies)
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(names.map((name) => [name, { optional: true }])))
    expect(new Set(report.entries.filter(isOfRuntime).flatMap(({ peers }) => peers))).toEqual(new Set(names))
    for (const name of names) expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('are of one version', () => {
    expect(new Set(report.packages.map(({ version }) => version)).size).toBe(1)
  })
})

const packing = 'npm run packages -- --only pack --keep ../packed'

const pageOf = (path: string): string => readFileSync(join(root, path), 'utf8')

const isOfRuntime = ({ entry }: Entry): boolean => entry.startsWith('@toolgen/runtime')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
}

function below(path: string): readonly string[] {
  if (!existsSync(join(root, path))) return []
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, path).length + 1))
}

function found<T>(all: readonly T[], isIt: (each: T) => boolean): T {
  const one = all.find(isIt)
  if (one === undefined) throw new Error('the report of the packages is not complete')
  return one
}
