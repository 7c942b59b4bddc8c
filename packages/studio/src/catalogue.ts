import {
  type AgentToolSpec,
  type BoundAgent,
  type BoundToolset,
  Runtime,
  renderForModel,
  type SensitiveFields,
  type ToolOutcome,
  toolsetRegistration,
} from '@toolgen/runtime'
import type { AgentDescriptor } from '@toolgen/runtime/agents'
import { anthropicTool, apiDeclarations, geminiTool, mcpTool, openAiTool } from '@toolgen/runtime/projections'
import { payloadCodec, resultCodec, SchemaError } from '@toolgen/runtime/schema'
import type { AgentInfo, ToolDetails, ToolSummary, Validation, VendorDefinition } from './api.js'
import { RequestError } from './errors.js'

/** Specifications of tools that people can read but not call, for example because `toolgen dev` has loaded no module with registered agents. */
export interface ToolSpecs {
  readonly specs: readonly AgentToolSpec[]
  /** Agent that uses the tools. Absent for a toolset without an agent. */
  readonly agent?: AgentDescriptor
}

/** Source of tools for the studio: a registered agent, a registered toolset, or specifications of tools. */
export type StudioTools = BoundAgent<any> | BoundToolset<any> | ToolSpecs

export type CountTokens = (vendor: string, definition: object) => Promise<number>

export interface ListedTool {
  readonly summary: ToolSummary
  readonly spec: AgentToolSpec
  readonly owner: StudioTools
}

/** The runtime adds this tool to toolsets with a maximum result size. */
export const READ_RESULT = 'toolgen.read_result'

/** The studio must not show recordings of such a tool, because they can contain values that events hide. */
export function isHiddenOnlyFromEvents({ sensitive = {} }: Pick<AgentToolSpec, 'sensitive'>): boolean {
  const { payload = {}, result = {}, updates = {} }: SensitiveFields = sensitive
  const treatments = [payload, result, updates].flatMap((paths) => Object.values(paths))
  return treatments.some(({ events, recording }) => events !== undefined && recording === undefined)
}

export class Catalogue {
  readonly tools: readonly ListedTool[]
  readonly #agents: ReadonlyMap<string, StudioTools>
  readonly #countTokens: CountTokens | undefined
  readonly #validators = new Map<AgentToolSpec, BoundToolset>()

  constructor(owners: readonly StudioTools[], countTokens?: CountTokens) {
    this.tools = owners.flatMap((owner) =>
      owner.specs
        .filter(({ id }) => id !== READ_RESULT)
        .map((spec) => ({ summary: summaryOf(spec, agentOf(owner)?.name), spec, owner })),
    )
    this.#agents = new Map(owners.flatMap((owner) => (agentOf(owner) ? [[agentOf(owner)?.name ?? '', owner]] : [])))
    this.#countTokens = countTokens
  }

  get agents(): readonly AgentInfo[] {
    return [...this.#agents].map(([name, owner]) => {
      const { description = '', instructions } = agentOf(owner) ?? {}
      return {
        ...{ name, description, canRun: 'run' in owner && owner.canRun },
        ...(instructions !== undefined && { instructions }),
        tools: owner.specs.filter(({ id }) => id !== READ_RESULT).map(idOf),
      }
    })
  }

  agent(name: string): StudioTools {
    const owner = this.#agents.get(name)
    if (owner !== undefined) return owner
    throw new RequestError(404, `There is no agent \`${name}\`.`, 'Select one of the agents of the project.')
  }

  tool(id: string, agent?: string): ListedTool {
    const named = this.tools.filter(({ summary }) => summary.id === id)
    const found = agent === undefined ? named : named.filter(({ summary }) => summary.agent === agent)
    const [first, second] = found
    if (first === undefined) {
      const where = agent === undefined ? 'the project' : `the agent \`${agent}\``
      const next = 'Select one of the tools of the project.'
      throw new RequestError(404, `There is no tool \`${id}\` in ${where}.`, next)
    }
    if (second === undefined) return first
    const agents = found.map(({ summary }) => summary.agent ?? 'no agent').join(', ')
    throw new RequestError(400, `Several agents use \`${id}\`: ${agents}.`, 'Add the name of the agent as `agent`.')
  }

  /**
   * Also returns the specifications of all tools that nested runs of these tools can call. Returns `undefined` if no tool has the id, or if the tools
   * of a nested run are unknown.
   */
  specsOf(id: string): readonly AgentToolSpec[] | undefined {
    const found = this.tools.filter(({ spec }) => spec.id === id)
    if (found.length === 0 || found.some(({ spec, owner }) => spec.provider === 'agent' && !('execute' in owner))) {
      return undefined
    }
    try {
      return found.flatMap(({ spec, owner }) => [spec, ...('execute' in owner ? owner.nestedSpecs(spec.id) : [])])
    } catch {
      // Ignores an error of the application's function that returns the nested agent, because calls of the tool report the error.
      return undefined
    }
  }

  async details({ spec, summary }: ListedTool): Promise<ToolDetails> {
    const { failures = [], serverOwned, updates } = spec
    const needs = serverOwned
      .map(({ from }) => from)
      .filter((from) => from === 'sessionId' || from.startsWith('labels.'))
    return {
      ...summary,
      arguments: spec.arguments,
      result: spec.result,
      ...(updates !== undefined && { updates }),
      declaration: apiDeclarations([spec], { comments: 'full' }).text,
      examples: spec.examples,
      failures,
      serverOwned: serverOwned.map(({ field, from }) => ({ field, from })),
      needs: [...new Set(needs)],
      definitions: await this.#definitions(spec),
    }
  }

  /** Does not run the layers and adapters of the application. */
  async validate(tool: ListedTool, sent: string): Promise<Validation> {
    const outcome = await this.#dryRun(tool, sent)
    if (outcome.status !== 'failed') return { isValid: true, issues: [], text: '' }
    const { hint } = outcome
    const issues = 'issues' in hint ? (hint.issues ?? []) : []
    return {
      isValid: false,
      issues: issues.map(({ path, message }) => ({ pointer: path, message })),
      text: renderForModel(outcome),
    }
  }

  #dryRun({ spec }: ListedTool, sent: string): Promise<ToolOutcome> {
    // Uses a separate runtime, in which the executor of the tool has no effect.
    let validator = this.#validators.get(spec)
    if (validator === undefined) {
      validator = new Runtime().registerToolset(validating(spec))
      this.#validators.set(spec, validator)
    }
    // Registers the toolset without an agent, so that the tool has the id of its own toolset.
    return validator.execute({ tool: spec.id, arguments: sent }, {})
  }

  async #definitions(spec: AgentToolSpec): Promise<readonly VendorDefinition[]> {
    const vendors = { openai: openAiTool, anthropic: anthropicTool, gemini: geminiTool, mcp: mcpTool }
    const definitions: VendorDefinition[] = []
    for (const [vendor, project] of Object.entries(vendors)) {
      try {
        const { tool } = project(spec)
        const tokens = await this.#countTokens?.(vendor, tool)
        // Copies the definition, which is plain JSON.
        const definition = JSON.parse(JSON.stringify(tool))
        definitions.push({ vendor, definition, ...(tokens !== undefined && { tokens }) })
      } catch (error) {
        // Omits a vendor whose format does not support the schema of the tool.
        if (!(error instanceof SchemaError)) throw error
      }
    }
    return definitions
  }
}

function agentOf(owner: StudioTools): AgentDescriptor | undefined {
  return 'agent' in owner ? owner.agent : undefined
}

function idOf({ provider, qualifiedId }: AgentToolSpec): string {
  return qualifiedId.slice(provider.length + 1)
}

function summaryOf(spec: AgentToolSpec, agent: string | undefined): ToolSummary {
  const { toolName, title, description, tags } = spec
  const id = idOf(spec)
  return {
    ...{ id, toolset: id.slice(0, -spec.name.length - 1), toolName, title, description, tags },
    ...(agent !== undefined && { agent }),
    badges: badgesOf(spec),
  }
}

function badgesOf({ annotations, confirmation, updates, reads, writes, sensitive }: AgentToolSpec): readonly string[] {
  return [
    ...(annotations.readOnly === true ? ['read-only'] : []),
    ...(annotations.destructive === true ? ['destructive'] : []),
    ...(annotations.idempotent === true ? ['idempotent'] : []),
    ...(confirmation === undefined ? [] : ['approval']),
    ...(updates === undefined ? [] : ['streaming']),
    ...(reads ?? []).map((label) => `reads ${label}`),
    ...(writes ?? []).map((label) => `writes ${label}`),
    ...(sensitive === undefined ? [] : ['sensitive']),
  ]
}

function validating(spec: AgentToolSpec): Parameters<Runtime['registerToolset']>[0] {
  const { confirmation: _, defaultLayers: __, sensitive: ___, maxResult: ____, ...kept } = spec
  const serverOwned = spec.serverOwned.map(({ field }) => field)
  const toolset = {
    ...{ name: spec.toolset, namespace: spec.namespace, description: '' },
    tools: [
      {
        spec: { ...kept, serverOwned: [] },
        payload: payloadCodec<never, unknown>({ schema: spec.arguments, serverOwned }),
        result: resultCodec<unknown, unknown>({ schema: {} }),
        call: () => {
          throw new TypeError('The validator has no call builder.')
        },
      },
    ],
  }
  const executor = { execute: async () => null }
  return toolsetRegistration({ toolset, provider: spec.provider, toolNames: { [spec.name]: spec.toolName } }, executor)
}
