import type { ContractChange } from '../../packages/codegen/src/contracts/change.js'
import { contractChanges } from '../../packages/codegen/src/contracts/changes.js'
import { recordedChanges } from '../../packages/codegen/src/contracts/compare.js'
import { type Contracts, readContracts } from '../../packages/codegen/src/contracts/contracts.js'
import type { Json, Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { payloadCodec, resultCodec } from '../../packages/runtime/src/codec/codecs.js'

/** The parts of a design that a rule needs. Default: one toolset `orders` with the tool `getOrder`. */
export interface Sketch {
  readonly payload?: Schema
  readonly result?: Schema
  readonly updates?: Schema
  /** Declared errors of the tool, by status. */
  readonly errors?: Readonly<Record<string, Schema>>
  /** Declared failures of the tool, by name. */
  readonly failures?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly defs?: Readonly<Record<string, Schema>>
  readonly serverOwned?: Readonly<Record<string, { readonly from: string; readonly schema: Schema }>>
  /** Further properties of the tool. */
  readonly about?: Readonly<Record<string, Json>>
  /** Further properties of single tools, by name. */
  readonly aboutEach?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly remote?: string
  /** The names of the tools. */
  readonly tools?: readonly string[]
  /** The names of the toolsets. */
  readonly toolsets?: readonly string[]
  readonly namespace?: string
  readonly description?: string
  /** Schemas of the arguments of prompts, by name. */
  readonly prompts?: Readonly<Record<string, { readonly description?: string; readonly arguments: Schema }>>
  readonly resourceTemplates?: Readonly<
    Record<string, { readonly uriTemplate: string; readonly description?: string; readonly variables: Schema }>
  >
  readonly agents?: Readonly<Record<string, AgentSketch>>
  /** Arguments of recorded calls of `orders.getOrder`. */
  readonly calls?: readonly Json[]
}

export interface AgentSketch {
  readonly about?: Readonly<Record<string, Json>>
  readonly uses?: Readonly<Record<string, UseSketch>>
  readonly exports?: readonly string[]
}

export interface UseSketch {
  readonly toolset: string
  readonly provider: string
  readonly agent?: string
  /** Names for models, by tool. */
  readonly tools: Readonly<Record<string, string>>
}

/** Returns the text of a lock file for a sketch. */
export function lockOf(sketch: Sketch): string {
  const toolsets = (sketch.toolsets ?? ['orders']).map((name) => [
    name,
    {
      namespace: sketch.namespace ?? 'default',
      description: sketch.description ?? 'Orders.',
      defs: sketch.defs ?? {},
      tools: Object.fromEntries((sketch.tools ?? ['getOrder']).map((tool) => [tool, toolOf(sketch, name, tool)])),
      ...(sketch.prompts !== undefined && { prompts: sketch.prompts }),
      ...(sketch.resourceTemplates !== undefined && { resourceTemplates: sketch.resourceTemplates }),
    },
  ])
  const agents = Object.entries(sketch.agents ?? {}).map(([name, { about, uses = {}, exports = [] }]) => [
    name,
    {
      about: { description: 'Answers.', ...about },
      uses: Object.fromEntries(
        Object.entries(uses).map(([as, use]) => [
          as,
          { ...use, tools: Object.entries(use.tools).map(([tool, toolName]) => ({ tool, toolName })) },
        ]),
      ),
      exports,
    },
  ])
  return JSON.stringify({
    contract: 1,
    files: {},
    toolsets: Object.fromEntries(toolsets),
    agents: Object.fromEntries(agents),
  })
}

function toolOf(sketch: Sketch, toolset: string, name: string): object {
  const {
    payload = { type: 'object' },
    result = { type: 'object' },
    updates,
    errors,
    failures,
    serverOwned,
    about,
    remote,
  } = sketch
  return {
    hash: '0123456789abcdef',
    ...(remote !== undefined && { remote }),
    about: {
      toolName: `${toolset}_${name}`,
      title: name,
      description: 'A tool.',
      ...about,
      ...sketch.aboutEach?.[name],
    },
    arguments: payload,
    ...(serverOwned !== undefined && {
      serverOwned: Object.entries(serverOwned).map(([field, owned]) => ({ field, ...owned })),
    }),
    result,
    ...(updates !== undefined && { updates }),
    ...(errors !== undefined && { errors }),
    ...(failures !== undefined && { failures }),
  }
}

/** Empty source positions. */
export const nowhere = { toolsets: new Map(), tools: new Map(), agents: new Map() }

/** Returns the changes between two sketches. */
export function changesOf(was: Sketch, is: Sketch): readonly ContractChange[] {
  const [before, after] = [contractsOf(was), contractsOf(is)]
  const calls = (is.calls ?? []).map((sent, index) => ({
    file: '/project/shop.jsonl',
    line: index + 2,
    tool: 'orders.getOrder',
    arguments: JSON.stringify(sent),
    isCompleted: true,
  }))
  const { changes } = recordedChanges(before, after, calls, payloadCodec, nowhere, '/project')
  const codecs = { payload: payloadCodec, result: resultCodec }
  return [...contractChanges(before, after, nowhere, codecs), ...changes]
}

/** Returns the contracts in the lock file of a sketch. */
export function contractsOf(sketch: Sketch): Contracts {
  const reading = readContracts(lockOf(sketch))
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading))
  return reading.contracts
}
