import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localTarget, type SourceFile, sourcesOf, subsystemOf } from './source-files.js'

const sources = {
  dsl: sourcesOf('dsl'),
  runtime: sourcesOf('runtime'),
  codegen: sourcesOf('codegen'),
  studio: sourcesOf('studio'),
}

/** The packages that the generator uses, with the subsystems or files that may import them. */
const codegenPackages: Readonly<Record<string, readonly string[]>> = {
  'ts-morph': ['services/', 'load/tsconfig.ts'],
  '@jridgewell/remapping': ['load/compiler.ts'],
  'oxc-parser': ['load/'],
  'oxc-transform': ['load/compiler.ts', 'emit/syntax-gate.ts'],
  'zod-to-json-schema': ['schema/libraries/'],
  zod: ['schema/libraries/'],
  handlebars: ['emit/generated-file.ts'],
  commander: ['cli/'],
  diff: ['output/drift.ts'],
  'gpt-tokenizer': ['tokens/'],
  jiti: ['load/'],
  yaml: ['imports/'],
  '@scalar/openapi-upgrader': ['imports/'],
}

/** The entries of the runtime that the generator uses, with the subsystems or files that may import them. */
const codegenEntries: Readonly<Record<string, readonly string[]>> = {
  '@toolgen/runtime/schema': [''],
  '@toolgen/runtime/projections': ['emit/agent.ts', 'tokens/'],
}

/** The entries of the runtime, with the packages and modules of Node that they may load. All others load none. */
const entryNeeds: Readonly<Record<string, readonly string[]>> = {
  'ai-sdk.ts': ['ai'],
  'anthropic.ts': ['@anthropic-ai/sdk'],
  'code-mode.ts': [
    'minisearch',
    ...['async_hooks', 'child_process', 'events', 'fs/promises', 'module', 'process', 'url', 'worker_threads'].map(
      (name) => `node:${name}`,
    ),
  ],
  'gemini.ts': ['@google/genai'],
  'langchain.ts': ['@langchain/core'],
  'mcp.ts': [
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    'jose',
    ...['child_process', 'crypto', 'fs/promises', 'http', 'os', 'path', 'stream', 'stream/promises'].map(
      (name) => `node:${name}`,
    ),
  ],
  'openai-agents.ts': ['@openai/agents'],
  'openai.ts': ['openai'],
  'otel.ts': ['@opentelemetry/api'],
  'resilience.ts': ['cockatiel', 'limiter', 'lru-cache'],
  'postgres.ts': ['node:crypto', 'node:fs', 'node:os'],
  'restate.ts': ['@restatedev/restate-sdk', 'node:crypto', 'node:timers/promises'],
  'secretlint.ts': ['@secretlint/core', '@secretlint/secretlint-rule-preset-recommend'],
  'tool-search.ts': ['minisearch'],
  'testing.ts': ['node:async_hooks', 'node:crypto', 'node:fs/promises', 'node:path'],
}

/** Subsystems without side effects; the exceptions read files that belong to codegen itself. */
const pure = /^(schema|ir|emit|diagnostics|codecs)\//
const readsOwnFiles = ['emit/generated-file.ts']

/** The modules of a generator subsystem that other subsystems may import: its interface. */
const interfaces: Readonly<Record<string, readonly string[]>> = {
  codecs: ['code.ts', 'compile-codecs.ts', 'fill.ts'],
  contracts: ['change.ts', 'compare.ts', 'rules.ts'],
  dev: [...['call-tool.ts', 'dev-project.ts', 'installed-runtime.ts', 'run-agent.ts', 'serve.ts', 'served-module.ts']],
  diagnostics: ['diagnostic.ts', 'near-names.ts'],
  docs: ['catalogue.ts'],
  emit: ['emit-design.ts', 'layout.ts', 'syntax-gate.ts'],
  lint: ['lint-design.ts'],
  output: ['drift.ts', 'files.ts', 'lock.ts', 'output.ts', 'publish.ts'],
  services: ['bind-services.ts', 'plan.ts', 'service-memory.ts'],
  tokens: ['measure.ts', 'vendor-forms.ts'],
  watch: ['watch-project.ts', 'watched-files.ts'],
}

/** The modules of a runtime subsystem that other subsystems may import; entries import any. */
const runtimeInterfaces: Readonly<Record<string, readonly string[]>> = {
  adapters: ['framework-tools.ts', 'vendor-errors.ts'],
  layers: ['registration.ts'],
  mcp: [],
  projections: [
    'anthropic.ts',
    'gemini.ts',
    'mcp.ts',
    'openai-strict.ts',
    'openai.ts',
    'restore-arguments.ts',
    'schemas.ts',
  ],
  sessions: [
    ...['conversation.ts', 'entries.ts', 'session-request.ts', 'session-tools.ts', 'stores.ts', 'streaming-call.ts'],
  ],
  testing: [],
}

/** The folders below a subsystem that may exist. */
const nestedFolders = ['cli/commands', 'schema/libraries']

describe('package boundaries', () => {
  it('reads the sources of every package', () => {
    for (const files of Object.values(sources)) expect(files.length).toBeGreaterThan(3)
  })

  it('dsl imports no package', () => {
    expect(sources.dsl.flatMap((file) => packagesOf(file).map((name) => `${file.path} imports ${name}`))).toEqual([])
  })

  it('the server of the studio imports the runtime, hono and modules of Node', () => {
    const used = new Set(sources.studio.flatMap(packagesOf).filter((name) => !name.startsWith('node:')))
    expect([...used].sort()).toEqual(['@hono/node-server', '@toolgen/runtime', 'hono'])
  })

  it.each(
    sources.runtime.filter(({ path }) => !path.includes('/') || path === 'codegen/v1.ts').map(({ path }) => path),
  )('the runtime entry %s loads only the packages that it needs', (entry) => {
    const allowed = entryNeeds[entry] ?? []
    const loaded = closureOf(entry, sources.runtime).flatMap((file) =>
      packagesOf(file)
        .filter((name) => !allowed.includes(name))
        .map((name) => `${file.path} imports ${name}`),
    )
    expect(loaded).toEqual([])
  })

  it('codegen imports only types of the dsl, and of the runtime only its JSON Schema engine and declarations', () => {
    const ours = sources.codegen.flatMap((file) =>
      file.imports
        .filter(
          ({ specifier }) =>
            specifier.startsWith('@toolgen/') &&
            !(codegenEntries[specifier] ?? []).some((owner) => file.path.startsWith(owner)),
        )
        .filter(({ specifier, typeOnly }) => specifier !== '@toolgen/dsl' || !typeOnly)
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    )
    expect(ours).toEqual([])
  })

  it('each package that codegen uses is imported only by the subsystems that own it', () => {
    const misplaced = sources.codegen.flatMap((file) =>
      packagesOf(file)
        .filter((name) => !name.startsWith('node:') && !name.startsWith('@toolgen/'))
        .filter((name) => !(codegenPackages[name] ?? []).some((owner) => file.path.startsWith(owner)))
        .map((name) => `${file.path} imports ${name}`),
    )
    expect(misplaced).toEqual([])
  })

  it('pure subsystems use no file system, clock, process or randomness', () => {
    const impure = sources.codegen
      .filter(({ path }) => pure.test(path) && !readsOwnFiles.includes(path))
      .flatMap((file) => [
        ...file.imports
          .filter(({ specifier, typeOnly }) => /^node:(?!crypto$)/.test(specifier) && !typeOnly)
          .map(({ specifier }) => `${file.path} imports ${specifier}`),
        ...[
          ...codeOf(file).matchAll(
            /\b(Date\.now|new Date\(\)|Math\.random|process\.[a-z]|performance\.[a-z]|randomUUID)/g,
          ),
        ].map(([found]) => `${file.path} uses ${found}`),
      ])
    expect(impure).toEqual([])
  })

  // V8 allocates such functions in its old space. There, they keep the memory of a call or run until a full garbage collection.
  it.each(['adapters', 'agents', 'call', 'executors', 'layers'])(
    'no file of %s assigns a new function to a property',
    (subsystem) => {
      const assignments = sources.runtime
        .filter(({ path }) => subsystemOf(path) === subsystem)
        .flatMap((file) =>
          [
            ...codeOf(file).matchAll(
              /[\w)\]]\??(?:\.#?\w+|\[\w+\]) (?:\?\?)?= (?:async )?(?:\([^()]*\)|\w+)(?:: [^=;]+)? =>/g,
            ),
          ].map(([found]) => `${file.path} contains ${found}`),
        )
      expect(assignments).toEqual([])
    },
  )

  it.each(Object.entries(sources))('the subsystems of %s form an acyclic graph, types included', (_, files) => {
    expect(cyclesOf(graphOf(files, subsystemOf))).toEqual([])
  })

  it.each(Object.entries(sources))('the files of %s form an acyclic graph, types included', (_, files) => {
    expect(cyclesOf(graphOf(files, (path) => path))).toEqual([])
  })

  it.each(Object.entries(interfaces))('other subsystems import %s only through its interface', (subsystem, modules) => {
    expect(modulesUsedOutside(subsystem, sources.codegen)).toEqual(modules.map((name) => `${subsystem}/${name}`))
  })

  it.each(Object.entries(runtimeInterfaces))(
    'other subsystems import %s only through its interface',
    (subsystem, modules) => {
      expect(sources.runtime.some(({ path }) => subsystemOf(path) === subsystem)).toBe(true)
      const used = modulesUsedOutside(
        subsystem,
        sources.runtime.filter(({ path }) => path.includes('/')),
      )
      expect(used).toEqual(modules.map((name) => `${subsystem}/${name}`))
    },
  )

  it.each(Object.entries(sources))('the subsystems of %s have no folders of their own', (_, files) => {
    const folders = new Set(files.map(({ path }) => posix.dirname(path)).filter((folder) => folder.includes('/')))
    expect([...folders].filter((folder) => !nestedFolders.includes(folder))).toEqual([])
  })
})

/** Returns the packages and modules of Node that a file imports. */
function packagesOf(file: SourceFile): readonly string[] {
  return file.imports
    .map(({ specifier }) => specifier)
    .flatMap((specifier) => {
      if (specifier.startsWith('.')) return []
      return [specifier.startsWith('node:') ? specifier : packageName(specifier)]
    })
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Returns a file and all files that it imports, directly or indirectly. */
function closureOf(entry: string, files: readonly SourceFile[]): readonly SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const closure = new Set<SourceFile>()
  const pending = [byPath.get(entry)]
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (closure.has(file)) continue
    closure.add(file)
    for (const { specifier } of file.imports) {
      const target = byPath.get(localTarget(file, specifier) ?? '')
      if (target !== undefined) pending.push(target)
    }
  }
  return [...closure]
}

/** Returns the files of a subsystem that files outside it import, sorted. */
function modulesUsedOutside(subsystem: string, files: readonly SourceFile[]): readonly string[] {
  const outside = files.filter(({ path }) => subsystemOf(path) !== subsystem)
  const targets = outside.flatMap((file) => file.imports.map(({ specifier }) => localTarget(file, specifier) ?? ''))
  return [...new Set(targets)].filter((path) => path.includes('/') && subsystemOf(path) === subsystem).sort()
}

/** Returns the text of a file without comments and without the content of strings in single quotes. */
function codeOf({ text }: SourceFile): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function graphOf(files: readonly SourceFile[], nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const from = nodeOf(file.path)
    const targets = graph.get(from) ?? new Set()
    graph.set(from, targets)
    for (const { specifier } of file.imports) {
      const target = localTarget(file, specifier)
      if (target !== undefined && nodeOf(target) !== from) targets.add(nodeOf(target))
    }
  }
  return graph
}

/** Returns each cycle once, as `a → b → a`. */
function cyclesOf(graph: Graph): readonly string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const walk = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node)
    if (start >= 0) {
      found.add([...trail.slice(start), node].join(' → '))
      return
    }
    if (done.has(node)) return
    for (const next of graph.get(node) ?? []) walk(next, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) walk(node, [])
  return [...found]
}
