import {
  Agent,
  type InputGuardrail as AgentsInputGuardrail,
  type OutputGuardrail as AgentsOutputGuardrail,
  type GuardrailFunctionOutput,
  RunContext,
  type ToolGuardrailFunctionOutput,
  type ToolInputGuardrailDefinition,
  type ToolOutputGuardrailDefinition,
} from '@openai/agents'
import type {
  GuardrailResult,
  Guardrails,
  InputContext,
  InputGuardrail,
  ToolGuardrailResult,
} from '../types/guardrail.js'
import type { JsonText, JsonValue } from '../types/json.js'

/**
 * Guardrail for an agent of the SDK: an object as in the options of an agent, or the result of `defineInputGuardrail`
 * or `defineOutputGuardrail`.
 */
type Either<
  Plain extends { readonly name: string; readonly execute: (args: never) => Promise<GuardrailFunctionOutput> },
> =
  | Plain
  | (Omit<Plain, 'execute'> & {
      run(args: Parameters<Plain['execute']>[0]): Promise<{ readonly output: GuardrailFunctionOutput }>
    })

/** Guardrails of the OpenAI Agents SDK, as its agents and tools have them. */
export interface OpenAiAgentsGuardrails {
  /** Value of `inputGuardrails` of an agent. */
  readonly input?: readonly Either<AgentsInputGuardrail>[]
  /** Value of `outputGuardrails` of an agent. */
  // `any`: the guardrails of agents with any output type.
  readonly output?: readonly Either<AgentsOutputGuardrail<any, any>>[]
  /** Value of `inputGuardrails` of a tool. The guardrails apply to all tools of the agent. */
  readonly toolCall?: readonly Pick<ToolInputGuardrailDefinition<any>, 'name' | 'run'>[]
  /** Value of `outputGuardrails` of a tool. The guardrails apply to all tools of the agent. */
  readonly toolResult?: readonly Pick<ToolOutputGuardrailDefinition<any>, 'name' | 'run'>[]
}

/**
 * Converts guardrails of the OpenAI Agents SDK for `useGuardrails`. A triggered tripwire blocks the input or the output. For tools,
 * `rejectContent` makes the call fail with its message, and `throwException` stops the run. The guardrails receive `env` as the context, and
 * an SDK agent that has only the name of the agent. `outputInfo` becomes `info` of events and stop signals.
 *
 * @example
 * const agent = standard(driver).with(useGuardrails(openAiAgentsGuardrails({ input: [mathGuardrail] }))).build()
 */
export function openAiAgentsGuardrails({
  input = [],
  output = [],
  toolCall = [],
  toolResult = [],
}: OpenAiAgentsGuardrails): Guardrails<any> {
  return {
    input: input.map((guardrail): InputGuardrail => {
      const { name, runInParallel = true } = guardrail
      const check = async ({ text, env, meta }: InputContext): Promise<GuardrailResult> => {
        const args = { agent: agentOf(meta.agent), input: text, context: new RunContext<any>(env) }
        return resultOf(
          name,
          'execute' in guardrail ? await guardrail.execute(args) : (await guardrail.run(args)).output,
        )
      }
      return runInParallel ? { name, check } : { name, check, runInParallel: false }
    }),
    output: output.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ text, value, env, meta }) => {
        const args = { agent: agentOf(meta.agent), agentOutput: value ?? text, context: new RunContext<any>(env) }
        const ended = 'execute' in guardrail ? await guardrail.execute(args) : (await guardrail.run(args)).output
        return resultOf(guardrail.name, ended)
      },
    })),
    toolCall: toolCall.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ tool, call, arguments: payload, env, meta }) =>
        toolResultOf(
          guardrail.name,
          await guardrail.run(toolData(tool.toolName, call.toolCallId, JSON.stringify(payload), env, meta)),
        ),
    })),
    toolResult: toolResult.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ tool, call, arguments: sent, text, outcome, env, meta }) => {
        const data = toolData(tool.toolName, call.toolCallId, sent, env, meta)
        const output = outcome.status === 'completed' ? outcome.result.data : text
        return toolResultOf(guardrail.name, await guardrail.run({ ...data, output }))
      },
    })),
  }
}

function agentOf(name: string | undefined): Agent<any, any> {
  return new Agent({ name: name ?? 'agent' })
}

function toolData(name: string, callId: string, sent: JsonText, env: unknown, { agent }: { readonly agent?: string }) {
  const toolCall = { type: 'function_call', name, callId, arguments: sent } as const
  return { agent: agentOf(agent), context: new RunContext<any>(env), toolCall }
}

function resultOf(name: string, { tripwireTriggered, outputInfo }: GuardrailFunctionOutput): GuardrailResult {
  if (tripwireTriggered !== true) return 'pass'
  return { action: 'block', message: `The guardrail '${name}' was triggered.`, info: infoOf(outputInfo) }
}

function toolResultOf(name: string, { behavior, outputInfo }: ToolGuardrailFunctionOutput): ToolGuardrailResult {
  switch (behavior.type) {
    case 'allow':
      return 'pass'
    case 'rejectContent':
      return { action: 'block', message: behavior.message, info: infoOf(outputInfo) }
    case 'throwException':
      return { action: 'stop', message: `The guardrail '${name}' was triggered.`, info: infoOf(outputInfo) }
  }
}

/** Returns the information for `info` of a result. The runtime drops information that JSON cannot represent. */
function infoOf(outputInfo: unknown): JsonValue {
  return (outputInfo ?? null) as JsonValue
}
