import { BoundTools } from '../call/bound-toolset.js'
import { newToolCall, toolSpec } from '../call/descriptors.js'
import { executorServedBy } from '../call/required-options.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { Codec } from '../types/codec.js'
import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolDescriptor } from '../types/tool.js'
import { type ProgramChecker, typescriptChecker } from './checker.js'
import { type ApiDeclarations, apiDeclarations, type DeclarationOptions } from './declarations.js'
import { Programs } from './program.js'
import { defaultLimits, quickJsSandbox, type Sandbox, type SandboxLimits } from './sandbox.js'

/** Options for {@link codeMode}. */
export interface CodeModeOptions extends DeclarationOptions {
  /** Checks programs before they run. Default: one `typescriptChecker()` that all toolsets share. */
  readonly checker?: ProgramChecker
  /** Runs checked programs. Default: one `quickJsSandbox()` that all toolsets share. */
  readonly sandbox?: Sandbox
  /** Limits of each program. Default: those of {@link SandboxLimits}. */
  readonly limits?: Partial<SandboxLimits>
}

/**
 * Turns the tools of an agent or toolset into one tool, `run_program`: a model writes a TypeScript program that calls the tools as functions.
 * The program is first checked against the types of all tools. If the check fails, nothing runs, and the model reads what to correct. A checked
 * program runs in a sandbox. Each of its calls is a call of `tools`, with its layers, approvals, validation, events and provenance.
 *
 * The outcome of a program lists its calls in `provenance.children`. `provenance.extra.tokensSaved` is an estimate of the tokens that the model
 * did not read: the results of the calls minus the returned value and the console output, with four characters per token.
 *
 * Install `typescript` and `quickjs-emscripten`.
 *
 * @throws {SchemaError} if the schema of a tool is invalid
 * @throws {TypeError} if `tools` is not a registered agent or toolset, or if it has no tools
 * @example
 * const program = new Runtime().registerToolset(codeMode(support))
 * const outcome = await program.execute({
 *   tool: 'run_program',
 *   arguments: JSON.stringify({ code: "return await orders.getOrder({ orderId: 'A-1001' })" }),
 * })
 */
export function codeMode<Env = unknown>(
  tools: BoundTools<Env>,
  options: CodeModeOptions = {},
): ToolsetRegistration<Env> {
  if (!(tools instanceof BoundTools)) throw new TypeError('codeMode: pass a registered agent or toolset')
  const { specs } = tools
  if (specs.length === 0) throw new TypeError('codeMode: the agent or toolset has no tools')
  const { comments, checker, sandbox, limits } = options
  const api = apiDeclarations(specs, comments === undefined ? {} : { comments })
  const programs = new Programs(tools, api, {
    checker: checker ?? defaultChecker(),
    sandbox: sandbox ?? defaultSandbox(),
    limits: { ...defaultLimits, ...limits },
  })
  const executor = executorServedBy(
    { service: 'program', execute: (request) => programs.execute(request) },
    () => programs.agent,
  )
  return toolsetRegistration<Env>(useOf(api), executor)
}

/** Returns a function that creates a value at its first call. All registrations share the default threads, because a compiler needs much memory. */
function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}

const defaultChecker: () => ProgramChecker = once(typescriptChecker)
const defaultSandbox: () => Sandbox = once(quickJsSandbox)

function useOf(api: ApiDeclarations): ToolsetUse {
  const payload: Codec<never, unknown> = payloadCodec({ schema: argumentsSchema })
  const result: Codec<any, unknown> = resultCodec({ schema: resultSchema }) // `any`: as hand-written tools
  const spec = toolSpec(
    {
      id: 'program.run_program',
      toolName: 'run_program',
      title: 'Run program',
      description: descriptionOf(api),
      examples: [],
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
  return {
    toolset: { name: 'program', namespace: 'default', description: 'Runs programs that call tools.', tools: [tool] },
    provider: 'function',
  }
}

const argumentsSchema = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      minLength: 1,
      description:
        'Statements of an async TypeScript function. `return` the answer as a value that JSON can represent.',
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

function descriptionOf({ text }: ApiDeclarations): string {
  return `Runs a TypeScript program that calls the functions below, and returns the value that the program returns. Write the statements of an \
async function: \`await\` each call, use \`Promise.all\` for independent calls, and \`return\` only what you need. Imports, timers and type \
assertions are not available. The types are checked before the program starts.

\`\`\`ts
${text}
\`\`\``
}
