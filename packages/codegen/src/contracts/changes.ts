import { deepEqual, parsePointer } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { isObject, isSchema, type Json, objectOf, own, type Schema } from '../schema/json-schema.js'
import { pathExists } from '../schema/sensitive.js'
import { byCodePoint } from '../text.js'
import { type ChangeSubject, type Compare, type ContractChange, compareFor, newChange } from './change.js'
import type { AgentContract, Contracts, ToolContract, ToolsetContract, UseContract } from './contracts.js'
import { type Codecs, Definitions } from './definitions.js'
import type { Aspect, Mismatch } from './mismatch.js'
import { renamedFields, renamedTools } from './renames.js'
import type { WitnessedMismatch } from './witness.js'

export function contractChanges(
  before: Contracts,
  after: Contracts,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  return [
    ...pairs(before.toolsets, after.toolsets).flatMap(({ name, was, is }) => {
      const location = locations.toolsets.get(name)
      if (is === undefined) return [newChange('toolset-removed', { toolset: name })]
      if (was === undefined) return [newChange('toolset-added', { toolset: name }, { location })]
      return toolsetChanges(was, is, locations, codecs)
    }),
    ...pairs(before.agents, after.agents).flatMap(({ name, was, is }) => {
      const location = locations.agents.get(name)
      if (is === undefined) return [newChange('agent-removed', { agent: name })]
      if (was === undefined) return [newChange('agent-added', { agent: name }, { location })]
      return agentChanges(was, is, before, after, location)
    }),
  ]
}

function pairs<Contract>(
  before: ReadonlyMap<string, Contract>,
  after: ReadonlyMap<string, Contract>,
): readonly { readonly name: string; readonly was: Contract | undefined; readonly is: Contract | undefined }[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(byCodePoint)
  return names.map((name) => ({ name, was: before.get(name), is: after.get(name) }))
}

export interface DesignLocations {
  readonly toolsets: ReadonlyMap<string, SourceLocation>
  readonly tools: ReadonlyMap<string, SourceLocation>
  readonly agents: ReadonlyMap<string, SourceLocation>
}

export function locationsOf({ toolsets, agents }: Pick<DesignIr, 'toolsets' | 'agents'>): DesignLocations {
  return {
    toolsets: new Map(toolsets.map(({ name, location }) => [name, location])),
    tools: new Map(toolsets.flatMap(({ tools }) => tools.map(({ id, location }) => [id, location] as const))),
    agents: new Map(agents.map(({ name, location }) => [name, location])),
  }
}

function toolsetChanges(
  before: ToolsetContract,
  after: ToolsetContract,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const location = locations.toolsets.get(after.name)
  const compare = compareFor({ toolset: after.name }, location)
  const definitions = new Definitions(before.defs, after.defs, codecs)
  const renames = renamedTools(before, after, definitions)
  return [
    ...compare('toolset-namespace-changed', before.namespace, after.namespace),
    ...compare('toolset-described-otherwise', before.description, after.description),
    ...Object.keys(before.defs)
      .filter((name) => !Object.hasOwn(after.defs, name))
      .flatMap((name) => compare('type-removed', name)),
    ...pairs(before.tools, after.tools).flatMap(({ was, is }) => {
      if (is === undefined) {
        if (was === undefined) return []
        const to = renames.to.get(was.id)
        return [
          newChange('tool-removed', { tool: was.id }, { location, rename: to === undefined ? undefined : { to } }),
        ]
      }
      const toolLocation = locations.tools.get(is.id)
      if (was !== undefined) return toolChanges(was, is, definitions, toolLocation)
      const from = renames.from.get(is.id)
      const rename = from === undefined ? undefined : { from }
      return [newChange('tool-added', { tool: is.id }, { location: toolLocation, rename })]
    }),
    ...pairs(before.prompts, after.prompts).flatMap(({ name, was, is }) => {
      const subject = { toolset: after.name, prompt: name }
      if (was === undefined || is === undefined)
        return [newChange(is === undefined ? 'prompt-removed' : 'prompt-added', subject, { location })]
      return [
        ...compareFor(subject, location)('prompt-described-otherwise', was.description, is.description),
        ...schemaChanges('prompt', was.arguments, is.arguments, definitions, subject, location),
      ]
    }),
    ...pairs(before.resourceTemplates, after.resourceTemplates).flatMap(({ name, was, is }) => {
      const subject = { toolset: after.name, resourceTemplate: name }
      if (was === undefined || is === undefined) {
        const rule = is === undefined ? 'resource-template-removed' : 'resource-template-added'
        return [newChange(rule, subject, { location })]
      }
      const compareTemplate = compareFor(subject, location)
      return [
        ...compareTemplate('resource-template-described-otherwise', was.description, is.description),
        ...compareTemplate('resource-template-uri-changed', was.uriTemplate, is.uriTemplate),
        ...schemaChanges('resource-template', was.variables, is.variables, definitions, subject, location),
      ]
    }),
  ]
}

const agentRules: KeyRules = [
  ['description', 'agent-described-otherwise'],
  ['instructions', 'agent-instructed-otherwise'],
  ['policy', 'agent-policy-changed'],
  ['maxResult', 'agent-max-result-changed'],
  ['maxResults', 'agent-max-result-changed'],
]

function agentChanges(
  before: AgentContract,
  after: AgentContract,
  oldContracts: Contracts,
  newContracts: Contracts,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const compare = compareFor({ agent: after.name }, location)
  return [
    ...agentRules.flatMap(([key, rule]) => compare(rule, own(before.about, key), own(after.about, key))),
    ...[...before.uses.keys()].filter((as) => !after.uses.has(as)).flatMap((as) => compare('agent-use-removed', as)),
    ...[...after.uses].flatMap(([as, use]) => {
      const was = before.uses.get(as)
      if (was === undefined) return compare('agent-use-added', undefined, as)
      return useChanges(as, was, use, toolNames(oldContracts, use), toolNames(newContracts, use), compare)
    }),
    ...before.exports
      .filter((name) => !after.exports.includes(name))
      .flatMap((name) => compare('agent-export-removed', name)),
    ...after.exports
      .filter((name) => !before.exports.includes(name))
      .flatMap((name) => compare('agent-export-added', undefined, name)),
  ]
}

function toolNames({ toolsets }: Contracts, { toolset }: UseContract): ReadonlyMap<string, Json | undefined> {
  const tools = toolsets.get(toolset)?.tools ?? new Map<string, ToolContract>()
  return new Map([...tools].map(([name, { about }]) => [name, own(about, 'toolName')]))
}

function useChanges(
  as: string,
  before: UseContract,
  after: UseContract,
  oldNames: ReadonlyMap<string, Json | undefined>,
  newNames: ReadonlyMap<string, Json | undefined>,
  compare: Compare,
): readonly ContractChange[] {
  const [old, recent] = [before, after].map(
    ({ toolset, provider, agent }) => `${as}: ${toolset} by ${provider}${agent === undefined ? '' : ` ${agent}`}`,
  )
  if (old !== recent) return compare('agent-use-changed', old, recent)
  return [
    ...[...before.tools.keys()]
      .filter((tool) => !after.tools.has(tool) && newNames.has(tool))
      .flatMap((tool) => compare('agent-tool-removed', `${as}.${tool}`)),
    ...[...after.tools].flatMap(([tool, name]) => {
      const was = before.tools.get(tool)
      if (was === undefined) {
        return oldNames.has(tool) ? compare('agent-tool-added', undefined, `${as}.${tool}`) : []
      }
      const isToolsetName = was === oldNames.get(tool) && name === newNames.get(tool)
      return isToolsetName ? [] : compare('agent-tool-name-changed', was, name)
    }),
  ]
}

type KeyRules = readonly (readonly [key: string, rule: string])[]

const toolRules: KeyRules = [
  ['toolName', 'tool-name-changed'],
  ['title', 'tool-title-changed'],
  ['description', 'tool-described-otherwise'],
  ['examples', 'tool-examples-changed'],
  ['callHint', 'tool-hints-changed'],
  ['resultHint', 'tool-hints-changed'],
  ['tags', 'tool-tags-changed'],
  ['annotations', 'tool-annotations-changed'],
  ['reads', 'tool-data-flow-changed'],
  ['writes', 'tool-data-flow-changed'],
  ['defaultLayers', 'tool-default-layers-changed'],
  ['maxResult', 'tool-max-result-changed'],
]

function toolChanges(
  before: ToolContract,
  after: ToolContract,
  definitions: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const subject = { tool: after.id }
  const compare = compareFor(subject, location)
  const ofSchema = (rules: 'payload' | 'result', was: Schema, is: Schema, side: 'arguments' | 'result' | 'updates') =>
    schemaChanges(rules, was, is, definitions, { ...subject, side }, location)
  const withoutValues = (rule: string): readonly ContractChange[] => [newChange(rule, subject, { location })]
  const [neededCheck, needsCheck] = [before, after].map(({ about }) => own(about, 'needsCheck') === true)
  const streaming = (): readonly ContractChange[] => {
    if (before.updates === undefined) return after.updates === undefined ? [] : withoutValues('tool-streams')
    if (after.updates === undefined) return withoutValues('tool-streams-no-more')
    return ofSchema('result', before.updates, after.updates, 'updates')
  }
  return [
    ...ofSchema('payload', before.arguments, after.arguments, 'arguments'),
    ...serverOwnedChanges(before, after, definitions, location),
    ...ofSchema('result', before.result, after.result, 'result'),
    ...streaming(),
    ...errorChanges(before, after, definitions, location),
    ...failureChanges(before, after, definitions, location),
    ...toolRules.flatMap(([key, rule]) => compare(rule, own(before.about, key), own(after.about, key))),
    ...confirmationChanges(before, after, definitions, location),
    ...sensitiveChanges(before, after, definitions, compare),
    ...(neededCheck === needsCheck ? [] : withoutValues(needsCheck ? 'tool-check-added' : 'tool-check-removed')),
    ...compare('tool-remote-name-changed', before.remote, after.remote),
  ]
}

const audiences: readonly string[] = ['model', 'events', 'telemetry', 'recording']

function sensitiveChanges(
  before: ToolContract,
  after: ToolContract,
  definitions: Definitions,
  compare: ReturnType<typeof compareFor>,
): readonly ContractChange[] {
  const treatments = ({ about }: ToolContract): ReadonlyMap<string, string> => {
    const fields = objectOf(own(about, 'sensitive'))
    const all = Object.entries(fields).flatMap(([part, paths]) =>
      Object.entries(objectOf(paths)).flatMap(([path, treatment]) =>
        audiences.flatMap((audience) => {
          const how = own(objectOf(treatment), audience)
          return typeof how === 'string' ? [[`${part}${path}: ${audience}`, how] as const] : []
        }),
      ),
    )
    return new Map(all)
  }
  const [was, is] = [treatments(before), treatments(after)]
  return [...new Set([...was.keys(), ...is.keys()])].sort(byCodePoint).flatMap((key) => {
    const [old, recent] = [was.get(key) ?? 'value', is.get(key) ?? 'value']
    if (old === recent) return []
    const strictness = ['value', 'pseudonym', 'omit']
    const isExposed = strictness.indexOf(recent) < strictness.indexOf(old)
    if (isExposed && recent === 'value' && !hasPath(after, key.slice(0, key.lastIndexOf(': ')), definitions)) return []
    return compare(isExposed ? 'tool-value-exposed' : 'tool-value-hidden', `${key}: ${old}`, `${key}: ${recent}`)
  })
}

function hasPath(
  { arguments: args, serverOwned, result, updates }: ToolContract,
  at: string,
  definitions: Definitions,
): boolean {
  const start = at.indexOf('/')
  const [part, path] = start < 0 ? [at, ''] : [at.slice(0, start), at.slice(start)]
  const [field = ''] = parsePointer(path) ?? []
  if (part === 'payload' && serverOwned.some((owned) => owned.field === field)) return true
  const schema = part === 'payload' ? args : part === 'result' ? result : updates
  return schema !== undefined && pathExists(schema, path, definitions.after)
}

function confirmationChanges(
  before: ToolContract,
  after: ToolContract,
  definitions: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const subject = { tool: after.id }
  const compare = compareFor(subject, location)
  const [old, recent] = [own(before.about, 'confirmation'), own(after.about, 'confirmation')]
  if (!isObject(old) || !isObject(recent)) {
    return compare(`tool-confirmation-${old === undefined ? 'added' : 'removed'}`, old, recent)
  }
  const { when: was, ...oldTexts } = old
  const { when: is, ...newTexts } = recent
  const texts = compare('tool-confirmation-changed', oldTexts, newTexts)
  if (deepEqual(was ?? true, is ?? true)) return texts
  // A condition describes objects that can have other fields, like a result. Without a condition, all arguments need the confirmation.
  const [source, target] = [isSchema(was) ? was : before.arguments, isSchema(is) ? is : after.arguments]
  // The definitions of a condition are its own.
  const isClosed = [was, is].some((schema) => isObject(schema) && own(schema, '$defs') !== undefined)
  const changed = (direction: Direction): readonly ContractChange[] => {
    const { mismatches, withWitnesses } = definitions.result[direction]
    const [from, to] = direction === 'narrowed' ? [source, target] : [target, source]
    const all = isClosed ? [] : mismatches(from, to)
    const proofs = withWitnesses({ source: from, target: to, all, reported: all }).map(provenBy)
    const proof = proofs.find(({ certain }) => certain) ?? proofs[0] ?? (isClosed ? { certain: false } : undefined)
    const rule = `tool-confirmation-${direction}`
    return proof === undefined ? [] : [newChange(rule, subject, { before: was, after: is, ...proof, location })]
  }
  const narrowed = changed('narrowed')
  return [...texts, ...(narrowed.length > 0 ? narrowed : changed('widened'))]
}

function errorChanges(
  { errors: before }: ToolContract,
  { id: tool, errors: after }: ToolContract,
  definitions: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  if (before === undefined || after === undefined) return []
  const compare = compareFor({ tool }, location)
  return pairs(before, after).flatMap(({ name: status, was, is }) => {
    if (was === undefined) return compare('error-status-added', undefined, status)
    if (is === undefined) return compare('error-status-removed', status)
    return schemaChanges('result', was, is, definitions, { tool, side: 'errors', status }, location)
  })
}

function failureChanges(
  { failures: before }: ToolContract,
  { id: tool, failures: after }: ToolContract,
  definitions: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const compare = compareFor({ tool }, location)
  return pairs(before, after).flatMap(({ name: failure, was, is }) => {
    if (was === undefined) return compare('failure-added', undefined, failure)
    if (is === undefined) return compare('failure-removed', failure)
    const subject = { tool, side: 'failures', failure } as const
    const compareFailure = compareFor(subject, location)
    const hasData = (was.schema === undefined) !== (is.schema === undefined)
    return [
      ...compareFailure('failure-described-otherwise', was.about, is.about),
      ...(hasData ? compareFailure('failure-data-changed', was.schema, is.schema) : []),
      ...(was.schema === undefined || is.schema === undefined
        ? []
        : schemaChanges('result', was.schema, is.schema, definitions, subject, location)),
    ]
  })
}

/** The runtime creates these metadata fields for each call, so a change of the fields does not affect callers. */
const createdByRuntime: ReadonlySet<string> = new Set(['toolCallId', 'idempotencyKey'])

function serverOwnedChanges(
  before: ToolContract,
  after: ToolContract,
  { payload }: Definitions,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const subject = { tool: after.id }
  const [old, recent] = [before, after].map(({ serverOwned }) => new Set(serverOwned.map(({ from }) => from)))
  const narrowed = after.serverOwned.flatMap(({ field, from, schema: target }) => {
    const source = before.serverOwned.find((owned) => owned.field === field && owned.from === from)?.schema
    if (source === undefined) return []
    const all = payload.narrowed.mismatches(source, target)
    const proofs = payload.narrowed.withWitnesses({ source, target, all, reported: all }).map(provenBy)
    const proof = proofs.find(({ certain }) => certain) ?? proofs[0]
    return proof === undefined
      ? []
      : [newChange('server-owned-narrowed', subject, { before: source, after: target, ...proof, location })]
  })
  return [
    ...[...(recent ?? [])]
      .filter((from) => !old?.has(from) && !createdByRuntime.has(from))
      .map((from) => newChange('server-owned-source-added', subject, { after: from, location })),
    ...[...(old ?? [])]
      .filter((from) => !recent?.has(from) && !createdByRuntime.has(from))
      .map((from) => newChange('server-owned-source-removed', subject, { before: from, location })),
    ...narrowed,
  ]
}

type Direction = 'narrowed' | 'widened'

type RuleSet = 'payload' | 'result' | 'prompt' | 'resource-template'

const ruleIds: { readonly [Rules in RuleSet]: { readonly [A in Aspect]?: Readonly<Record<Direction, string>> } } = {
  payload: {
    required: { narrowed: 'payload-field-required', widened: 'payload-field-optional' },
    field: { narrowed: 'payload-field-removed', widened: 'payload-field-added' },
    'unknown-fields': { narrowed: 'payload-unknown-fields-refused', widened: 'payload-unknown-fields-taken' },
    'js-type': { narrowed: 'payload-js-type-changed', widened: 'payload-js-type-changed' },
  },
  result: {
    required: { narrowed: 'result-field-required', widened: 'result-field-optional' },
    field: { narrowed: 'result-field-added', widened: 'result-field-removed' },
    'unknown-fields': { narrowed: 'result-rule-narrowed', widened: 'result-rule-widened' },
    'js-type': { narrowed: 'result-js-type-changed', widened: 'result-js-type-changed' },
  },
  prompt: {
    required: { narrowed: 'prompt-argument-required', widened: 'prompt-argument-optional' },
    field: { narrowed: 'prompt-argument-removed', widened: 'prompt-argument-added' },
  },
  'resource-template': {
    required: { narrowed: 'resource-template-variable-required', widened: 'resource-template-variable-optional' },
    field: { narrowed: 'resource-template-variable-removed', widened: 'resource-template-variable-added' },
    type: { narrowed: 'resource-template-variable-narrowed', widened: 'resource-template-variable-widened' },
  },
}

function schemaChanges(
  rules: RuleSet,
  before: Schema,
  after: Schema,
  definitions: Definitions,
  subject: ChangeSubject,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const side = rules === 'result' ? 'result' : 'payload'
  const { narrowed, widened } = definitions[side]
  const at = (pointer: string) => ({ pointer, definition: definitions.locationAt(before, after, pointer), location })
  const all = { narrowed: narrowed.mismatches(before, after), widened: widened.mismatches(after, before) }
  const [first, second] = side === 'payload' ? (['narrowed', 'widened'] as const) : (['widened', 'narrowed'] as const)
  const renames = renamedFields(all[first], all[second], definitions)
  const changes = (direction: Direction, reported: readonly Mismatch[]): readonly ContractChange[] => {
    const isNarrowed = direction === 'narrowed'
    const [source, target] = isNarrowed ? [before, after] : [after, before]
    const witnessed = definitions[side][direction].withWitnesses({ source, target, all: all[direction], reported })
    return witnessed.map((mismatch) => {
      const { aspect, pointer } = mismatch
      const [to, from] = [renames.to.get(pointer), renames.from.get(pointer)]
      return newChange(ruleIds[rules][aspect]?.[direction] ?? `${rules}-${aspect}-${direction}`, subject, {
        ...at(pointer),
        ...provenBy(mismatch),
        rename: to !== undefined ? { to: nameAt(to) } : from !== undefined ? { from: nameAt(from) } : undefined,
        before: isNarrowed ? mismatch.source : mismatch.target,
        after: isNarrowed ? mismatch.target : mismatch.source,
      })
    })
  }
  // A part that is both narrowed and widened is reported only once.
  const reported = new Set(all[first].map(({ pointer }) => pointer))
  return [
    ...changes(first, all[first]),
    ...changes(
      second,
      all[second].filter(({ pointer }) => !reported.has(pointer)),
    ),
    ...definitions.noteChanges(before, after).map(({ keyword, path, before: was, after: is }) => {
      const isDefault = rules === 'payload' && keyword === 'default'
      const rule = isDefault ? 'payload-default-changed' : `${rules}-described-otherwise`
      return newChange(rule, subject, { ...at(`${path}/${keyword}`), before: was, after: is })
    }),
  ]
}

const maxWitnessLength = 1000

function provenBy({ aspect, witness }: WitnessedMismatch): Pick<ContractChange, 'certain' | 'witness'> {
  const isShort = witness !== undefined && JSON.stringify(witness).length <= maxWitnessLength
  // A changed TypeScript type needs no example value as proof.
  return { certain: witness !== undefined || aspect === 'js-type', ...(isShort && { witness }) }
}

function nameAt(pointer: string): string {
  return parsePointer(pointer)?.at(-1) ?? pointer
}
