import type { Agent, Toolset, ToolsetExport, ToolsetUse } from '@toolgen/dsl'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../load/load-design.js'
import type { Locations } from '../load/source-positions.js'
import { byCodePoint } from '../text.js'
import { buildAgent, exportersIn } from './build-agent.js'
import { type BuildMemory, builtToolset, createBuildMemory, named } from './build-memory.js'
import type { UnnamedToolset } from './build-toolset.js'
import { mcpNameErrors, nameErrors } from './name-rules.js'
import { mcpServed } from './tool-sources.js'
import type { DesignIr } from './types.js'

export function compileDesign(loaded: LoadedDesign, memory: BuildMemory = createBuildMemory()): Checked<DesignIr> {
  const { locations } = loaded
  const rememberedSource = (toolset: Toolset): boolean => {
    const source = locations.sourceOf(toolset)
    return source !== undefined && memory.built.get(toolset)?.source === source
  }
  const misshapen = [
    ...loaded.toolsets.flatMap((toolset) => (rememberedSource(toolset) ? [] : toolsetShapeErrors(toolset, locations))),
    ...loaded.agents.flatMap((agent) => agentShapeErrors(agent, locations)),
  ]
  // Further checks of a malformed definition would only report follow-up errors.
  if (misshapen.length > 0) return { diagnostics: misshapen }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byCodePoint(a.name, b.name)
  const diagnostics: Diagnostic[] = [...nameErrors(loaded.toolsets, loaded.agents, locations)]
  const toolsets = new Map<string, UnnamedToolset>()
  const served = mcpServed(loaded.toolsets, loaded.agents)
  for (const value of [...loaded.toolsets].sort(byName)) {
    const built = builtToolset(value, { locations, isServed: served.has(value.name) }, memory.built)
    diagnostics.push(...built.diagnostics, ...mcpNameErrors(value, locations))
    if (!toolsets.has(value.name)) toolsets.set(value.name, built.toolset)
  }
  const exporters = exportersIn(loaded.agents, locations)
  const agents = [...loaded.agents].sort(byName).map((value) => {
    const built = buildAgent(value, { loaded, toolsets, exporters })
    diagnostics.push(...built.diagnostics)
    return built.agent
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return { value: named([...toolsets.values()], agents, memory), diagnostics }
}

type Test = (value: unknown) => string | undefined
type Fields = Readonly<Record<string, Test>>
type Path = readonly (string | number)[]

const isText = (value: unknown): value is string => typeof value === 'string'
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const ownValue = (value: object, key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value

const test =
  (expected: string, isValid: (value: unknown) => boolean): Test =>
  (value) =>
    isValid(value) ? undefined : expected
const optional =
  (inner: Test): Test =>
  (value) =>
    value === undefined ? undefined : inner(value)
const marked = (kind: string, expected: string): Test =>
  test(expected, (value) => isRecord(value) && ownValue(value, '~toolgen') === kind)

const text = test('a string', isText)
const flag = test('true or false', (value) => typeof value === 'boolean')
const list = test('an array', Array.isArray)
const object = test('an object', isRecord)
const texts = test('an array of strings', (value) => Array.isArray(value) && value.every(isText))
const textMap = test('an object with strings', (value) => isRecord(value) && Object.values(value).every(isText))
const anything: Test = () => undefined
const labels = (...allowed: readonly string[]): Test =>
  test(`${allowed.map((label) => `'${label}'`).join(' or ')}, or an array of them`, (value) =>
    [value].flat().every((label) => isText(label) && allowed.includes(label)))
const toolset = marked('toolset', 'a result of `defineToolset`')

const toolFields: Fields = {
  '~toolgen': test('a result of `defineTool`', (value) => value === 'tool'),
  description: text,
  title: optional(text),
  payload: anything,
  result: anything,
  streaming: optional(object),
  examples: optional(list),
  callHint: optional(text),
  resultHint: optional(text),
  serverOwned: optional(textMap),
  tags: optional(texts),
  failures: optional(
    test('an object with failures, each with the string `hint`', (value) => {
      const failures = isRecord(value) ? Object.values(value) : [undefined]
      return failures.every((failure) => isRecord(failure) && isText(ownValue(failure, 'hint')))
    }),
  ),
  meta: optional(
    test('an object with `synonyms`, an array of strings', (value) => {
      const synonyms = isRecord(value) ? ownValue(value, 'synonyms') : NaN
      return synonyms === undefined || (Array.isArray(synonyms) && synonyms.every(isText))
    }),
  ),
  confirmation: optional(object),
  defaultLayers: optional(
    test('an object with integers', (value) =>
      ['timeoutMs', 'attempts'].every((name) => {
        const number = isRecord(value) ? ownValue(value, name) : NaN
        return number === undefined || (Number.isInteger(number) && Number(number) > 0)
      })),
  ),
  maxResult: optional(object),
  sensitive: optional(object),
  idempotent: optional(flag),
  readOnly: optional(flag),
  destructive: optional(flag),
  reads: optional(labels('private', 'untrusted')),
  writes: optional(labels('external', 'irreversible')),
  suggested: optional(texts),
  droppedFailures: optional(texts),
  toolName: optional(text),
  lint: optional(textMap),
}

const toolsetFields: Fields = {
  name: text,
  description: text,
  namespace: text,
  tools: object,
  definitions: optional(object),
  mcp: optional(object),
  openapi: optional(object),
  reads: optional(labels('private', 'untrusted')),
  writes: optional(labels('external', 'irreversible')),
  lint: optional(textMap),
}

const mcpFields: Fields = {
  server: optional(object),
  captured: optional(object),
  names: textMap,
  hashes: optional(textMap),
  unused: optional(texts),
  prompts: optional(list),
  resources: optional(flag),
  resourceTemplates: optional(list),
}

const agentFields: Fields = {
  name: text,
  description: text,
  instructions: optional(text),
  uses: list,
  exports: list,
  policy: optional(object),
  maxResult: optional(object),
  lint: optional(textMap),
}

const useFields: Fields = {
  '~toolgen': test('a result of `fromService`, `fromAgent`, `fromMcp`, `fromOpenApi` or `fromExecutor`', (value) =>
    value === 'use'),
  provider: test("'service', 'agent', 'mcp', 'openapi' or 'executor'", (value) =>
    ['service', 'agent', 'mcp', 'openapi', 'executor'].some((known) => known === value)),
  toolset,
  as: optional(text),
  only: optional(texts),
  rename: optional(textMap),
  maxResult: optional(object),
}

const serviceUseFields: Fields = {
  ...useFields,
  client: marked('client', 'a result of `serviceClient`'),
  tools: optional(object),
}

const serviceToolFields: Fields = {
  method: optional(text),
  rename: optional(textMap),
  constants: optional(object),
  result: optional(
    test("an object with `from: 'data'`, `checked: true` or both", (value) => {
      if (!isRecord(value)) return false
      return (
        (ownValue(value, 'from') ?? 'data') === 'data' && typeof (ownValue(value, 'checked') ?? false) === 'boolean'
      )
    }),
  ),
  collect: optional(test("'list' or 'last'", (value) => value === 'list' || value === 'last')),
  maxResult: optional(object),
}

const exportedToolFields: Fields = {
  text: optional(text),
  template: optional(text),
  systemPrompt: optional(text),
  prose: optional(flag),
}

/** TypeScript does not check a design in JavaScript, or a design with type assertions. */
function toolsetShapeErrors(value: Toolset, locations: Locations): readonly Diagnostic[] {
  const check = checker(value, locations)
  const errors = check(value, toolsetFields, [])
  if (errors.length > 0) return errors
  const ofTools = Object.entries(value.tools).flatMap(([name, tool]) => {
    const path = ['tools', name]
    const own = check(tool, toolFields, path)
    if (own.length > 0 || tool.confirmation === undefined) return own
    return check(tool.confirmation, { prompt: text, deniedResult: anything, when: anything }, [...path, 'confirmation'])
  })
  return [...(value.mcp === undefined ? [] : check(value.mcp, mcpFields, ['mcp'])), ...ofTools]
}

function agentShapeErrors(agent: Agent, locations: Locations): readonly Diagnostic[] {
  const check = checker(agent, locations)
  const errors = check(agent, agentFields, [])
  if (errors.length > 0) return errors
  const checkTools = (tools: object, fields: Fields, path: Path): readonly Diagnostic[] =>
    Object.entries(tools).flatMap(([name, tool]) => check(tool, fields, [...path, 'tools', name]))
  const ofUse = (use: ToolsetUse, path: Path): readonly Diagnostic[] => {
    const provider = isRecord(use) ? ownValue(use, 'provider') : undefined
    const isMcp = provider === 'mcp'
    if (!isMcp && provider !== 'service') return check(use, useFields, path)
    const own = check(use, isMcp ? { ...useFields, tools: optional(object) } : serviceUseFields, path)
    if (own.length > 0 || !('tools' in use)) return own
    return checkTools(use.tools ?? {}, isMcp ? { name: optional(text) } : serviceToolFields, path)
  }
  const ofExport = (exported: Toolset | ToolsetExport, path: Path): readonly Diagnostic[] => {
    if (!isRecord(exported) || ownValue(exported, '~toolgen') !== 'export') {
      const expected = marked('toolset', 'a result of `defineToolset` or `exportToolset`')
      return check({ toolset: exported }, { toolset: expected }, path)
    }
    const own = check(exported, { toolset, tools: object }, path)
    return own.length > 0 || !('tools' in exported) ? own : checkTools(exported.tools, exportedToolFields, path)
  }
  return [
    ...agent.uses.flatMap((use, index) => ofUse(use, ['uses', index])),
    ...agent.exports.flatMap((exported, index) => ofExport(exported, ['exports', index])),
  ]
}

function checker(
  definition: object,
  locations: Locations,
): (value: unknown, fields: Fields, path: Path) => readonly Diagnostic[] {
  const misshapen = (path: Path, expected: string, at: Path): Diagnostic => {
    const label = path.join('.')
    const message = label === '' ? `The definition must be ${expected}.` : `\`${label}\` must be ${expected}.`
    const next = 'Create the value with the functions of @toolgen/dsl, and type-check the design.'
    return errorAt(locations.locationOf(definition, ...at), 'TG2005', message, next)
  }
  return (value, fields, path) => {
    if (!isRecord(value)) return [misshapen(path, 'an object', path)]
    return Object.entries(fields).flatMap(([name, expect]) => {
      const expected = expect(ownValue(value, name))
      if (expected === undefined) return []
      return [misshapen(name === '~toolgen' ? path : [...path, name], expected, [...path, name])]
    })
  }
}
