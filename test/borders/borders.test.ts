import { describe, expect, it } from 'vitest'
import { folderOf, localTarget, type SourceFile, sourcesOf } from './source-files.js'

const sources = { dsl: sourcesOf('dsl'), runtime: sourcesOf('runtime'), codegen: sourcesOf('codegen') }

/** The packages that only some rooms of codegen may import, with those rooms. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'ts-morph': ['compiler/', 'service/', 'load/', 'evaluate/'],
  'zod-to-json-schema': ['schema/'],
  zod: ['schema/'],
  ajv: ['schema/'],
  'ajv-formats': ['schema/'],
  handlebars: ['emit/templates'],
  commander: ['cli/'],
  diff: ['write/unified-diff'],
  'gpt-tokenizer': ['tokens/load-counter'],
  jiti: ['evaluate/'],
  yaml: ['import/openapi/'],
  '@scalar/openapi-upgrader': ['import/openapi/'],
}

/** The optional peers of the runtime, with the rooms that may import them: each is a subpath of its own. */
const peerRooms: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry/api': ['otel/'],
  cockatiel: ['resilience/'],
  limiter: ['resilience/'],
  'lru-cache': ['resilience/'],
  openai: ['openai/'],
  ai: ['ai-sdk/'],
  '@openai/agents': ['openai-agents/'],
  '@langchain/core': ['langchain/'],
  '@modelcontextprotocol/sdk': ['mcp/'],
}

/** The modules of Node that one room of the runtime may import: tests run in Node, applications anywhere. */
const nodeRooms: Readonly<Record<string, readonly string[]>> = {
  'node:async_hooks': ['testing/'],
  'node:child_process': ['mcp/'],
  'node:crypto': ['testing/', 'mcp/', 'session-postgres/'],
  'node:fs': ['session-postgres/'],
  'node:fs/promises': ['testing/'],
  'node:http': ['mcp/'],
  'node:os': ['session-postgres/'],
  'node:path': ['testing/'],
  'node:stream': ['mcp/'],
}
const subpathRooms = { ...peerRooms, ...nodeRooms }
const roomsWithNeeds = [...new Set(Object.values(subpathRooms).flat())]

/** Between load and compare nothing touches the world; the two exceptions read what belongs to codegen itself. */
const pure = /^(schema|ir|emit|diagnostics)\//
const readsItsOwnFiles = ['emit/templates.ts']

describe('the borders of the packages', () => {
  it('finds the sources it speaks of', () => {
    for (const files of Object.values(sources)) expect(files.length).toBeGreaterThan(3)
  })

  it('dsl imports nothing', () => {
    expect(packagesOf(sources.dsl)).toEqual([])
  })

  it('the runtime imports no package, not even of Node, but for what its subpaths need', () => {
    const strangers = sources.runtime.flatMap((file) =>
      file.imports
        .filter(({ specifier }) => !specifier.startsWith('.'))
        .filter(
          ({ specifier }) =>
            !(subpathRooms[specifier] ?? subpathRooms[packageName(specifier)] ?? []).some((room) =>
              file.path.startsWith(room),
            ),
        )
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    )
    expect(strangers).toEqual([])
  })

  it('nothing of the runtime imports a room with such needs, but for its own entry', () => {
    const borrowed = sources.runtime.flatMap((file) =>
      file.imports
        .map(({ specifier }) => localTarget(file, specifier))
        .filter((target) => target !== undefined)
        .filter((target) => {
          const room = roomsWithNeeds.find((room) => target.startsWith(room))
          return room !== undefined && !file.path.startsWith(room) && file.path !== `${room.slice(0, -1)}.ts`
        })
        .map((target) => `${file.path} imports ${target}`),
    )
    expect(borrowed).toEqual([])
  })

  it('codegen imports the dsl by type alone and never the runtime', () => {
    const ours = sources.codegen.flatMap((file) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith('@toolgen/'))
        .filter(({ specifier, typeOnly }) => specifier !== '@toolgen/dsl' || !typeOnly)
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    )
    expect(ours).toEqual([])
  })

  it('each package that codegen uses is imported in its own rooms alone', () => {
    const strangers = sources.codegen.flatMap((file) =>
      file.imports
        .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .filter(({ specifier }) => !specifier.startsWith('@toolgen/'))
        .filter(({ specifier }) => !(rooms[packageName(specifier)] ?? []).some((room) => file.path.startsWith(room)))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    )
    expect(strangers).toEqual([])
  })

  it('between load and compare there is no file system, clock, process or randomness', () => {
    const worldly = sources.codegen
      .filter(({ path }) => pure.test(path) && !readsItsOwnFiles.includes(path))
      .flatMap((file) => [
        ...file.imports
          .filter(({ specifier, typeOnly }) => /^node:(?!crypto$)/.test(specifier) && !typeOnly)
          .map(({ specifier }) => `${file.path} imports ${specifier}`),
        ...[
          ...code(file).matchAll(
            /\b(Date\.now|new Date\(\)|Math\.random|process\.[a-z]|performance\.[a-z]|randomUUID)/g,
          ),
        ].map(([found]) => `${file.path} uses ${found}`),
      ])
    expect(worldly).toEqual([])
  })

  it.each(Object.entries(sources))('the folders of %s depend on each other without circles', (_, files) => {
    expect(circles(folderGraph(files))).toEqual([])
  })

  it.each(Object.entries(sources))('the files of %s import values of each other without circles', (_, files) => {
    expect(circles(fileGraph(files))).toEqual([])
  })
})

function packagesOf(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    file.imports
      .filter(({ specifier }) => !specifier.startsWith('.'))
      .map(({ specifier }) => `${file.path} imports ${specifier}`),
  )
}

const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** A file's text without comments and without what stands in single quotes. */
const code = ({ text }: SourceFile): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''")

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function folderGraph(files: readonly SourceFile[]): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files)
    for (const { specifier } of file.imports) {
      const target = localTarget(file, specifier)
      const [from, to] = [folderOf(file.path), target === undefined ? undefined : folderOf(target)]
      if (to === undefined || from === to || from === '.' || to === '.') continue
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  return graph
}

function fileGraph(files: readonly SourceFile[]): Graph {
  return new Map(
    files.map((file) => [
      file.path.replace(/\.ts$/, ''),
      new Set(
        file.imports
          .filter(({ typeOnly }) => !typeOnly)
          .map(({ specifier }) => localTarget(file, specifier))
          .filter((target) => target !== undefined),
      ),
    ]),
  )
}

/** Every circle once, as `a → b → a`. */
function circles(graph: Graph): readonly string[] {
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
