import type { BoundTool } from '../call/bound-tools.js'
import { BoundTools } from '../call/bound-toolset.js'
import { CallTarget } from '../call/call-target.js'
import { newToolCall, toolSpec } from '../call/descriptors.js'
import { isReadResult } from '../call/read-result.js'
import { keepingPseudonyms } from '../call/redaction.js'
import { executorServedBy, type ServingAgent } from '../call/required-options.js'
import { toolTable } from '../call/served-tool.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import { exampleOf } from '../schema/examples.js'
import { searchToolName } from '../tool-search/loaded-tools.js'
import {
  agentSearchId,
  requireLimit,
  searchToolDescriptor,
  ToolSearch,
  type ToolSearchOptions,
  toolsetsText,
  wholeSearches,
} from '../tool-search/search-tool.js'
import { requireIndexes, type ToolSearchIndex } from '../tool-search/tool-terms.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolDescriptor } from '../types/tool.js'
import { callText } from './call-text.js'
import { type ProgramChecker, typescriptChecker } from './checker.js'
import { type ApiDeclarations, type DeclarationOptions, type WholeApi, wholeApi } from './declarations.js'
import { requireLimits, type SandboxLimits } from './limits.js'
import { Programs } from './program.js'
import { requireCodeModePackages } from './required-packages.js'
import { quickJsSandbox, type Sandbox } from './sandbox.js'

/** Options for {@link codeMode}: checker, sandbox, limits, tool search, and comments in the declarations. */
export interface CodeModeOptions extends DeclarationOptions {
  /**
   * Checker for programs before they run. Default: a `typescriptChecker()` that all registrations of the process share.
   */
  readonly checker?: ProgramChecker
  /** Sandbox that runs checked programs. Default: a `quickJsSandbox()` that all registrations of the process share. */
  readonly sandbox?: Sandbox
  /** Limits of each program. Default: the defaults of {@link SandboxLimits}. */
  readonly limits?: Partial<SandboxLimits>
  /**
   * Adds the tool `search_tools`, with which the model finds functions for a task. With the search, the description of `run_program` contains
   * no declarations, only a list of the toolsets. Recommended for more than about 30 tools. Install `minisearch`. Default: `false`.
   */
  readonly search?: boolean | ToolSearchOptions
}

/**
 * Creates the tool `run_program` from the tools of an agent or toolset. To use the tools, a model passes `run_program` a TypeScript program
 * that calls the tools as functions. `run_program` first checks the program against the types of all tools. If the check fails, the program
 * does not run, and the model reads the errors. A checked program runs in a sandbox. Each call of the program is a normal tool call, with
 * layers, approvals, validation and events.
 *
 * The outcome of a program lists the calls in `provenance.children`. `provenance.extra.tokensSaved` is an estimate of the tokens that the
 * model did not read: the results of the calls minus the returned value and the console output.
 *
 * If a call suspends, for example for an approval, the call of `run_program` also suspends. After the approval, the program runs again from
 * the start. In the second run, finished calls return their recorded results and do not run again.
 *
 * Install `quickjs-emscripten`. Also install `@typescript/typescript6` if the project does not use TypeScript 5.9 or 6.
 *
 * @param tools registered agent or toolset, or an array of agents and toolsets. With an array of several agents or toolsets, the events of the
 * calls contain no agent name
 * @throws {SchemaError} if the schema of a tool is invalid
 * @throws {RangeError} if a limit is invalid
 * @throws {TypeError} if `tools` is not a registered agent or toolset, contains no tools, or contains two tools of the same name; or for an
 * unknown limit
 * @throws {Error} if a package is not installed
 * @example
 * const program = new Runtime().registerToolset(codeMode(support))
 * const outcome = await program.execute({
 *   tool: 'run_program',
 *   arguments: JSON.stringify({ code: "return await orders.getOrder({ orderId: 'A-1001' })" }),
 * })
 */
export function codeMode<Env = unknown>(
  tools: BoundTools<Env> | readonly BoundTools<Env>[],
  options: CodeModeOptions = {},
): ToolsetRegistration<Env> {
  const all: readonly BoundTools<Env>[] = tools instanceof BoundTools ? [tools] : tools
  const isBound = Array.isArray(all) && all.every((each) => each instanceof BoundTools)
  if (!isBound) throw new TypeError('codeMode: pass a registered agent or toolset, or an array of these')
  const target = joinTargets(all.map((each) => each.target))
  const { agent = { name: 'program', description: 'Runs programs.' }, table } = target
  return programRegistration({ descriptor: agent, table }, options, target)
}

function joinTargets(targets: readonly CallTarget[]): CallTarget {
  const [first] = targets
  if (first === undefined) throw noTools()
  if (targets.length === 1) return first
  // Removes the tool `read_result` of each agent, because programs receive complete results.
  const served = targets.flatMap(({ table }) => table.served).filter(({ tool }) => !isReadResult(tool))
  const names = served.map(({ tool }) => tool.spec.toolName)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw new TypeError(`codeMode: two tools have the name '${repeated}'. Rename one of them with \`rename\`.`)
  const sinks = [...new Set(targets.flatMap(({ context }) => context.sinks))]
  return new CallTarget(toolTable(served), { ...first.context, sinks }, undefined)
}

const noTools = (): TypeError => new TypeError('codeMode: the agent or toolset has no tools')

const programId = 'program.run_program'

const programSearchId = 'program.search_tools'

export const ownIds: readonly string[] = [programId, programSearchId, agentSearchId]

/** Without `target`, the tools of the agent that calls `run_program` execute the calls of programs. */
export function programRegistration<Env = unknown>(
  agent: ServingAgent,
  options: CodeModeOptions,
  target?: CallTarget,
): ToolsetRegistration<Env> {
  // Removes `run_program` of an agent that uses code mode, and `read_result`: programs receive complete results.
  const tools = agent.table.served
    .map(({ tool }) => tool)
    .filter((tool) => !ownIds.includes(tool.id) && !isReadResult(tool))
  if (tools.length === 0) throw noTools()
  requireCodeModePackages('codeMode', options)
  const { comments, checker, sandbox, limits, search = false } = options
  const api = wholeApi(
    tools.map(({ spec }) => spec),
    comments === undefined ? {} : { comments },
  )
  const searched = search === true ? {} : search || {}
  const [limit, indexes] = [requireLimit('codeMode: search', searched), requireIndexes('codeMode: search', searched)]
  const found = search === false ? undefined : new ProgramSearch(tools, api, limit, indexes)
  const programs = new Programs(agent, target, api, {
    checker: checker ?? defaultChecker(),
    sandbox: sandbox ?? defaultSandbox(),
    limits: requireLimits('codeMode', limits),
  })
  const execute = async (request: ExecutorRequest): Promise<unknown> =>
    request.tool.name === searchToolName ? found?.execute(request) : programs.execute(request)
  const executor = executorServedBy({ service: 'program', execute }, (tool) => {
    if (tool !== programId) return undefined
    return { descriptor: agent.descriptor, table: agent.table, choosesTools: true }
  })
  // Leaves pseudonyms in the program unchanged, because each call of the program resolves pseudonyms.
  return toolsetRegistration<Env>(useOf(api, found, exampleProgram(tools, api)), keepingPseudonyms(executor))
}

/** All registrations share the default checker and the default sandbox, because both need much memory. */
function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}

const defaultChecker: () => ProgramChecker = once(typescriptChecker)
const defaultSandbox: () => Sandbox = once(quickJsSandbox)

function useOf(api: ApiDeclarations, search: ProgramSearch | undefined, example: string): ToolsetUse {
  const payload: Codec<never, unknown> = payloadCodec({ schema: argumentsSchema })
  const result: Codec<any, unknown> = resultCodec({ schema: resultSchema }) // `any`, because the schema has no generated type
  const spec = toolSpec(
    {
      id: programId,
      toolName: 'run_program',
      title: 'Run program',
      description: descriptionOf(api, search),
      examples: [{ code: example }],
      hash: '',
    },
    payload,
    result,
  )
  const tool: ToolDescriptor = {
    spec,
    payload,
    result,
    call: (args, options) => newToolCall(spec, payload, args, options),
  }
  const tools = search === undefined ? [tool] : [tool, search.descriptor]
  return {
    toolset: { name: 'program', namespace: 'default', description: 'Runs programs that call tools.', tools },
    provider: 'function',
    maxResults: wholeSearches,
  }
}

const longestExample = 100

function exampleProgram(tools: readonly BoundTool[], { functions }: ApiDeclarations): string {
  const paths = new Map(functions.map(({ toolName, path }) => [toolName, path]))
  const isReadOnly = ({ spec }: BoundTool): boolean => spec.annotations.readOnly === true
  const inOrder = [...tools.filter(isReadOnly), ...tools.filter((tool) => !isReadOnly(tool))]
  for (const { spec } of inOrder.slice(0, maxExamples)) {
    const args = spec.examples[0] ?? exampleOf(spec.arguments)
    const path = paths.get(spec.toolName)
    if (args === undefined || path === undefined) continue
    const code = `return await ${callText(path, args)}`
    if (code.length <= longestExample) return code
  }
  return 'return 1 + 1'
}

const maxExamples = 10

const argumentsSchema = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      minLength: 1,
      description: 'The statements.',
    },
  },
  required: ['code'],
  additionalProperties: false,
}

const resultSchema = {
  type: 'object',
  properties: {
    value: { description: 'The value that the program returned.' },
    console: { type: 'array', items: { type: 'string' }, description: 'Lines that the program wrote to the console.' },
  },
  required: ['value'],
}

function descriptionOf({ text }: ApiDeclarations, search: ProgramSearch | undefined): string {
  const [functions, list] =
    search === undefined
      ? ['the functions below', `\`\`\`ts\n${text}\n\`\`\``]
      : ['functions', `Find functions with \`${searchToolName}\` first. Namespaces:\n${search.overview}`]
  return `Checks and runs a TypeScript program: the statements of an async function that can call ${functions}. \`await\` each call, \
use \`Promise.all\` for independent calls, and \`return\` only what you need, as JSON. Imports, timers and type assertions are not available.

${list}`
}

class ProgramSearch {
  readonly descriptor: ToolDescriptor
  readonly overview: string
  readonly #search: ToolSearch
  readonly #api: WholeApi

  constructor(tools: readonly BoundTool[], api: WholeApi, limit: number, indexes: readonly ToolSearchIndex[]) {
    const namespaces = new Map(
      api.functions.map(({ path, toolName }) => [toolName, path.slice(0, path.lastIndexOf('.'))]),
    )
    this.#search = new ToolSearch(tools, indexes)
    this.#api = api
    this.overview = toolsetsText(tools, ({ spec }) => namespaces.get(spec.toolName) ?? spec.toolset)
    this.descriptor = searchToolDescriptor(programSearchId, limit, {
      description:
        'Finds functions for a task and returns their TypeScript declarations. Search before you write a program for `run_program`.',
      result: searchResultSchema,
    })
  }

  async execute(request: ExecutorRequest): Promise<{ readonly declarations: string; readonly hint?: string }> {
    const found = await this.#search.find(request)
    if (found.length === 0) return { declarations: '', hint: this.#search.hint }
    return { declarations: this.#api.part(new Set(found.map(({ toolName }) => toolName))) }
  }
}

const searchResultSchema = {
  type: 'object',
  properties: {
    declarations: { type: 'string', description: 'Declarations of the found functions. Empty if none was found.' },
    hint: { type: 'string', description: 'Next step if no function was found.' },
  },
  required: ['declarations'],
}
